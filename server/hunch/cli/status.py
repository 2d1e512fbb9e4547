"""`hunch status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text

from hunch.cli import json_output, options, session
from hunch.cli.output import age, plural, print_json, short_home, size, stdout, visible

if TYPE_CHECKING:
    from rich.console import Console

    from hunch.model import EmbedderState, IndexState, SourceState


@click.command("status", epilog="Exit codes: 0 all is well, 3 failure.")
@options.json_option
def command(*, as_json: bool) -> int:
    """Show what is indexed, and with which embedder.

    Looks for no changes, and may be called while another process indexes.

    \b
    Examples:
      hunch status
      hunch status --json | jq .counts
    """  # noqa: D301 - click wants its own \b
    state = session.run(_state())
    if as_json:
        print_json(json_output.index_state(state))
    else:
        _show(stdout(), state)
    return 3 if state.state == "failed" else 0


async def _state() -> IndexState:
    async with session.opened() as app:
        await session.open_known(app)
        await app.try_embedder()
        return await app.index.state()


def _show(console: Console, state: IndexState) -> None:
    _row(console, "Index", f"{short_home(state.database)} ({size(state.database_bytes)})")
    _row(console, "Embedder", _embedder(state.embedder))
    if state.embedder.message:
        _row(console, "", state.embedder.message)
    counts = state.counts
    _row(console, "Files", f"{counts.documents:,}{_left_out(state)}")
    pending = f", {counts.pending:,} of them without a vector yet" if counts.pending else ""
    _row(console, "Chunks", f"{counts.chunks:,}{pending}")
    _row(console, "Sources", "" if state.sources else "none; hunch search or hunch index adds one")
    for source in state.sources:
        console.print(_source(source))


def _row(console: Console, name: str, text: str) -> None:
    console.print(Text.assemble((f"{name:<10}", "bold"), visible(text)))


def _embedder(embedder: EmbedderState) -> str:
    if not embedder.dimensions:
        return " ".join(part for part in (embedder.provider, embedder.model) if part)
    return f"{embedder.provider} {embedder.model}, {embedder.dimensions} dimensions"


def _left_out(state: IndexState) -> str:
    counts = state.counts
    parts = [
        f"{count:,} {name}"
        for count, name in (
            (counts.skipped, "skipped"),
            (counts.failed, "failed"),
            (counts.not_understood, "not understood"),
        )
        if count
    ]
    return f" ({', '.join(parts)}; see hunch problems)" if parts else ""


def _source(state: SourceState) -> Text:
    source = state.source
    parts = [
        plural(state.documents, "file"),
        plural(state.chunks, "chunk"),
        age(state.last_indexed),
    ]
    if source.kind == "conversations":
        parts[0] = (
            f"{plural(state.conversations, 'conversation')}, {plural(state.documents, 'turn')}"
        )
        return Text.assemble("  ", (visible(source.label), "cyan"), f"  {', '.join(parts)}")
    if not source.root.exists():
        parts.append("the folder is gone; hunch forget removes its index")
    return Text.assemble("  ", (visible(short_home(source.root)), "cyan"), f"  {', '.join(parts)}")
