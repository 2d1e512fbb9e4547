--- What the server found: how it is told in words, opened, and listed.

---@class (exact) hunch.Hit What the server calls a Hit; see its protocol for the fields.
---@field uri string
---@field range lsp.Range
---@field kind string
---@field title string
---@field detail string
---@field snippet? string
---@field snippetRange? lsp.Range
---@field highlights? integer[][]
---@field symbolKind? integer
---@field signals table<string, any>
---@field stale boolean

---@alias hunch.How 'edit'|'split'|'vsplit'|'tab'

local M = {}

M.SCHEME = "hunch-session:"
M.ENCODING = "utf-16"

--- What each signal means, in words and in one word.
---@type { [1]: string, [2]: string, [3]: string }[]
local reasons = {
  { "definition", "defines the name", "defines" },
  { "name", "words in its name", "name" },
  { "keyword", "words in its text", "words" },
  { "semantic", "meaning %.2f", "meaning" },
  { "here", "about this project", "here" },
  { "mentions", "names this place", "mentions" },
  { "sourceGone", "its log was deleted", "log gone" },
  { "aside", "ranked lower as a test, example or generated file", "aside" },
  { "stale", "changed since it was indexed", "changed" },
}

--- Say why a hit is one, strongest reason first; empty when nothing is known.
---@param hit hunch.Hit
---@param briefly? boolean In one word for each reason.
---@return string
function M.why(hit, briefly)
  local signals = vim.tbl_extend("force", hit.signals, { stale = hit.stale })
  local words = {}
  for _, reason in ipairs(reasons) do
    local value = signals[reason[1]]
    if value and value ~= 0 then
      words[#words + 1] = briefly and reason[3] or type(value) == "number" and reason[2]:format(value) or reason[2]
    end
  end
  return table.concat(words, briefly and " " or " · ")
end

--- The lines of a hit as people count them: an end at the start of a line does not reach into it.
---@param range lsp.Range
---@return integer first From 1.
---@return integer last
function M.lines(range)
  local first, last = range.start.line + 1, range["end"].line + 1
  if range["end"].character == 0 and last > first then
    last = last - 1
  end
  return first, last
end

---@param hit hunch.Hit
---@return boolean
function M.is_conversation(hit)
  return vim.startswith(hit.uri, M.SCHEME)
end

--- Where a hit is: path and line, or what the server says of a conversation.
---@param hit hunch.Hit
---@return string
function M.place(hit)
  if M.is_conversation(hit) then
    return hit.detail
  end
  return ("%s:%d"):format(hit.detail, (M.lines(hit.range)))
end

--- What a hit is called; a place without a name is called by its first line.
---@param hit hunch.Hit
---@return string
function M.title(hit)
  if hit.title ~= "" then
    return hit.title
  end
  return vim.trim(vim.split(vim.trim(hit.snippet or ""), "\n")[1])
end

---@param hit hunch.Hit
---@return string
function M.icon(hit)
  return require("hunch.config").current.icons[hit.kind] or " "
end

---@param text string
---@param width integer
---@return string
local function cell(text, width)
  local room = width - vim.fn.strdisplaywidth(text)
  if room >= 0 then
    return text .. (" "):rep(room)
  end
  local kept = text
  while vim.fn.strdisplaywidth(kept) > width - 1 do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strchars(kept) - 1)
  end
  return kept .. "…" .. (" "):rep(width - 1 - vim.fn.strdisplaywidth(kept))
end

--- A hit in one line of aligned columns: icon, title, place, reasons.
---@param hit hunch.Hit
---@return string
function M.line(hit)
  return table.concat({ cell(M.icon(hit), 2), cell(M.title(hit), 36), cell(M.place(hit), 36), M.why(hit) }, " ")
end

local windows = { split = "split", vsplit = "vsplit", tab = "tab split" }

--- Open a hit with the cursor at the start of its range.
---@param hit hunch.Hit
---@param how? hunch.How In the current window by default.
function M.open(hit, how)
  local bufnr = vim.uri_to_bufnr(hit.uri)
  vim.fn.bufload(bufnr)
  if windows[how] then
    vim.cmd(windows[how])
  end
  -- The file may have become shorter since it was indexed.
  local last = math.max(vim.api.nvim_buf_line_count(bufnr) - 1, 0)
  local start = { line = math.min(hit.range.start.line, last), character = hit.range.start.character }
  local location = { uri = hit.uri, range = { start = start, ["end"] = start } }
  vim.lsp.util.show_document(location, M.ENCODING, { focus = true })
  vim.cmd("normal! zz")
end

---@param hit hunch.Hit
---@return vim.quickfix.entry
local function quickfix_entry(hit)
  local first, last = M.lines(hit.range)
  return {
    filename = M.is_conversation(hit) and hit.uri or vim.uri_to_fname(hit.uri),
    lnum = first,
    end_lnum = last,
    col = hit.range.start.character + 1,
    text = vim.trim(M.title(hit) .. "  " .. M.why(hit)),
  }
end

--- Put hits into a new quickfix list, best first, and open it.
---@param hits hunch.Hit[]
---@param title string
function M.to_quickfix(hits, title)
  vim.fn.setqflist({}, " ", { title = title, items = vim.tbl_map(quickfix_entry, hits) })
  vim.cmd("botright copen")
end

--- Make a hit of what `workspace/symbol` answers.
---@param symbol lsp.WorkspaceSymbol
---@return hunch.Hit
function M.from_symbol(symbol)
  local location = symbol.location --[[@as lsp.Location]]
  local is_conversation = vim.startswith(location.uri, M.SCHEME)
  return {
    uri = location.uri,
    range = location.range,
    kind = is_conversation and "conversation" or "code",
    title = symbol.name,
    detail = symbol.containerName or vim.fn.fnamemodify(location.uri, ":t"),
    symbolKind = symbol.kind,
    signals = {},
    stale = false,
  }
end

return M
