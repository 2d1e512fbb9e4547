-- What `vim.lsp.enable("hunch")` starts. Change it with `vim.lsp.config("hunch", { … })`.

---@type vim.lsp.Config
return {
  cmd = { "hunch", "serve" },
  root_markers = { ".git", ".hg", ".jj", ".hunchignore" },
  root_dir = function(bufnr, on_dir)
    local client = require("hunch.client")
    if client.is_installed() then
      on_dir(client.root(bufnr))
    end
  end,
  handlers = {
    ["hunch/didChangeStatus"] = function(_, state, context)
      require("hunch.status").changed(context.client_id, state)
    end,
  },
  -- The code action "Show related code": here the plugin shows what was found.
  commands = {
    ["hunch.showRelated"] = function(command)
      local params = vim.tbl_extend("force", command.arguments[1], {})
      params.show = nil
      require("hunch.command").related(params)
    end,
  },
  on_exit = function(_, _, client_id)
    require("hunch.client").ended(client_id)
  end,
}
