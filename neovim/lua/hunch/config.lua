--- The plugin's options. What the server is to do is a setting of the server: see |hunch-settings|.

---@class (exact) hunch.Icons
---@field code string
---@field docs string
---@field conversation string
---@field note string
---@field message string

---@class (exact) hunch.Keys
---@field kind string Shows only code, then only documents, then only conversations, then everything.
---@field scope string Widens the search to every folder that was ever indexed, and narrows it again.
---@field refine string Filters what was found by fuzzy match.

---@class (exact) hunch.Config
---@field enable boolean Whether `setup()` enables the language server for all files.
---@field limit integer How many hits are asked for, 1 to 200.
---@field debounce_ms integer How long typing must rest before the server is asked.
---@field settings table<string, any> Settings of the server, such as `{ embedder = "builtin" }`.
---@field icons hunch.Icons What stands before a hit, by its kind; two cells wide at most.
---@field keys hunch.Keys Keys in the Telescope picker's prompt, in insert and normal mode.

---@class (exact) hunch.Options
---@field enable? boolean
---@field limit? integer
---@field debounce_ms? integer
---@field settings? table<string, any>
---@field icons? table<string, string>
---@field keys? table<string, string>

local M = {}

---@type hunch.Config
local defaults = {
  enable = true,
  limit = 50,
  debounce_ms = 80,
  settings = {},
  icons = { code = "{}", docs = "¶", conversation = "❝", note = "✎", message = "✉" },
  keys = { kind = "<C-e>", scope = "<C-s>", refine = "<C-Space>" },
}

---@type hunch.Config
M.current = vim.deepcopy(defaults)

---@param value any
---@return boolean
local function is_limit(value)
  return type(value) == "number" and value % 1 == 0 and value >= 1 and value <= 200
end

---@param value any
---@return boolean
local function is_delay(value)
  return type(value) == "number" and value % 1 == 0 and value >= 0
end

---@type table<string, { [1]: any, [2]: string? }>
local checks = {
  enable = { "boolean" },
  limit = { is_limit, "a whole number from 1 to 200" },
  debounce_ms = { is_delay, "a whole number, 0 or more" },
  settings = { "table" },
  icons = { "table" },
  keys = { "table" },
}

--- Say which options are not known: names at the top, and below `icons` and `keys`.
---@param options table<string, any>
---@return string[] names Sorted.
local function unknown(options)
  local names = {}
  for name, value in pairs(options) do
    if checks[name] == nil then
      names[#names + 1] = tostring(name)
    elseif (name == "icons" or name == "keys") and type(value) == "table" then
      for key in pairs(value) do
        if defaults[name][key] == nil then
          names[#names + 1] = name .. "." .. tostring(key)
        end
      end
    end
  end
  table.sort(names)
  return names
end

--- Check options, warn about those that nobody knows, and make them the current ones.
---
--- Raises an error that names the first option with a wrong value.
---@param options? hunch.Options
function M.set(options)
  vim.validate("options", options, "table", true)
  options = options or {}
  for name, check in pairs(checks) do
    vim.validate("hunch: " .. name, options[name], check[1], true, check[2])
  end
  for _, group in ipairs({ "icons", "keys" }) do
    for name, value in pairs(options[group] or {}) do
      vim.validate("hunch: " .. group .. "." .. name, value, "string")
    end
  end
  local names = unknown(options)
  if #names > 0 then
    vim.notify("Hunch does not know the option " .. table.concat(names, ", ") .. ".", vim.log.levels.WARN)
  end
  M.current = vim.tbl_deep_extend("force", defaults, options)
end

return M
