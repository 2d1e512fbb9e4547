--- Shows the conversations behind `hunch-session:` names.

local client = require("hunch.client")

local M = {}

local WAIT_MS = 15000

--- Ask for a conversation as Markdown.
---@param uri string
---@param done fun(problem: hunch.Error?, lines: string[]?)
---@return fun() cancel
function M.fetch(uri, done)
  return client.request("hunch/content", { uri = uri }, function(problem, content)
    done(problem, content and vim.split(content.text, "\n"))
  end)
end

--- Fill a buffer that was named after a conversation; returns when it is filled, so that whoever
--- opened it can jump in it. What cannot be shown is said in the buffer.
---@param bufnr integer
---@param name string
function M.read(bufnr, name)
  local options = vim.bo[bufnr]
  options.buftype = "nofile"
  options.swapfile = false
  local text ---@type string[]?
  M.fetch(assert(name:match("hunch%-session:/.*")), function(problem, lines)
    text = problem and { "Hunch cannot show this conversation: " .. problem.message } or lines
  end)
  vim.wait(WAIT_MS, function()
    return text ~= nil
  end, 10)
  options.modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, text or { "Hunch did not answer in time; :edit asks again." })
  options.modified = false
  options.modifiable = false
  options.filetype = "markdown"
end

return M
