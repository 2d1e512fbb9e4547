"""`hunch doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text

from hunch.cli import options, session
from hunch.cli.output import print_json, stdout, visible

if TYPE_CHECKING:
    from hunch.cli.checks import Check

_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


@click.command("doctor", epilog="Exit codes: 0 nothing failed, 3 something did.")
@options.json_option
def command(*, as_json: bool) -> int:
    """Check that everything Hunch needs is there and works.

    Each line says ok, warn or fail, and what to do. Nothing is changed or indexed; only the database
    is made if there is none. Checking a large database takes a moment.

    \b
    Examples:
      hunch doctor
    """  # noqa: D301 - click wants its own \b
    # The checks import everything there is to check.
    from hunch.cli.checks import run_checks  # noqa: PLC0415

    checks = session.run(run_checks())
    failed = any(check.verdict == "fail" for check in checks)
    if as_json:
        print_json({"ok": not failed, "checks": [_to_json(check) for check in checks]})
    else:
        _show(checks)
    return 3 if failed else 0


def _to_json(check: Check) -> dict[str, str]:
    return {
        "name": check.name,
        "verdict": check.verdict,
        "message": check.message,
        "advice": check.advice,
    }


def _show(checks: list[Check]) -> None:
    console = stdout()
    for check in checks:
        line = Text.assemble((f"{check.verdict:<5}", _STYLES[check.verdict]), f"{check.name}: ")
        console.print(line.append(visible(check.message)))
        if check.advice:
            console.print(Text(f"     → {visible(check.advice)}"))
