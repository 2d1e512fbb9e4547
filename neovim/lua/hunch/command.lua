--- `:Hunch`: everything that can be done without Telescope, through `vim.ui.select`.

local ask = require("hunch.ask")
local client = require("hunch.client")
local hits = require("hunch.hits")

local M = {}

---@class hunch.Call What a command of Neovim is called with.
---@field fargs string[]
---@field bang boolean
---@field range integer
---@field line1 integer
---@field line2 integer

--- Let the person choose among hits, or list them.
---@param title string
---@param as_list boolean
---@return hunch.Found
local function show(title, as_list)
  return function(problem, found)
    if problem then
      return client.report(problem)
    end
    if #found == 0 then
      return vim.notify("Hunch found nothing.")
    end
    if as_list then
      return hits.to_quickfix(found, title)
    end
    vim.ui.select(found, { prompt = title, kind = "hunch", format_item = hits.line }, function(hit)
      if hit then
        hits.open(hit)
      end
    end)
  end
end

---@param words string[]
---@param prompt string
---@param use fun(query: string)
local function with_query(words, prompt, use)
  if #words > 0 then
    return use(table.concat(words, " "))
  end
  vim.ui.input({ prompt = prompt }, function(query)
    if query and vim.trim(query) ~= "" then
      use(query)
    end
  end)
end

---@param filter hunch.Filter?
---@param prompt string
---@return fun(call: hunch.Call, words: string[])
local function searching(filter, prompt)
  return function(call, words)
    with_query(words, prompt, function(query)
      ask.search(query, filter, show("Hunch: " .. query, call.bang))
    end)
  end
end

--- Show what is related to a piece of code.
---@param params table From `hunch.place`.
---@param as_list? boolean
function M.related(params, as_list)
  ask.related(params, nil, show("Hunch: related", as_list or false))
end

---@param call hunch.Call
local function related(call)
  local place = require("hunch.place")
  local params = call.range > 0 and place.lines(call.line1, call.line2) or place.here()
  M.related(params, call.bang)
end

---@param method string
---@param params table
---@param use fun(result: any)
local function asking(method, params, use)
  client.request(method, params, function(problem, result)
    if problem then
      return client.report(problem)
    end
    use(result)
  end)
end

---@param method string
---@return fun()
local function telling_state(method)
  return function()
    asking(method, vim.empty_dict(), function(state)
      local text = table.concat(require("hunch.status").describe(state), "\n")
      vim.api.nvim_echo({ { "Hunch: " .. text } }, true, {})
    end)
  end
end

---@param call hunch.Call
local function reindex(call)
  asking("hunch/reindex", { force = call.bang }, function()
    vim.notify("Hunch looks at the open folders again.")
  end)
end

local function problems()
  asking("hunch/problems", vim.empty_dict(), function(found)
    if #found == 0 then
      return vim.notify("Hunch left nothing out.")
    end
    local items = vim.tbl_map(function(problem)
      local filename = vim.uri_to_fname(problem.uri)
      return { filename = filename, lnum = 1, type = "W", text = ("%s: %s"):format(problem.state, problem.reason) }
    end, found)
    vim.fn.setqflist({}, " ", { title = "Hunch: problems", items = items })
    vim.cmd("botright copen")
  end)
end

local function log()
  vim.cmd.tabedit(vim.fn.fnameescape(require("vim.lsp.log").get_filename()))
end

---@type table<string, fun(call: hunch.Call, words: string[])>
local subcommands = {
  search = searching(nil, "Search by meaning: "),
  conversations = searching({ kinds = { "conversation" } }, "Search conversations: "),
  related = related,
  status = telling_state("hunch/status"),
  pause = telling_state("hunch/pause"),
  resume = telling_state("hunch/resume"),
  reindex = reindex,
  problems = problems,
  log = log,
}

--- Run `:Hunch`; without a subcommand it searches.
---@param call hunch.Call
function M.run(call)
  local words = vim.deepcopy(call.fargs)
  local name = table.remove(words, 1) or "search"
  local subcommand = subcommands[name]
  if not subcommand then
    local names = table.concat(M.complete("", ":Hunch "), ", ")
    return client.report({ message = ("there is no :Hunch %s; there are %s."):format(name, names) })
  end
  subcommand(call, words)
end

--- Complete the name of a subcommand; what comes after it is free text.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  if not line:match("Hunch!?%s+%S*$") then
    return {}
  end
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, vim.tbl_keys(subcommands))
  table.sort(names)
  return names
end

return M
