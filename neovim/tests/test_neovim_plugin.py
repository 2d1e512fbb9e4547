"""The plugin as a piece of software: start, options, help, health, status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from editor import PLUGIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from editor import Editor


def test_starting_loads_nothing(open_editor: Callable[..., Editor]) -> None:
    """Before it is used, the plugin is a command, maps and an autocommand."""
    editor = open_editor(setup="nil")
    loaded = editor.lua("""
      for name in pairs(package.loaded) do
        if name:find('^hunch') then package.loaded[name] = nil end
      end
      vim.g.loaded_hunch = nil
      vim.cmd.runtime('plugin/hunch.lua')
      return vim.tbl_filter(function(name) return name:find('^hunch') end, vim.tbl_keys(package.loaded))
    """)
    assert loaded == []
    assert editor.nvim.funcs.exists(":Hunch") == 2
    for name in ("search", "related", "conversations", "symbols"):
        assert editor.nvim.funcs.maparg(f"<Plug>(hunch-{name})", "n")
    assert editor.nvim.funcs.maparg("<Plug>(hunch-related)", "x")


def test_an_old_neovim_is_told_what_is_needed(open_editor: Callable[..., Editor]) -> None:
    """Below 0.11.3 there is a sentence and no command."""
    editor = open_editor()
    editor.lua("""
      vim.api.nvim_del_user_command('Hunch')
      vim.g.loaded_hunch = nil
      local has = vim.fn.has
      vim.fn.has = function(name) return name:find('^nvim%-0') and 0 or has(name) end
      vim.cmd.runtime('plugin/hunch.lua')
      vim.fn.has = has
    """)
    assert editor.messages() == "Hunch needs Neovim 0.11.3 or newer; this one is older."
    assert editor.nvim.funcs.exists(":Hunch") == 0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("{ limit = 0 }", "hunch: limit: expected a whole number from 1 to 200, got 0"),
        ("{ debounce_ms = 'fast' }", "hunch: debounce_ms: expected a whole number, 0 or more"),
        ("{ icons = { code = 1 } }", "hunch: icons.code: expected string, got number"),
        ("{ keys = 'vim' }", "hunch: keys: expected table, got string"),
        ("3", "options: expected table, got number"),
    ],
)
def test_a_wrong_option_is_named(editor: Editor, options: str, error: str) -> None:
    """`setup()` says which option is wrong and what it may be."""
    told = editor.lua(f"return select(2, pcall(require('hunch').setup, {options}))")
    assert error in told


def test_unknown_options_are_warned_of(editor: Editor) -> None:
    """A name that nobody knows is said once, and the rest holds."""
    editor.lua("require('hunch').setup({ limits = 5, keys = { find = 'x' }, limit = 7 })")
    editor.complains("Hunch does not know the option keys.find, limits.")
    assert editor.lua("return require('hunch.config').current.limit") == 7
    editor.lua("require('hunch').setup({ settings = { embedder = 'builtin' } })")


def test_the_status_line_is_what_was_last_heard(editor: Editor) -> None:
    """It shows state and progress, and asking for it sends nothing."""
    editor.ready()
    assert editor.lua("return require('hunch').statusline()") == "hunch"
    shown = editor.lua("""
      local status, shown = require('hunch.status'), {}
      local now = status.current()
      local id = vim.lsp.get_clients()[1].id
      local function with(changes)
        status.changed(id, vim.tbl_extend('force', now, changes))
        shown[#shown + 1] = vim.api.nvim_eval_statusline("%{%v:lua.require'hunch'.statusline()%}", {}).str
      end
      with({ state = 'indexing', progress = { done = 2, total = 5, current = '' } })
      with({ state = 'paused' })
      with({ state = 'degraded' })
      status.changed(id, now)
      return shown
    """)
    assert shown == ["hunch 40%", "hunch paused", "hunch !"]
    assert editor.wire("client") == []


def test_help_is_there(editor: Editor) -> None:
    """Every tag leads to its place, and `:help hunch` to the top."""
    editor.lua("vim.cmd.helptags(...)", str(PLUGIN / "doc"))
    editor.nvim.command("help hunch")
    assert editor.place()[0].endswith("doc/hunch.txt")
    for tag in (":Hunch", "hunch.setup()", "telescope-hunch", "hunch-statusline"):
        editor.nvim.command(f"help {tag}")
        assert f"*{tag}*" in editor.nvim.current.line


def test_health_tells_what_is_there(editor: Editor) -> None:
    """`:checkhealth hunch` reports on the editor, the server and the index, all well."""
    editor.nvim.command("checkhealth hunch")
    editor.until("vim.bo.filetype == 'checkhealth'")
    report = "\n".join(editor.nvim.current.buffer[:])
    for words in ("Telescope is there", "Running for", "embedder: builtin", "Log: "):
        assert words in report
    assert "ERROR" not in report


def test_a_conversation_that_is_gone_says_so(editor: Editor) -> None:
    """A name that leads nowhere opens a buffer with a sentence."""
    editor.nvim.command("edit hunch-session:/codex/none.md")
    [line] = editor.nvim.current.buffer[:]
    assert line.startswith("Hunch cannot show this conversation: ")
