--- The four pickers.

local actions = require("telescope.actions")
local action_set = require("telescope.actions.set")
local action_state = require("telescope.actions.state")
local ask = require("hunch.ask")
local client = require("hunch.client")
local config = require("hunch.config")
local entries = require("hunch.telescope.entries")
local finder = require("hunch.telescope.finder")
local finders = require("telescope.finders")
local hits = require("hunch.hits")
local pickers = require("telescope.pickers")
local preview = require("hunch.telescope.preview")
local sorters = require("telescope.sorters")
local values = require("telescope.config").values

local M = {}

local KINDS = { "code", "docs", "conversation" }
local COMMANDS = { edit = "edit", new = "split", vnew = "vsplit", tabedit = "tab" }

---@class hunch.Chosen What the keys of one picker have chosen.
---@field kind? string Only this kind.
---@field scope? string
---@field fixed hunch.Filter What the picker itself asks for.

---@param chosen hunch.Chosen
---@return hunch.Filter
local function filter_of(chosen)
  local keys = { kinds = chosen.kind and { chosen.kind } or nil, scope = chosen.scope }
  return vim.tbl_extend("keep", keys, chosen.fixed)
end

---@param title string
---@param chosen hunch.Chosen
---@return string
local function title_of(title, chosen)
  return table.concat({ title, chosen.kind or nil, chosen.scope }, " · ")
end

--- Say what an answer does not say: what went wrong, or that the index is not complete yet.
---@param picker table
---@param problem hunch.Error?
---@param state hunch.State?
local function tell(picker, problem, state)
  -- The same problem at every key is told once.
  if problem and picker.hunch_told ~= problem.message then
    client.report(problem)
  end
  picker.hunch_told = problem and problem.message
  local border = picker.layout and picker.layout.results.border
  if border and border.change_title then
    local is_whole = not state or state.state == "ready"
    border:change_title(is_whole and "Results" or "Results · " .. state.state)
  end
end

---@param bufnr integer Of the prompt.
---@param command string
local function open(bufnr, command)
  local entry = action_state.get_selected_entry()
  if not entry then
    return
  end
  local window = action_state.get_current_picker(bufnr).original_win_id
  actions.close(bufnr)
  pcall(vim.api.nvim_set_current_win, window)
  hits.open(entry.value, COMMANDS[command])
end

---@param chosen hunch.Chosen
local function next_kind(chosen)
  local at = 0
  for index, kind in ipairs(KINDS) do
    if kind == chosen.kind then
      at = index
    end
  end
  chosen.kind = KINDS[at + 1]
end

---@param chosen hunch.Chosen
local function next_scope(chosen)
  chosen.scope = chosen.scope == nil and "everywhere" or nil
end

---@class hunch.Picker
---@field title string
---@field options table What the person gave to the picker.
---@field finder table
---@field sorter table
---@field chosen? hunch.Chosen Absent when the picker has no filters.
---@field again? fun(picker: table) Asks again after a filter changed.

---@param spec hunch.Picker
---@return fun(bufnr: integer, map: fun(modes: string|string[], key: string, action: any)): boolean
local function mappings(spec)
  return function(bufnr, map)
    action_set.edit:replace(open)
    local keys = config.current.keys
    map({ "i", "n" }, keys.refine, actions.to_fuzzy_refine)
    for key, change in pairs(spec.chosen and { [keys.kind] = next_kind, [keys.scope] = next_scope } or {}) do
      map({ "i", "n" }, key, function()
        change(spec.chosen)
        local picker = action_state.get_current_picker(bufnr)
        picker.layout.prompt.border:change_title(title_of(spec.title, spec.chosen))
        spec.again(picker)
      end)
    end
    return true
  end
end

---@param spec hunch.Picker
---@return table
local function show(spec)
  local picker = pickers.new(spec.options, {
    prompt_title = spec.title,
    results_title = "Results",
    finder = spec.finder,
    sorter = spec.sorter,
    previewer = preview.new(),
    attach_mappings = mappings(spec),
    push_cursor_on_edit = true,
  })
  picker:find()
  return picker
