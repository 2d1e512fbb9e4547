--- `:checkhealth hunch`: is everything there, what is running, and what to do about it.

local client = require("hunch.client")
local health = vim.health

local M = {}

local VERSION_MS = 10000
local STATUS_MS = 3000

---@param cmd string[] Ends with what makes the program a server.
local function check_version(cmd)
  local asking = vim.list_slice(cmd, 1, #cmd - 1)
  asking[#asking + 1] = "--version"
  local ran, done = pcall(function()
    return vim.system(asking, { text = true, timeout = VERSION_MS }):wait()
  end)
  if ran and done.code == 0 then
    health.ok(vim.trim(done.stdout))
  else
    health.error(("`%s` does not run"):format(table.concat(asking, " ")), { "Run it in a terminal to see why." })
  end
end

local function check_server()
  health.start("Hunch: the server")
  local cmd = client.configuration().cmd
  if not cmd then
    return health.error(
      "lsp/hunch.lua is not on the 'runtimepath'",
      { "See |hunch-installing|: `neovim` is a sub-folder." }
    )
  end
  if not client.is_installed() then
    return health.error(("`%s` is not on the PATH"):format(cmd[1]), {
      "Install it: `pipx install` (or `pip install`) in a checkout of Hunch.",
      'Or name it: `vim.lsp.config("hunch", { cmd = { "/path/to/hunch", "serve" } })`.',
    })
  end
  if type(cmd) == "table" then
    check_version(cmd)
  end
  if not vim.lsp.is_enabled("hunch") then
    health.info('Starts at the first search; `require("hunch").setup()` starts it with the first file.')
  end
end

---@param running vim.lsp.Client
local function check_running(running)
  health.ok("Running for " .. (running.root_dir or "no folder"))
  local answer = running:request_sync("hunch/status", vim.empty_dict(), STATUS_MS)
  local state = answer and answer.result
  if not state then
    return health.error("It does not answer", { "See `:Hunch log`; `:lua vim.lsp.enable('hunch', false)` ends it." })
  end
  local is_well = state.state ~= "degraded" and state.state ~= "failed"
  for _, line in ipairs(require("hunch.status").describe(state)) do
    (is_well and health.info or health.warn)(line)
  end
end

local function check_clients()
  health.start("Hunch: what is running")
  local running = vim.lsp.get_clients({ name = "hunch" })
  if #running == 0 then
    health.info("Nothing yet.")
  end
  for _, one in ipairs(running) do
    check_running(one)
  end
  health.info("Log: " .. require("vim.lsp.log").get_filename())
end

local function check_editor()
  health.start("Hunch: the editor")
  if vim.fn.has("nvim-0.11.3") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim is older than 0.11.3")
  end
  if pcall(require, "telescope") then
    health.ok("Telescope is there: `:Telescope hunch search`")
  else
    health.info("Telescope is not there; `:Hunch search` uses `vim.ui.select`.")
  end
  if vim.o.statusline:find("hunch", 1, true) == nil then
    health.info("For a status line: `%{%v:lua.require'hunch'.statusline()%}`")
  end
end

--- Report on everything.
function M.check()
  check_editor()
  check_server()
  check_clients()
end

return M
