"""`:Hunch`, which needs no Telescope."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from editor import Editor

SUBCOMMANDS = (
    ["conversations", "log", "pause", "problems", "reindex", "related", "resume", "search", "status"]
)  # fmt: skip


def test_completion_names_the_subcommands(editor: Editor) -> None:
    """The first word is completed, what follows is free."""
    complete = editor.nvim.funcs.getcompletion
    assert complete("Hunch ", "cmdline") == SUBCOMMANDS
    assert complete("Hunch! re", "cmdline") == ["reindex", "related", "resume"]
    assert complete("Hunch search re", "cmdline") == []


def test_a_search_without_telescope_is_chosen_from_a_list(
    open_editor: Callable[..., Editor],
) -> None:
    """Neovim's own list shows aligned columns, and the number that is typed opens the hit."""
    editor = open_editor(telescope=False)
    editor.run("Hunch search verify a password")
    editor.sees("1: {} verifyPassword", "web/login.ts:")
    editor.keys("1<CR>")
    editor.until("vim.fn.expand('%:t') == 'login.ts'")


def test_without_words_the_query_is_asked_for(editor: Editor) -> None:
    """The plain command and the map ask, and a blank answer does nothing."""
    editor.run("Hunch search")
    editor.sees("Search by meaning:")
    editor.keys("<CR>")
    editor.run("Hunch! search")
    editor.sees("Search by meaning:")
    editor.keys("cold storage<CR>")
    editor.until("vim.bo.buftype == 'quickfix'")
    assert editor.lua("return vim.fn.getqflist({ title = 0 }).title") == "Hunch: cold storage"
    assert len(editor.requests("hunch/search")) == 1


def test_conversations_are_searched_alone(editor: Editor) -> None:
    """`:Hunch! conversations` lists turns, which open as Markdown."""
    editor.run("Hunch! conversations pomegranate jitter")
    editor.until("vim.bo.buftype == 'quickfix'")
    editor.keys("<CR>")
    editor.until("vim.bo.filetype == 'markdown'")
    assert "hunch-session:" in editor.place()[0]


@pytest.mark.parametrize(
    ("command", "method", "words"),
    [
        ("status", "hunch/status", "Hunch: ready"),
        ("pause", "hunch/pause", "Hunch: paused"),
        ("resume", "hunch/resume", "embedder: builtin"),
        ("reindex", "hunch/reindex", "looks at the open folders again"),
    ],
)
def test_the_index_is_told_about_and_steered(
    editor: Editor, command: str, method: str, words: str
) -> None:
    """Each says in a message what came of it."""
    editor.run("Hunch resume")
    editor.ready()
    editor.run(f"Hunch {command}")
    editor.wait(lambda: editor.requests(method), "it is asked for")
    editor.wait(lambda: words in editor.messages(), words)
    editor.run("Hunch resume")
    editor.ready()


def test_problems_are_listed(editor: Editor) -> None:
    """Files that were left out are in the quickfix list, with reasons."""
    editor.run("Hunch problems")
    editor.until("vim.bo.buftype == 'quickfix'")
    [entry] = editor.lua("return vim.fn.getqflist()")
    assert entry["text"].startswith("skipped: ")
    assert editor.lua("return vim.fn.bufname(...)", entry["bufnr"]).endswith("src/huge.py")


def test_the_log_is_opened(editor: Editor) -> None:
    """`:Hunch log` shows the file that Neovim writes for language servers."""
    editor.run("Hunch log")
    editor.until("vim.fn.expand('%:t') == 'lsp.log'")


def test_an_unknown_subcommand_names_the_known(editor: Editor) -> None:
    """A typing error is answered with a sentence."""
    editor.run("Hunch serach")
    editor.complains("there is no :Hunch serach; there are conversations, log,")


def test_no_null_reaches_lua(editor: Editor) -> None:
    """What the server does not know is left out of every answer that is an object or a list."""
    editor.run("Hunch! search retry")
    editor.until("vim.bo.buftype == 'quickfix'")
    for command in ("Hunch! conversations jitter", "Hunch status", "Hunch problems"):
        editor.run(command)
    editor.wait(lambda: editor.requests("hunch/problems"), "problems are asked for")
    editor.answer(editor.requests("hunch/problems")[-1]["id"])
    answers = [m for m in editor.wire("server") if "result" in m]
    assert len(answers) >= 4
    assert not [m for m in answers if has_null(m["result"])]


def has_null(value: object) -> bool:
    """Say whether there is a null anywhere in a value."""
    if isinstance(value, dict):
        return any(map(has_null, value.values()))
    return any(map(has_null, value)) if isinstance(value, list) else value is None