end

--- Ask again with the words of the last question, which a refined list has taken out of the prompt.
---@param live table
---@return fun(picker: table)
local function searching_again(live)
  return function(picker)
    if picker.finder == live then
      return picker:refresh()
    end
    local query = live.query
    picker.sorter = sorters.empty()
    picker:refresh(live)
    picker:set_prompt(query)
  end
end

--- Ask again when the index has grown: for an empty list at once, else when the index is complete.
---@param picker table
---@param live table
---@param is_incomplete fun(): boolean Whether the last answer came from an index that was not complete.
local function follow_index(picker, live, is_incomplete)
  vim.api.nvim_create_autocmd("User", {
    pattern = "HunchStatus",
    desc = "Ask again when the index has grown",
    callback = function()
      if not vim.api.nvim_buf_is_valid(picker.prompt_bufnr) then
        return true
      end
      local state = require("hunch.status").current()
      local is_due = picker.manager and picker.manager:num_results() == 0 or state and state.state == "ready"
      if is_due and is_incomplete() and picker.finder == live then
        picker:refresh()
      end
    end,
  })
end

---@param title string
---@param options table
---@param chosen hunch.Chosen?
---@param request fun(query: string, done: hunch.Found, bufnr: integer): fun()
local function show_live(title, options, chosen, request)
  local bufnr = vim.api.nvim_get_current_buf()
  local picker ---@type table
  local incomplete = false
  local live = finder.live({
    request = function(query, done)
      return request(query, done, bufnr)
    end,
    entry = entries.maker(),
    answered = function(problem, state)
      incomplete = state ~= nil and state.state ~= "ready"
      tell(picker, problem, state)
    end,
  })
  picker = show({
    title = title,
    options = options,
    finder = live,
    -- Keeps the server's order, whether or not a word of the query is in the row.
    sorter = sorters.empty(),
    chosen = chosen,
    again = searching_again(live),
  })
  follow_index(picker, live, function()
    return incomplete
  end)
end

---@param title string
---@param fixed hunch.Filter
---@param options table
local function show_search(title, fixed, options)
  local chosen = { fixed = vim.tbl_extend("force", fixed, options.filter or {}) }
  show_live(title, options, chosen, function(query, done, bufnr)
    return ask.search(query, filter_of(chosen), done, bufnr)
  end)
end

--- Search by meaning while typing.
---@param options table Options of Telescope, and `filter`.
function M.search(options)
  show_search("Hunch search", {}, options)
end

--- Search conversations while typing.
---@param options table
function M.conversations(options)
  show_search("Hunch conversations", { kinds = { "conversation" } }, options)
end

--- Find definitions by name and places by meaning while typing.
---@param options table
function M.symbols(options)
  show_live("Hunch symbols", options, nil, ask.symbols)
end

--- Find what is like the code at the cursor or the selection; typing narrows the list.
---@param options table Options of Telescope, `filter`, and `place`: params of `hunch/related`.
function M.related(options)
  local bufnr = vim.api.nvim_get_current_buf()
  local params = options.place or require("hunch.place").here()
  local chosen = { fixed = options.filter or {} }

  ---@param use fun(table: table, state: hunch.State?)
  local function fetch(use)
    ask.related(params, filter_of(chosen), function(problem, found, state)
      if problem then
        return client.report(problem)
      end
      use(finders.new_table({ results = found, entry_maker = entries.maker() }), state)
    end, bufnr)
  end

  fetch(function(list, state)
    local picker = show({
      title = "Hunch related",
      options = options,
      finder = list,
      sorter = values.generic_sorter(options),
      chosen = chosen,
      again = function(picker)
        fetch(function(again)
          picker:refresh(again)
        end)
      end,
    })
    tell(picker, nil, state)
  end)
end

return M
