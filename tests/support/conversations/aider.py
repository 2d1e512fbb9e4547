"""Histories as Aider writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOLD = [
    (
        "Atom or RSS?\nWith full HTML — ünïcode 日本.",
        "Atom.\n\nfeed.py\n```python\n<<<<<<< SEARCH\nrss\n=======\natom\n>>>>>>> REPLACE\n```",
    ),
    ("Where do drafts go?", "# Drafts\n\nOutside.\n\nNo filter then."),
    ("Cache the pages?", ""),
]

TEXT = """
# aider chat started at 2026-04-18 09:12:44

> HIDDEN Aider v0.86.2  
> Model: HIDDEN  
HIDDEN second line of what a tool printed

#### /add feed.py  

> Added HIDDEN to the chat.  
HIDDEN after a command

#### Atom or RSS?  
#### With full HTML — ünïcode 日本.  

Atom.

feed.py
```python
<<<<<<< SEARCH
rss
=======
atom
>>>>>>> REPLACE
```

> Tokens: HIDDEN  

#### Where do drafts go?  

# Drafts

Outside.

> HIDDEN quotation

No filter then.

> Tokens: HIDDEN  

#### <blank>  

#### /exit  

# aider chat started at 2026-04-19 18:40:02

> HIDDEN Aider v0.86.2  

#### Cache the pages?  
"""  # noqa: W291 -- the program ends its lines so


def steps(home: Path) -> Iterator[None]:
    """Write the history line by line, at first half of each line."""
    path = home / ".aider.chat.history.md"
    written = b""
    for line in TEXT.encode().splitlines(keepends=True):
        path.write_bytes(written + line[: len(line) // 2])
        yield
        written += line
        path.write_bytes(written)
        yield
