--- `:Telescope hunch …`: what Telescope looks up by this name.

---@param name string
---@return fun(options?: table)
local function picker(name)
  return function(options)
    require("hunch.telescope.pickers")[name](options or {})
  end
end

return require("telescope").register_extension({
  exports = {
    hunch = picker("search"),
    search = picker("search"),
    related = picker("related"),
    conversations = picker("conversations"),
    symbols = picker("symbols"),
  },
  health = function()
    require("hunch.health").check()
  end,
})
