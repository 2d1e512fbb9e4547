"""`hunch serve`."""

from __future__ import annotations

import click


@click.command(
    "serve", epilog="Exit codes: 0 the client ended it, 1 the connection broke, 2 wrong usage."
)
@click.option("--tcp", metavar="HOST:PORT", help="Listen there for one client, for debugging.")
@click.option("--websocket", metavar="HOST:PORT", help="The same over a web socket.")
def command(tcp: str | None, websocket: str | None) -> int:
    """Run the language server.

    Editors start it; it speaks the Language Server Protocol over stdin and stdout.

    \b
    Examples:
      hunch serve
      hunch serve --tcp 127.0.0.1:2087
    """  # noqa: D301 - click wants its own \b
    if tcp and websocket:
        raise click.UsageError("--tcp and --websocket exclude each other.")
    # The editor side has its own libraries.
    from hunch.lsp.main import serve  # noqa: PLC0415

    return serve(tcp=tcp, websocket=websocket)
