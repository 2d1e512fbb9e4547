--- Shows a hit where it stands, with its lines and the query's words marked.

local conversation = require("hunch.conversation")
local hits = require("hunch.hits")
local previewers = require("telescope.previewers")
local putils = require("telescope.previewers.utils")

local M = {}

local namespace = vim.api.nvim_create_namespace("hunch.preview")
local CONTEXT = 2

---@param bufnr integer
---@param row integer
---@param from integer UTF-16 code units.
---@param to integer
local function mark_words(bufnr, row, from, to)
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
  local first = vim.str_byteindex(line, hits.ENCODING, from, false)
  local last = vim.str_byteindex(line, hits.ENCODING, to, false)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, row, first, {
    end_col = last,
    hl_group = "TelescopePreviewMatch",
    priority = 200,
    strict = false,
  })
end

--- Mark the words that the server found; it counts from the start of the snippet.
---@param bufnr integer
---@param hit hunch.Hit
local function mark_highlights(bufnr, hit)
  if not hit.snippetRange then
    return
  end
  local row, column, start = hit.snippetRange.start.line, hit.snippetRange.start.character, 0
  for _, line in ipairs(vim.split(hit.snippet or "", "\n")) do
    local length = vim.str_utfindex(line, hits.ENCODING)
    for _, pair in ipairs(hit.highlights or {}) do
      if pair[1] >= start and pair[2] <= start + length then
        mark_words(bufnr, row, pair[1] - start + column, pair[2] - start + column)
      end
    end
    row, column, start = row + 1, 0, start + length + 1
  end
end

---@param bufnr integer
---@param winid integer
---@param hit hunch.Hit
local function mark(bufnr, winid, hit)
  if not (vim.api.nvim_buf_is_valid(bufnr) and vim.api.nvim_win_is_valid(winid)) then
    return
  end
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local first, last = hits.lines(hit.range)
  first, last = math.min(first, count), math.min(last, count)
  for row = first - 1, last - 1 do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, { line_hl_group = "TelescopePreviewLine" })
  end
  mark_highlights(bufnr, hit)
  vim.api.nvim_win_set_cursor(winid, { first, 0 })
  vim.api.nvim_win_call(winid, function()
    vim.wo.scrolloff = CONTEXT
    vim.cmd("normal! zt")
  end)
end

---@param bufnr integer
---@param winid integer
---@param hit hunch.Hit
local function show_conversation(bufnr, winid, hit)
  return conversation.fetch(hit.uri, function(problem, lines)
    if not vim.api.nvim_buf_is_valid(bufnr) then
      return
    end
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, problem and { problem.message } or lines or {})
    putils.highlighter(bufnr, "markdown", {})
    mark(bufnr, winid, hit)
  end)
end

--- Copy the text on the screen, since that is what the server searched.
---@param bufnr integer
---@param open integer
local function show_open(bufnr, open)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.api.nvim_buf_get_lines(open, 0, -1, false))
  putils.highlighter(bufnr, vim.bo[open].filetype, {})
end

---@param self table
---@param entry table
local function define(self, entry)
  local hit, bufnr, winid = entry.value, self.state.bufnr, self.state.winid
  if self.state.bufname == hit.uri then
    return mark(bufnr, winid, hit)
  end
  if hits.is_conversation(hit) then
    return show_conversation(bufnr, winid, hit)
  end
  -- Without anchors, another file whose name only starts with this one would do.
  local open = vim.fn.bufnr("^" .. vim.fn.escape(entry.filename, "*?[]{}\\,") .. "$")
  if open > 0 and vim.api.nvim_buf_is_loaded(open) then
    show_open(bufnr, open)
    return mark(bufnr, winid, hit)
  end
  require("telescope.config").values.buffer_previewer_maker(entry.filename, bufnr, {
    winid = winid,
    callback = function()
      -- While the file was read, the person may have moved on to another hit in it.
      local shown = self.hunch_shown
      mark(bufnr, winid, shown and shown.uri == hit.uri and shown or hit)
    end,
  })
end

--- Make the previewer of one picker.
---@return table
function M.new()
  return previewers.new_buffer_previewer({
    title = "Hunch",
    dyn_title = function(_, entry)
      return entry.value.detail
    end,
    get_buffer_by_name = function(_, entry)
      return entry.value.uri
    end,
    define_preview = function(self, entry)
      self.hunch_shown = entry.value
      define(self, entry)
    end,
  })
end

return M
