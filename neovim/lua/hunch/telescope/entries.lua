--- Hits as rows of Telescope: icon, title, place and reasons, in columns.

local entry_display = require("telescope.pickers.entry_display")
local hits = require("hunch.hits")

local M = {}

local SYMBOL_KINDS = vim.lsp.protocol.SymbolKind

---@param hit hunch.Hit
---@param briefly boolean
---@return string
local function reason(hit, briefly)
  local why = hits.why(hit, briefly)
  return why ~= "" and why or (SYMBOL_KINDS[hit.symbolKind] or hit.kind):lower()
end

--- Keep the end of a path, which tells more than its start.
---@param text string
---@param width integer
---@return string
local function keep_end(text, width)
  local length = vim.fn.strchars(text)
  return length <= width and text or "…" .. vim.fn.strcharpart(text, length - width + 1)
end

--- Make the maker of entries of one picker; its columns are as wide as the list allows.
---@return fun(hit: hunch.Hit): table
function M.maker()
  local title, place = 30, 30
  local displayer = nil

  ---@param picker table
  local function columns(picker)
    local width = vim.api.nvim_win_get_width(picker.results_win) - 6
    title, place = math.floor(width * 0.35), math.floor(width * 0.32)
    return entry_display.create({
      separator = " ",
      items = { { width = 2 }, { width = title }, { width = place }, { remaining = true } },
      prompt_bufnr = picker.prompt_bufnr,
    })
  end

  local function display(entry, picker)
    displayer = displayer or columns(picker)
    local hit = entry.value
    local where = hits.place(hit)
    return displayer({
      { hits.icon(hit), "TelescopeResultsSpecialComment" },
      hits.title(hit),
      { hits.is_conversation(hit) and where or keep_end(where, place), "TelescopeResultsIdentifier" },
      { reason(hit, true), "TelescopeResultsComment" },
    })
  end

  return function(hit)
    local first, last = hits.lines(hit.range)
    return {
      value = hit,
      display = display,
      ordinal = hits.title(hit) .. " " .. hits.place(hit),
      filename = hits.is_conversation(hit) and hit.uri or vim.uri_to_fname(hit.uri),
      lnum = first,
      lnend = last,
      col = hit.range.start.character + 1,
      text = vim.trim(hits.title(hit) .. "  " .. reason(hit, false)),
    }
  end
end

return M
