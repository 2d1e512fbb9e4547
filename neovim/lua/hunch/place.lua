--- The piece of code that `hunch/related` starts from: what is at the cursor, selected, or in lines.

local M = {}

local MOST_CHARACTERS = 10000
local AROUND = 20

---@param bufnr integer
---@param row integer From 1.
---@param column integer Bytes before the position.
---@return lsp.Position
local function position(bufnr, row, column)
  local line = vim.api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1] or ""
  local inside = math.min(column, #line)
  return { line = row - 1, character = vim.str_utfindex(line, "utf-16", inside) }
end

---@param bufnr integer
---@return boolean
local function is_file(bufnr)
  return vim.bo[bufnr].buftype == "" and vim.api.nvim_buf_get_name(bufnr) ~= ""
end

---@param bufnr integer
---@param first integer From 1.
---@param last integer
---@return table params What the server cannot look up is sent as text.
local function as_text(bufnr, first, last)
  local lines = vim.api.nvim_buf_get_lines(bufnr, math.max(first - 1, 0), last, false)
  return { text = vim.fn.strcharpart(table.concat(lines, "\n"), 0, MOST_CHARACTERS) }
end

--- The chunk around the cursor of the current window.
---@return table params
function M.cursor()
  local bufnr = vim.api.nvim_get_current_buf()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  if not is_file(bufnr) then
    return as_text(bufnr, row - AROUND, row + AROUND)
  end
  return { textDocument = { uri = vim.uri_from_bufnr(bufnr) }, position = position(bufnr, row, column) }
end

--- Whole lines of the current buffer.
---@param first integer From 1.
---@param last integer
---@return table params
function M.lines(first, last)
  local bufnr = vim.api.nvim_get_current_buf()
  if not is_file(bufnr) then
    return as_text(bufnr, first, last)
  end
  local range = { start = { line = first - 1, character = 0 }, ["end"] = position(bufnr, last, math.huge) }
  return { textDocument = { uri = vim.uri_from_bufnr(bufnr) }, range = range }
end

--- What is selected while a visual mode is on, which ends; a block counts as its lines.
---@return table params
local function selection()
  local mode = vim.fn.mode()
  local one, other = vim.fn.getpos("v"), vim.fn.getpos(".")
  vim.cmd.normal({ vim.keycode("<Esc>"), bang = true })
  if one[2] > other[2] or (one[2] == other[2] and one[3] > other[3]) then
    one, other = other, one
  end
  local params = M.lines(one[2], other[2])
  if mode == "v" and params.range then
    local bufnr = vim.api.nvim_get_current_buf()
    local line = vim.api.nvim_buf_get_lines(bufnr, other[2] - 1, other[2], false)[1] or ""
    local last = other[3] - 1
    -- The selection includes the whole of its last character.
    local past = last < #line and last + vim.str_utf_end(line, last + 1) + 1 or #line
    params.range = { start = position(bufnr, one[2], one[3] - 1), ["end"] = position(bufnr, other[2], past) }
  end
  return params
end

--- What a person means by "this": the selection in a visual mode, else what the cursor is in.
---@return table params
function M.here()
  return vim.fn.mode():find("^[vV\22]") and selection() or M.cursor()
end

return M
