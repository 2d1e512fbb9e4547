"""The command line: a door to the engine for people and scripts.

Every command is a module of its own that is imported when it is called, so that `hunch --help`
does not wait for what one command needs.
"""

from hunch.cli.entry import main

__all__ = ["main"]
