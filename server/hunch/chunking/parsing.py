"""Parsing with a limit on processor time, and finding definitions in the tree."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from hunch.chunking.budget import PARSE_SECONDS
from hunch.chunking.grammars import GRAMMARS, load
from hunch.chunking.shadow import shadow, without_macros

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node, Tree

Match = tuple[int, "dict[str, list[Node]]"]
"""The number of the pattern, and the captured nodes by name."""

_MATCH_LIMIT = 4_096
"""How many matches may be under way at once; more are dropped."""
_MAX_BARE_TOKENS = 10_000
"""How many tokens that are nothing but tokens one error may hold."""
_READ_BYTES = 4_096
"""What the core is given at once; it asks for every node that a predicate looks at, too."""
_OFFSIDE = frozenset({"haskell", "python", "scala"})
"""Languages where indentation opens blocks. Their scanners write past a buffer of 1,024 bytes."""
_MAX_INDENTS = 100
_INDENT = re.compile(rb"^([ \t]*)\S", re.MULTILINE)


class ParseError(Exception):
    """The text has to be cut without its syntax; the message is a clause that says why."""


def parse(language: str, text: str) -> tuple[Tree, list[Match]]:
    """Parse a text and find its definitions.

    Offsets in the tree are offsets of characters in `text`.

    Raises:
        ParseError: the grammar cannot be loaded or takes too long.
    """
    # Imported here because loading the core costs time that prose and plain text never need.
    from tree_sitter import Parser, QueryCursor  # noqa: PLC0415

    try:
        grammar, query = load(language)
    except (ImportError, AttributeError, ValueError, OSError) as error:
        reason = f"the {language} grammar cannot be loaded ({type(error).__name__})"
        raise ParseError(reason) from error
    source = shadow(text)
    if language in _OFFSIDE and _is_too_deep(source):
        raise ParseError("it is indented too deeply")
    if language in {"c", "cpp"}:
        source = without_macros(source)
    is_late = _deadline(len(source))
    try:
        tree = Parser(grammar).parse(
            lambda offset, _point: source[offset : offset + _READ_BYTES],
            progress_callback=lambda _offset, _has_error: is_late(),
        )
    except ValueError as error:  # how the parser reports that its callback stopped it
        raise ParseError(f"the {language} grammar takes too long") from error
    if _is_rubble(tree.root_node):
        raise ParseError(f"the {language} grammar makes nothing of it")
    # No callback here: the core crashes on one. Our patterns have no repetition, so the cursor
    # needs time in proportion to the text.
    cursor = QueryCursor(query, match_limit=_MATCH_LIMIT)
    cursor.set_max_start_depth(GRAMMARS[language].max_depth)
    return tree, cursor.matches(tree.root_node)


def _is_too_deep(source: bytes) -> bool:
    """Tell whether blocks stand in blocks so deep that the grammar's scanner would crash."""
    indents = list[int]()
    for match in _INDENT.finditer(source):
        indent = len(match[1])
        while indents and indents[-1] >= indent:
            indents.pop()
        indents.append(indent)
        if len(indents) > _MAX_INDENTS:
            return True
    return False


def _is_rubble(root: Node) -> bool:
    """Tell whether some error holds so many bare tokens that a query would take for ever.

    At each token the cursor looks for the next node that is not one: quadratic time.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error and node.child_count - node.named_child_count > _MAX_BARE_TOKENS:
            return True
        stack += [child for child in node.children if child.has_error]
    return False


def _deadline(size: int) -> Callable[[], bool]:
    # The thread's processor time: a busy machine must not change where a file is cut.
    end = time.thread_time() + PARSE_SECONDS * max(1, size / 1_000_000)
    return lambda: time.thread_time() > end
