--- A Telescope finder that follows typing: the newest query wins, and the one before is cancelled.
---
--- It returns at once. Telescope's own dynamic finder waits for an answer before it looks at the
--- prompt again, and waits for ever for a request that was cancelled.

local config = require("hunch.config")

local M = {}

---@class (exact) hunch.Ask How a live finder asks.
---@field request fun(query: string, done: hunch.Found): fun() Starts asking and returns what cancels it.
---@field entry fun(hit: hunch.Hit): table Makes an entry of a hit.
---@field answered fun(problem: hunch.Error?, state: hunch.State?) Told after every answer.

--- Make a finder. Telescope calls it with each prompt, and `close()` when the picker closes.
---@param ask hunch.Ask
---@return table
function M.live(ask)
  local timer = nil ---@type uv.uv_timer_t?
  local newest = 0
  local cancel = function() end

  local function stop()
    newest = newest + 1
    if timer then
      timer:stop()
      timer:close()
      timer = nil
    end
    cancel()
    cancel = function() end
  end

  ---@param query string
  ---@param take fun(entry: table): boolean? Says true once Telescope has a newer prompt.
  ---@param complete fun()
  local function send(query, take, complete)
    local mine = newest
    cancel = ask.request(query, function(problem, hits, state)
      -- An answer may come after it was cancelled; Telescope would show it.
      if mine ~= newest then
        return
      end
      for index, hit in ipairs(hits) do
        local entry = ask.entry(hit)
        entry.index = index
        if take(entry) then
          return
        end
      end
      ask.answered(problem, state)
      complete()
    end)
  end

  local finder = {}

  ---@param query string
  ---@param take fun(entry: table): boolean?
  ---@param complete fun()
  local function find(_, query, take, complete)
    stop()
    finder.query = query
    if vim.trim(query) == "" then
      return complete()
    end
    local mine = newest
    timer = assert(vim.uv.new_timer())
    timer:start(
      config.current.debounce_ms,
      0,
      vim.schedule_wrap(function()
        if mine == newest then
          send(query, take, complete)
        end
      end)
    )
  end

  finder.close = stop
  return setmetatable(finder, { __call = find })
end

return M
