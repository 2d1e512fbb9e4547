--- What the servers last said about their index. Reading it never asks a server.

local M = {}

---@class hunch.State What the server calls an IndexState; see its protocol for the fields.
---@field state string
---@field message string
---@field progress? { done: integer, total: integer, etaSeconds: number?, current: string }
---@field embedder { provider: string, model: string, available: boolean, message: string }
---@field counts table<string, integer>
---@field sources { label: string, kind: string, documents: integer, chunks: integer, conversations: integer? }[]
---@field database { path: string, bytes: integer }
---@field writer string

---@type table<integer, hunch.State>
local states = {}

local marks = { starting = " …", ready = "", paused = " paused", degraded = " !", failed = " failed" }

--- Remember what a server said, or forget it when it is gone, and let status lines be drawn anew.
---@param client_id integer
---@param state hunch.State?
function M.changed(client_id, state)
  states[client_id] = state
  vim.api.nvim_exec_autocmds("User", { pattern = "HunchStatus", modeline = false })
  vim.cmd.redrawstatus({ bang = true })
end

--- The state of the server of the current buffer, else of any.
---@return hunch.State?
function M.current()
  local attached = vim.lsp.get_clients({ name = "hunch", bufnr = 0 })[1]
  local _, any = next(states)
  return attached and states[attached.id] or any
end

--- A few characters for a status line: `hunch`, `hunch 40%`, `hunch paused`; empty without a server.
---@return string
function M.line()
  local state = M.current()
  if not state then
    return ""
  end
  local progress = state.progress
  if state.state == "indexing" and progress and progress.total > 0 then
    -- Two percent signs, because a status line reads one as the start of an item.
    return ("hunch %d%%%%"):format(math.floor(100 * progress.done / progress.total))
  end
  return "hunch" .. (marks[state.state] or " …")
end

---@param state hunch.State
---@return string
local function headline(state)
  local progress = state.progress
  local done = progress and (" %d of %d"):format(progress.done, progress.total) or ""
  return state.state .. done .. (state.message ~= "" and " — " .. state.message or "")
end

--- A state as a person reads it.
---@param state hunch.State
---@return string[]
function M.describe(state)
  local counts, embedder = state.counts, state.embedder
  local lines = {
    headline(state),
    ("embedder: %s %s%s"):format(
      embedder.provider,
      embedder.model,
      embedder.message ~= "" and " — " .. embedder.message or ""
    ),
    ("index: %d documents, %d chunks, %d waiting to be embedded; kept by %s"):format(
      counts.documents,
      counts.chunks,
      counts.pending,
      state.writer
    ),
    ("left out: %d skipped, %d failed, %d not understood (:Hunch problems)"):format(
      counts.skipped,
      counts.failed,
      counts.notUnderstood
    ),
  }
  for _, source in ipairs(state.sources) do
    local unit = source.kind == "conversations" and "turn" or "document"
    local plural = source.documents == 1 and "" or "s"
    lines[#lines + 1] = ("%s: %d %s%s"):format(source.label, source.documents, unit, plural)
  end
  return lines
end

return M
