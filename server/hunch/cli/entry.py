"""Where `hunch` starts, and where every way to end becomes an exit code."""

from __future__ import annotations

import logging
import os
import sys
from enum import IntEnum
from io import TextIOWrapper
from typing import NoReturn

import click

from hunch.cli.commands import hunch
from hunch.errors import HunchError, InvalidQuery, InvalidSetting, RefusedFolder


class ExitCode(IntEnum):
    """What scripts are told."""

    OK = 0
    NONE = 1
    """Nothing was found."""
    USAGE = 2
    FAILURE = 3
    INTERRUPTED = 130
    """As shells report a program that Ctrl-C ended."""


def main() -> NoReturn:
    """Run the command that the arguments name, and exit with its code."""
    _tolerate_any_name()
    _keep_blas_to_one_thread()
    debug = bool(os.environ.get("HUNCH_DEBUG"))
    _set_up_logging(debug=debug)
    sys.exit(_run(debug=debug))


def _run(*, debug: bool) -> int:
    try:
        return hunch.main(prog_name="hunch", standalone_mode=False) or ExitCode.OK
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        _say("Stopped. Nothing is lost: the next run goes on from here.")
        return ExitCode.INTERRUPTED
    except (RefusedFolder, InvalidQuery, InvalidSetting) as error:
        _say(f"Error: {error}")
        return ExitCode.USAGE
    except HunchError as error:
        _say(f"Error: {error}")
        return ExitCode.FAILURE
    except Exception as error:
        if debug:
            raise
        _say(
            f"Error: Hunch failed unexpectedly ({type(error).__name__});"
            " set HUNCH_DEBUG=1 for a traceback."
        )
        return ExitCode.FAILURE


def _say(sentence: str) -> None:
    click.echo(sentence, err=True)


def _tolerate_any_name() -> None:
    """Let a character that the stream cannot write, as in undecodable file names, be escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _keep_blas_to_one_thread() -> None:
    """Let NumPy's products run where they are called: ours are small, and waiting threads spin."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _set_up_logging(*, debug: bool) -> None:
    # What people need to know they are told by the commands; logs are for those who ask.
    if debug:
        logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    else:
        logging.getLogger("hunch").addHandler(logging.NullHandler())
