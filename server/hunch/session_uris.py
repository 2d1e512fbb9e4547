"""The URIs under which conversations are opened: `hunch-session:/claude-code/2f0c….md`.

They end in `.md` so that editors take what they open for the Markdown that it is.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

SCHEME = "hunch-session"
_END = ".md"


def to_uri(agent: str, name: str) -> str:
    """Return the URI of an agent's conversation by the agent's own id of it."""
    return f"{SCHEME}:/{quote(agent, safe='')}/{quote(name, safe='')}{_END}"


def from_uri(uri: str) -> tuple[str, str] | None:
    """Return agent and conversation that a URI names; None when it names none.

    Editors may write the same URI with an empty authority, and encode more or less in it.
    """
    scheme, _, path = uri.partition(":")
    parts = path.lstrip("/").split("/")
    if scheme != SCHEME or len(parts) != 2 or not parts[1].endswith(_END):
        return None
    agent, name = unquote(parts[0]), unquote(parts[1].removesuffix(_END))
    return (agent, name) if agent and name else None
