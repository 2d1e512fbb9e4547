"""Which grammar reads which language, and how its definitions are found."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Query

_QUERIES = Path(__file__).with_name("queries")


@dataclass(frozen=True, slots=True)
class Grammar:
    """How one language is read."""

    module: str
    """The Python module of the grammar."""
    function: str = "language"
    """The function in it that returns the language's pointer."""
    queries: tuple[str, ...] = ()
    """Files in `queries/`, the most specific first."""
    max_depth: int = 256
    """How deep definitions are looked for, in nodes: a query's time grows with the depth squared."""
    has_clauses: bool = False
    """Whether neighbours of one name are one definition: equations, clauses and a signature."""
    has_symbols: bool = True
    """Whether names are definitions (code) or titles only (keys, selectors)."""


GRAMMARS = {
    "bash": Grammar("tree_sitter_bash", queries=("bash",)),
    "c": Grammar("tree_sitter_c", queries=("c",)),
    "cpp": Grammar("tree_sitter_cpp", queries=("cpp", "c")),
    "csharp": Grammar("tree_sitter_c_sharp", queries=("csharp",)),
    "css": Grammar("tree_sitter_css", queries=("css",), has_symbols=False),
    "elixir": Grammar("tree_sitter_elixir", queries=("elixir",), has_clauses=True),
    "go": Grammar("tree_sitter_go", queries=("go",)),
    "haskell": Grammar("tree_sitter_haskell", queries=("haskell",), has_clauses=True),
    "java": Grammar("tree_sitter_java", queries=("java",)),
    "javascript": Grammar("tree_sitter_javascript", queries=("javascript_only", "javascript")),
    "json": Grammar("tree_sitter_json", queries=("json",), max_depth=6, has_symbols=False),
    "kotlin": Grammar("tree_sitter_kotlin", queries=("kotlin",)),
    "lua": Grammar("tree_sitter_lua", queries=("lua",)),
    "php": Grammar("tree_sitter_php", "language_php", queries=("php",)),
    "python": Grammar("tree_sitter_python", queries=("python",)),
    "ruby": Grammar("tree_sitter_ruby", queries=("ruby",)),
    "rust": Grammar("tree_sitter_rust", queries=("rust",)),
    "scala": Grammar("tree_sitter_scala", queries=("scala",)),
    "sql": Grammar("tree_sitter_sql", queries=("sql",)),
    "swift": Grammar("tree_sitter_swift", queries=("swift",)),
    "toml": Grammar("tree_sitter_toml", queries=("toml",), max_depth=3, has_symbols=False),
    "tsx": Grammar("tree_sitter_typescript", "language_tsx", ("typescript", "javascript")),
    "typescript": Grammar(
        "tree_sitter_typescript", "language_typescript", ("typescript", "javascript")
    ),
    "zig": Grammar("tree_sitter_zig", queries=("zig",)),
}
"""Every language that a grammar reads."""


@cache
def load(name: str) -> tuple[Language, Query]:
    """Load a language and its query; both are immutable and shared by all threads.

    Raises:
        ImportError: the grammar is not installed.
        AttributeError, ValueError: it is, in a version that does not go with ours.
        OSError: its shared library or our query file cannot be read.
    """
    from tree_sitter import Language, Query  # noqa: PLC0415 - costs 10 ms that many runs never need

    grammar = GRAMMARS[name]
    module = importlib.import_module(grammar.module)
    pointer: object = getattr(module, grammar.function)()
    language = Language(pointer)
    sources = [(_QUERIES / f"{query}.scm").read_text("utf-8") for query in grammar.queries]
    return language, Query(language, "\n".join(sources))
