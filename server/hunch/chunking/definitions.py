"""From matches of a query to the outline of a document.

The queries in `queries/` speak a small language of captures. `@name` is the name; the capture
around it says what is defined (`@class`, `@function`, …), or `@inside` where a type is only
continued, such as an `impl` block, or `@block` where something is named but not defined, such as a
test case; `@scope` is a qualifier that stands elsewhere, such as a
receiver's type. `@doc` (comments) and `@lead` (decorators, attributes) belong to what follows on
the next line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hunch.chunking.budget import MAX_DEPTH, TINY_INK
from hunch.chunking.names import scopes, split_name
from hunch.chunking.outline import Part, nest
from hunch.model import Definition, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from hunch.chunking.grammars import Grammar
    from hunch.chunking.lines import Lines
    from hunch.chunking.parsing import Match

_KINDS = {
    "block": SymbolKind.FILE,
    "class": SymbolKind.CLASS,
    "constant": SymbolKind.CONSTANT,
    "constructor": SymbolKind.CONSTRUCTOR,
    "enum": SymbolKind.ENUM,
    "event": SymbolKind.EVENT,
    "field": SymbolKind.FIELD,
    "function": SymbolKind.FUNCTION,
    "inside": None,
    "interface": SymbolKind.INTERFACE,
    "key": SymbolKind.KEY,
    "member": SymbolKind.ENUM_MEMBER,
    "method": SymbolKind.METHOD,
    "module": SymbolKind.MODULE,
    "namespace": SymbolKind.NAMESPACE,
    "operator": SymbolKind.OPERATOR,
    "package": SymbolKind.PACKAGE,
    "property": SymbolKind.PROPERTY,
    "struct": SymbolKind.STRUCT,
    "type": SymbolKind.CLASS,
    "variable": SymbolKind.VARIABLE,
}
_SMALL = frozenset(
    {
        SymbolKind.CONSTANT,
        SymbolKind.ENUM_MEMBER,
        SymbolKind.EVENT,
        SymbolKind.FIELD,
        SymbolKind.KEY,
        SymbolKind.PROPERTY,
        SymbolKind.VARIABLE,
    }
)
_TYPES = frozenset(
    {SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.ENUM, None}
)
_MAX_TITLE_CHARS = 80
_CONSTRUCTORS = frozenset({"__init__", "constructor", "initialize", "__construct"})


@dataclass(slots=True)
class _Found:
    """One match: a stretch of characters with a name."""

    pattern: int
    """The number of the pattern in its query."""
    start: int
    end: int
    name_at: int
    written: str
    """The name as the text has it, qualified or not."""
    scope: str
    kind: SymbolKind | None


def outline(lines: Lines, matches: Iterable[Match], grammar: Grammar) -> Part:
    """Build the outline of a document; parts and their definitions are in source order."""
    return nest(find_parts(lines, matches, grammar), lines.count)


def find_parts(lines: Lines, matches: Iterable[Match], grammar: Grammar) -> list[Part]:
    """Return the parts of a document, ordered by first line, outer before inner."""
    leads = dict[int, int]()
    found = list[_Found]()
    for pattern, captures in matches:
        for name in ("doc", "lead"):
            for node in captures.get(name, ()):
                _note_lead(lines, leads, node, must_own_line=name == "doc")
        if match := _read(lines.text, pattern, captures):
            found.append(match)
    return _Builder(lines, leads, grammar).parts(_most_specific(found))


def _most_specific(found: list[_Found]) -> list[_Found]:
    """Keep one match of every name and one pattern of every stretch: the first in the query file.

    The rest is ordered by start, outer before inner.
    """
    by_stretch = dict[tuple[int, int], int]()
    by_name = dict[int, _Found]()
    for match in sorted(found, key=lambda match: match.pattern):
        if by_stretch.setdefault((match.start, match.end), match.pattern) == match.pattern:
            by_name.setdefault(match.name_at, match)
    return sorted(by_name.values(), key=lambda match: (match.start, -match.end, match.name_at))


def _note_lead(lines: Lines, leads: dict[int, int], node: Node, *, must_own_line: bool) -> None:
    if must_own_line and not lines.is_first(node.start_byte):
        return
    first = lines.line_of(node.start_byte)
    last = lines.line_of(max(node.end_byte - 1, node.start_byte))
    leads[last] = min(first, leads.get(last, first))


def _read(text: str, pattern: int, captures: dict[str, list[Node]]) -> _Found | None:
    what = next((name for name in captures if name in _KINDS), None)
    if what is None:
        return None
    node = captures[what][0]
    name = captures["name"][0] if "name" in captures else _declared(node)
    if name is None or not text[name.start_byte : name.end_byte].strip():
        return None
    end = node.end_byte
    while text[end - 1 : end].isspace():  # where indentation closes a block, its node is too long
        end -= 1
    return _Found(
        pattern,
        node.start_byte,
        end,
        name.start_byte,
        text[name.start_byte : name.end_byte],
        " ".join(text[scope.start_byte : scope.end_byte] for scope in captures.get("scope", ())),
        _KINDS[what],
    )


def _declared(node: Node) -> Node | None:
    """Follow the declarators of C down to the name: `char *(*f(int))[3]` → `f`."""
    found: Node | None = node
    while found is not None and (found is node or found.type.endswith("_declarator")):
        inner = found.child_by_field_name("declarator")
        if inner is None and found is not node and found.named_child_count:
            inner = found.named_child(found.named_child_count - 1)
        found = inner
    return found


def _refine(kind: SymbolKind | None, name: str, *, is_method: bool) -> SymbolKind | None:
    """Tell methods from functions, and constants from variables, by place and name."""
    if kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}:
        if name in _CONSTRUCTORS and (is_method or kind is SymbolKind.METHOD):
            return SymbolKind.CONSTRUCTOR
        return SymbolKind.METHOD if is_method else kind
    if kind is SymbolKind.VARIABLE and is_method:
        return SymbolKind.FIELD
    if kind is SymbolKind.VARIABLE and name.isupper():
        return SymbolKind.CONSTANT
    return kind


def _is_after(match: _Found, before: _Found) -> bool:
    """Tell siblings from what lies inside; two names of one stretch (`a, b = 1`) are siblings."""
    return match.start >= before.end or (match.start, match.end) == (before.start, before.end)


class _Builder:
    """Turns matches into parts, with their paths and their whole lines."""

    def __init__(self, lines: Lines, leads: dict[int, int], grammar: Grammar) -> None:
        self._lines = lines
        self._leads = leads
        """Last line of a comment or decorator → its first line."""
        self._grammar = grammar

    def parts(self, ordered: list[_Found]) -> list[Part]:
        """Build the parts of matches that are ordered by start, outer before inner."""
        parts = list[Part]()
        known = set[str]()
        stack = list[tuple[_Found, list[str]]]()
        for match in ordered:
            while stack and (_is_after(match, stack[-1][0]) or len(stack) > MAX_DEPTH):
                stack.pop()
            outer, around = (stack[-1][1], stack[-1][0].kind) if stack else ([], SymbolKind.FILE)
            part, path = self._part(match, outer, around)
            stack.append((match, path))
            if self._grammar.has_clauses and parts and parts[-1].title == part.title:
                parts[-1].last = part.last
                parts[-1].is_loose = False
            elif not (part.is_loose and part.title in known):  # assigned again
                parts.append(part)
                known.add(part.title)
        return parts

    def _part(
        self, match: _Found, outer: list[str], around: SymbolKind | None
    ) -> tuple[Part, list[str]]:
        lines = self._lines
        is_symbol = self._grammar.has_symbols and match.kind is not SymbolKind.FILE
        if is_symbol:
            scope, bare = split_name(match.written)
        else:
            scope, bare = list[str](), match.written.strip("\"' \n")[:_MAX_TITLE_CHARS]
        path = [*outer, *scopes(match.scope), *scope, bare]
        has_type = bool(match.scope) or "::" in match.written or ".prototype." in match.written
        is_method = around in _TYPES or has_type
        kind = _refine(match.kind, bare, is_method=is_method)
        first, last = lines.line_of(match.start), lines.line_of(match.end - 1) + 1
        name_at = match.name_at + max(match.written.rfind(bare), 0)
        head = lines.line_of(name_at)
        title = ".".join(path)
        symbol = Definition(bare, kind, head, title) if kind and is_symbol else None
        is_loose = kind in _SMALL and lines.ink(first, last) < TINY_INK
        first = self._lifted(first)
        return Part(first, last, title, head, symbol, is_loose, name_at), path

    def _lifted(self, first: int) -> int:
        """Move a part's first line up to the start of its decorators and documentation."""
        lines, leads = self._lines, self._leads
        while True:
            above = min(leads.get(first, first), leads.get(first - 1, first))
            if above >= first and first > 1 and lines.is_blank(first - 1):
                # Some people leave a line between a documentation comment and what it describes.
                far = leads.get(first - 2, first)
                above = far if lines.line(far).lstrip().startswith("/**") else first
            if above >= first:
                return first
            first = above
