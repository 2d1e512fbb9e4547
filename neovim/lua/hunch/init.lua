--- Hunch for Neovim: finds code, documents and conversations by meaning.

local M = {}

--- Take options over and enable the language server. Calling it is optional.
---@param options? hunch.Options
function M.setup(options)
  local config = require("hunch.config")
  config.set(options)
  local settings = config.current.settings
  if next(settings) then
    vim.lsp.config("hunch", { init_options = settings, settings = { hunch = settings } })
  end
  if config.current.enable then
    vim.lsp.enable("hunch")
  end
end

--- Open a Telescope picker when there is Telescope, else run the command of that name.
---@param name string
---@param instead? string
local function pick(name, instead)
  if pcall(require, "telescope") then
    require("telescope").extensions.hunch[name]()
  else
    require("hunch.command").run({ fargs = { instead or name }, bang = false, range = 0, line1 = 0, line2 = 0 })
  end
end

--- Search by meaning.
function M.search()
  pick("search")
end

--- Find what is like the code at the cursor, or like the selection.
function M.related()
  pick("related")
end

--- Search conversations with agents.
function M.conversations()
  pick("conversations")
end

--- Find definitions by name, and places by meaning.
function M.symbols()
  pick("symbols", "search")
end

--- What the index is doing, in a few characters for a status line. Never asks the server.
---@return string
function M.statusline()
  return require("hunch.status").line()
end

return M
