"""Names of the requests, notifications and commands that Hunch adds to LSP."""

from __future__ import annotations

VERSION = 1
"""Raised only when the meaning of something that exists changes; additions are free."""

SEARCH = "hunch/search"
RELATED = "hunch/related"
STATUS = "hunch/status"
REINDEX = "hunch/reindex"
PROBLEMS = "hunch/problems"
CONTENT = "hunch/content"
PAUSE = "hunch/pause"
RESUME = "hunch/resume"

REQUESTS = (SEARCH, RELATED, STATUS, REINDEX, PROBLEMS, CONTENT, PAUSE, RESUME)
"""What a client may send, as announced in `capabilities.experimental.hunch.methods`."""

DID_CHANGE_STATUS = "hunch/didChangeStatus"
"""What the server sends by itself whenever its state has changed."""

COMMAND_SEARCH = "hunch.search"
COMMAND_SHOW_RELATED = "hunch.showRelated"
COMMAND_STATUS = "hunch.status"
COMMAND_REINDEX = "hunch.reindex"
COMMAND_PAUSE = "hunch.pause"
COMMAND_RESUME = "hunch.resume"

CODE_ACTION_KIND = "hunch.related"
"""The kind of the one code action that Hunch offers."""

SETTINGS_SECTION = "hunch"
"""The section of `workspace/configuration` that Hunch reads."""
