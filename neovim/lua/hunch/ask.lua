--- Asks for hits and hands them on to whatever is to show them.

local client = require("hunch.client")
local config = require("hunch.config")

local M = {}

---@class (exact) hunch.Filter What may be found at all; see "Filter" in the server's protocol.
---@field kinds? string[]
---@field scope? 'workspace'|'everywhere'
---@field folders? string[]
---@field include? string[]
---@field exclude? string[]
---@field languages? string[]
---@field agents? string[]
---@field since? string
---@field until? string

---@alias hunch.Found fun(problem: hunch.Error?, hits: hunch.Hit[], state: hunch.State?)

---@param method string
---@param params table
---@param filter hunch.Filter?
---@param done hunch.Found
---@param bufnr? integer
---@return fun() cancel
local function ask(method, params, filter, done, bufnr)
  local asked = vim.tbl_extend("force", params, { limit = config.current.limit })
  asked.filter = filter and next(filter) and filter or nil
  return client.request(method, asked, function(problem, result)
    done(problem, result and result.hits or {}, result and result.index)
  end, bufnr)
end

--- Ask a question in words. A blank one finds nothing.
---@param query string
---@param filter? hunch.Filter
---@param done hunch.Found
---@param bufnr? integer Whose folder is searched; the current buffer when absent.
---@return fun() cancel
function M.search(query, filter, done, bufnr)
  if vim.trim(query) == "" then
    done(nil, {})
    return function() end
  end
  return ask("hunch/search", { query = query }, filter, done, bufnr)
end

--- Ask for what is like a piece of code.
---@param params table From `hunch.place`.
---@param filter? hunch.Filter
---@param done hunch.Found
---@param bufnr? integer
---@return fun() cancel
function M.related(params, filter, done, bufnr)
  return ask("hunch/related", params, filter, done, bufnr)
end

--- Ask for definitions by name, and then for places by meaning.
---@param query string
---@param done hunch.Found
---@param bufnr? integer
---@return fun() cancel
function M.symbols(query, done, bufnr)
  return client.request("workspace/symbol", { query = query }, function(problem, symbols)
    done(problem, vim.tbl_map(require("hunch.hits").from_symbol, symbols or {}))
  end, bufnr)
end

return M
