--- Finds or starts the language server and asks it things. Nothing here waits.

---@class (exact) hunch.Error
---@field message string A sentence for a person.
---@field kind? string Tells errors apart for programs; see "Errors" in the server's protocol.

---@alias hunch.Done fun(problem: hunch.Error?, result: any)

local M = {}

local NAME = "hunch"
local START_MS = 30000
local POLL_MS = 20

--- What was asked and not yet answered: client id → calls to end with an error if it dies.
---@type table<integer, table<hunch.Done, true>>
local waiting = {}

--- The server's configuration, after all that the person changed in it.
---@return vim.lsp.Config
function M.configuration()
  return vim.lsp.config[NAME] or {}
end

--- Whether the program to start is there.
---@return boolean
function M.is_installed()
  local cmd = M.configuration().cmd
  return type(cmd) ~= "table" or vim.fn.executable(cmd[1]) == 1
end

--- The current directory, if `place` is in it. The home directory and what is above it are nobody's
--- project: the server would refuse them.
---@param place string
---@return string?
local function current_directory(place)
  local cwd = assert(vim.uv.cwd())
  local home = vim.uv.os_homedir()
  if home and vim.fs.relpath(cwd, home) then
    return nil
  end
  return vim.fs.relpath(cwd, place) and cwd or nil
end

--- The folder that a buffer belongs to: the one with a marker, else the current directory if the
--- buffer is in it, else nil. What is not a file belongs where Neovim is.
---@param bufnr integer
---@return string?
function M.root(bufnr)
  local name = vim.bo[bufnr].buftype == "" and vim.api.nvim_buf_get_name(bufnr) or ""
  local place = name ~= "" and vim.fs.abspath(name) or assert(vim.uv.cwd())
  return vim.fs.root(place, M.configuration().root_markers or { ".git" }) or current_directory(place)
end

--- The running client for a buffer, if there is one: attached to it, or open on its folder.
---@param bufnr integer
---@return vim.lsp.Client?
function M.running(bufnr)
  local attached = vim.lsp.get_clients({ name = NAME, bufnr = bufnr })[1]
  if attached then
    return attached
  end
  local root = M.root(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME })) do
    if client.root_dir == root and not client:is_stopped() then
      return client
    end
  end
end

--- Let the server see what is on the screen, if that is a file of its folder.
---@param client vim.lsp.Client
---@param bufnr integer
local function attach(client, bufnr)
  local is_file = vim.api.nvim_buf_is_loaded(bufnr)
    and vim.bo[bufnr].buftype == ""
    and vim.api.nvim_buf_get_name(bufnr) ~= ""
  if is_file and not vim.lsp.buf_is_attached(bufnr, client.id) and M.root(bufnr) == client.root_dir then
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
end

--- Start the server for a buffer's folder, or join one that is starting.
---@param bufnr integer
---@return integer? client_id
local function start(bufnr)
  local config = vim.deepcopy(M.configuration())
  config.name = NAME
  config.root_dir = M.root(bufnr)
  return vim.lsp.start(config --[[@as vim.lsp.ClientConfig]], { attach = false, silent = true })
end

--- Hand over the client once it is initialized, or nil when it is gone or takes too long.
---@param id integer
---@param done fun(client: vim.lsp.Client?)
local function once_ready(id, done)
  local deadline = vim.uv.now() + START_MS
  local function look()
    local client = vim.lsp.get_client_by_id(id)
    if client and client.initialized then
      for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
        attach(client, bufnr)
      end
      return done(client)
    end
    if not client or vim.uv.now() > deadline then
      return done(nil)
    end
    vim.defer_fn(look, POLL_MS)
  end
  look()
end

--- Get a client for a buffer, starting the server when it does not run.
---@param bufnr integer
---@param done fun(problem: hunch.Error?, client: vim.lsp.Client?)
function M.get(bufnr, done)
  local client = M.running(bufnr)
  if client then
    attach(client, bufnr)
    return done(nil, client)
  end
  if not M.is_installed() then
    local program = M.configuration().cmd[1]
    return done({ message = ("%s is not installed, or not on the PATH; see :checkhealth hunch."):format(program) })
  end
  local id = start(bufnr)
  if not id then
    return done({ message = "the server could not be started; see :Hunch log." })
  end
  once_ready(id, function(ready)
    if ready then
      return done(nil, ready)
    end
    done({ message = "the server ended, or did not answer, while it was starting; see :Hunch log." })
  end)
end

---@param client vim.lsp.Client
---@param method string
---@return boolean
local function knows(client, method)
  if not vim.startswith(method, "hunch/") then
    return client:supports_method(method)
  end
  local experimental = client.server_capabilities.experimental
  local announced = type(experimental) == "table" and experimental.hunch
  return type(announced) == "table" and vim.tbl_contains(announced.methods or {}, method)
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param done hunch.Done
---@param bufnr integer
---@return integer? id Of the request, while it is under way.
local function send(client, method, params, done, bufnr)
  if not knows(client, method) then
    done({ message = ("this server is too old for %s; update hunch."):format(method) })
    return nil
  end
  local calls = waiting[client.id] or {}
  waiting[client.id] = calls
  calls[done] = true
  local sent, id = client:request(method, params, function(problem, result)
    if calls[done] then
      calls[done] = nil
      done(problem and { message = problem.message, kind = (problem.data or {}).kind }, result)
    end
  end, bufnr)
  if not sent and calls[done] then
    calls[done] = nil
    done({ message = "the server has ended; asking again starts it." })
  end
  return sent and id or nil
end

--- Ask the server.
---
--- `done` is called once, later or at once, unless the request is cancelled before.
---@param method string
---@param params table
---@param done hunch.Done
---@param bufnr? integer Whose folder is meant; the current buffer when absent.
---@return fun() cancel Forgets the request here and stops the work for it there.
function M.request(method, params, done, bufnr)
  bufnr = bufnr and vim.api.nvim_buf_is_valid(bufnr) and bufnr or vim.api.nvim_get_current_buf()
  local asked ---@type vim.lsp.Client?
  local id ---@type integer?
  local is_over = false
  local function finish(problem, result)
    if not is_over then
      is_over = true
      done(problem, result)
    end
  end
  local function go_on(problem, client)
    if is_over then
      return
    end
    if not client then
      return finish(problem)
    end
    asked = client
    id = send(client, method, params, finish, bufnr)
  end
  -- Conversations belong to no folder: any server knows them.
  local any = method == "hunch/content" and vim.lsp.get_clients({ name = NAME })[1]
  if any then
    go_on(nil, any)
  else
    M.get(bufnr, go_on)
  end
  return function()
    if is_over then
      return
    end
    is_over = true
    if asked and id then
      waiting[asked.id][finish] = nil
      asked:cancel_request(id)
    end
  end
end

--- Tell everybody who waits that a server has ended; Neovim alone would let them wait for ever.
---@param client_id integer
function M.ended(client_id)
  local calls = waiting[client_id] or {}
  waiting[client_id] = nil
  vim.schedule(function()
    require("hunch.status").changed(client_id, nil)
    for done in pairs(calls) do
      done({ message = "the server has ended; asking again starts it." })
    end
  end)
end

--- Show a problem as a sentence.
---@param problem hunch.Error
function M.report(problem)
  vim.notify("Hunch: " .. problem.message, vim.log.levels.ERROR)
end

return M
