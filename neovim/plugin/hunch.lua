-- What Neovim runs at start-up: names only. Everything behind them is loaded when it is first used.

if vim.g.loaded_hunch then
  return
end
vim.g.loaded_hunch = true

if vim.fn.has("nvim-0.11.3") == 0 then
  vim.api.nvim_echo({ { "Hunch needs Neovim 0.11.3 or newer; this one is older.", "WarningMsg" } }, true, {})
  return
end

vim.api.nvim_create_user_command("Hunch", function(call)
  require("hunch.command").run(call)
end, {
  nargs = "*",
  range = true,
  bang = true,
  desc = "Find code, documents and conversations by meaning",
  complete = function(lead, line)
    return require("hunch.command").complete(lead, line)
  end,
})

-- A buffer's name may have the current directory before the scheme, since there is no `//` after it.
vim.api.nvim_create_autocmd("BufReadCmd", {
  group = vim.api.nvim_create_augroup("hunch.conversation", {}),
  pattern = "*hunch-session:/*",
  desc = "Show a conversation as Markdown",
  callback = function(event)
    require("hunch.conversation").read(event.buf, event.match)
  end,
})

for name, modes in pairs({ search = "n", related = { "n", "x" }, conversations = "n", symbols = "n" }) do
  vim.keymap.set(modes, "<Plug>(hunch-" .. name .. ")", function()
    require("hunch")[name]()
  end, { desc = "Hunch: " .. name })
end
