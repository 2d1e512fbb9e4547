"""What happens with the server: late answers, cancelled requests, a server that is missing or dies."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from support.stub_ollama import StubOllama

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from editor import Editor

CANCELLED = -32800


def test_a_late_answer_is_dropped(open_editor: Callable[..., Editor]) -> None:
    """An answer that comes although it was cancelled does not take the place of the newest."""
    editor = open_editor()
    # While the folder is still looked at, the picker asks again by itself.
    editor.run("Hunch status")
    editor.ready()
    editor.picker("search")
    editor.keys("held retry")
    editor.wait(lambda: editor.requests("hunch/search"), "it is asked for")
    [held] = editor.requests("hunch/search")
    editor.keys("<BS>" * 10 + "cold storage")
    newest = editor.found("cold storage")
    assert {"id": held["id"]} in [m["params"] for m in editor.requests("$/cancelRequest")]
    (editor.folder / "release").touch()
    assert editor.answer(held["id"])["result"]["hits"]
    editor.lua("return vim.wait(100)")
    assert editor.rows() == newest


def test_the_server_stops_what_nobody_waits_for(
    open_editor: Callable[..., Editor], env: dict[str, str], project: Path, tmp_path: Path
) -> None:
    """A newer query, and closing the picker, cancel the search before; the server says so."""
    with StubOllama() as ollama:
        environment = env | {"HUNCH_DB": str(tmp_path / "index.db")}
        setup = f"{{ settings = {{ embedder = 'ollama', ollama = {{ url = '{ollama.url}' }} }} }}"
        editor = open_editor(env=environment, setup=setup)
        editor.run("Hunch status")
        editor.ready()
        ollama.gate.clear()
        editor.picker("search")
        editor.keys("first question")
        editor.wait(lambda: editor.requests("hunch/search"), "it is asked for")
        editor.wait(lambda: ["search_query: first question"] in ollama.batches, "it is embedded")
        editor.keys(" and second")
        editor.wait(lambda: len(editor.requests("hunch/search")) > 1, "the second is asked for")
        first, *_, second = editor.requests("hunch/search")
        assert editor.answer(first["id"])["error"]["code"] == CANCELLED
        editor.keys("<C-c>")
        assert editor.answer(second["id"])["error"]["code"] == CANCELLED
        ollama.gate.set()
        editor.picker("search")
        editor.keys("cold storage")
        assert editor.found("cold storage")


def test_a_missing_server_is_a_sentence(open_editor: Callable[..., Editor]) -> None:
    """Without the program, opening files is quiet, and each way to search says what is wrong."""
    editor = open_editor(command=["/nowhere/hunch", "serve"], files=("src/cache.py",))
    assert editor.messages() == ""
    editor.run("Hunch search retry")
    editor.complains("/nowhere/hunch is not installed, or not on the PATH; see :checkhealth hunch.")
    editor.picker("search")
    editor.keys("retry")
    editor.complains("/nowhere/hunch is not installed")
    editor.keys("<C-c>")
    editor.run("checkhealth hunch")
    editor.sees("ERROR", "/nowhere/hunch is not on the PATH")


def test_a_server_that_ends_at_once_is_a_sentence(open_editor: Callable[..., Editor]) -> None:
    """A program that is not a server is told of, with where to look."""
    editor = open_editor(command=["false", "serve"])
    editor.run("Hunch status")
    editor.complains("see :Hunch log")
    # Neovim has its own word on it, at its own time.
    editor.forgive()


def test_a_killed_server_is_started_again(
    open_editor: Callable[..., Editor], project: Path
) -> None:
    """Who waits is told; the next question starts a server, which sees unsaved text again."""
    editor = open_editor(files=("src/cache.py",))
    editor.until("#vim.lsp.get_clients({ bufnr = 0 }) > 0")
    editor.ready()
    editor.nvim.current.buffer.append(["# jackfruit"])
    editor.run("Hunch search held")
    editor.wait(lambda: editor.requests("hunch/search"), "it is asked for")
    os.kill(int((editor.folder / "server.pid").read_text()), signal.SIGKILL)
    editor.complains("the server has ended; asking again starts it.")
    editor.until("#vim.lsp.get_clients() == 0")
    assert editor.lua("return require('hunch').statusline()") == ""
    editor.run("Hunch! search jackfruit")
    editor.until("vim.bo.buftype == 'quickfix'")
    [first, *_] = editor.requests("textDocument/didOpen")[-1:]
    assert "# jackfruit" in first["params"]["textDocument"]["text"]
    # Neovim itself has said, as an error, that a client has quit.
    editor.forgive()


def test_an_old_server_is_told_to_be_updated(editor: Editor) -> None:
    """A request that the server does not announce is not sent."""
    editor.lua("""
      local announced = vim.lsp.get_clients()[1].server_capabilities.experimental.hunch
      vim.g.announced = announced.methods
      announced.methods = {}
    """)
    editor.run("Hunch problems")
    editor.complains("this server is too old for hunch/problems; update hunch.")
    editor.lua(
        "vim.lsp.get_clients()[1].server_capabilities.experimental.hunch.methods = vim.g.announced"
    )
    assert not editor.requests("hunch/problems")


def test_a_first_search_fills_while_the_folder_is_indexed(
    open_editor: Callable[..., Editor], env: dict[str, str], tmp_path: Path
) -> None:
    """Typing into an empty index shows hits as soon as there are any, without another key."""
    editor = open_editor(env=env | {"HUNCH_DB": str(tmp_path / "index.db")})
    editor.picker("search")
    editor.keys("verify a password")
    editor.sees("verifyPassword", "web/login.ts:")
    editor.ready()
    editor.wait(lambda: editor.rows()[0]["detail"] == "web/login.ts", "the best is on top")
