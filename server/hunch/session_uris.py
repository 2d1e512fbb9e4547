"""The URIs under which conversations are opened: `hunch-session:/claude-code/2f0c….md`.

They end in `.md` so that editors take what they open for the Markdown that it is. Where a conversation
has a title, that is the last part, since editors call a tab by it: `hunch-session:/zed/5/Retries.md`.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

SCHEME = "hunch-session"
_END = ".md"
_TITLE_CHARS = 60


def to_uri(agent: str, name: str, title: str = "") -> str:
    """Return the URI of an agent's conversation by the agent's own id of it.

    Args:
        agent: whose conversation.
        name: the agent's id of it.
        title: of the conversation; only its beginning is used, and nothing is found by it.
    """
    # A slash would part the title, encoded or not: editors decode what they show.
    shown = " ".join(title.replace("/", " ").replace("\\", " ").split())[:_TITLE_CHARS]
    parts = [agent, name, shown] if shown else [agent, name]
    return f"{SCHEME}:/{'/'.join(quote(part, safe='') for part in parts)}{_END}"


def from_uri(uri: str) -> tuple[str, str] | None:
    """Return agent and conversation that a URI names; None when it names none.

    Editors may write the same URI with an empty authority, and encode more or less in it.
    """
    scheme, _, path = uri.partition(":")
    parts = path.lstrip("/").split("/")
    if scheme != SCHEME or len(parts) not in (2, 3) or not parts[-1].endswith(_END):
        return None
    agent, name = unquote(parts[0]), unquote(parts[1])
    if len(parts) == 2:
        name = name.removesuffix(_END)
    return (agent, name) if agent and name else None
