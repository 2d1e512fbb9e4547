"""The command `hunch` itself, which knows its subcommands without importing them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

import click

from hunch import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMANDS = {
    "search": "Find code, notes and text by meaning.",
    "related": "Find code like the code at a place.",
    "index": "Bring the index of folders up to date.",
    "show": "Print a conversation with an agent as Markdown.",
    "sources": "List the agents whose conversations were found.",
    "status": "Show what is indexed, and with which embedder.",
    "problems": "List files that are not, or not wholly, in the index.",
    "forget": "Delete the index of a folder.",
    "doctor": "Check that everything Hunch needs is there and works.",
    "serve": "Run the language server.",
}
"""Each command with the first line of its help. The module `hunch.cli.NAME` holds `command`."""

_HELP = """Find code and notes by meaning, on your own machine.

Ask a question in plain words; Hunch indexes the folder, which takes a moment the first time, and
shows the places that answer it. Nothing leaves the machine.

\b
Examples:
  hunch search "where are failed requests retried"
  hunch search "parse the config file" path/to/repo
  hunch related src/client.py:120
  hunch doctor
"""
_EPILOG = """\b
Exit codes:
  0  found, or all is well     2  wrong usage
  1  nothing found             3  failure
\b
Environment:
  HUNCH_DB     path of the index database
  OLLAMA_HOST  where Ollama listens, as Ollama reads it
  NO_COLOR     no colours
  HUNCH_DEBUG  logs and tracebacks
"""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def __init__(self, *, lazy: Mapping[str, str], **attributes: object) -> None:
        super().__init__(**attributes)  # pyright: ignore[reportArgumentType] - passed on as they are
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Name the commands in the order in which a newcomer meets them."""
        return [*self._lazy]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import a command."""
        if cmd_name not in self._lazy:
            return None
        module = importlib.import_module(f"hunch.cli.{cmd_name}")
        return cast("click.Command", module.command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """List the commands from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([*self._lazy.items()])


hunch = click.version_option(__version__, prog_name="hunch")(
    LazyGroup(
        name="hunch",
        lazy=COMMANDS,
        help=_HELP,
        epilog=_EPILOG,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
)
"""The whole command line."""
