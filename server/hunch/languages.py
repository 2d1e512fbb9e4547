"""Which language a file is written in, by its name or its first line."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from hunch.model import Kind

TEXT = "text"
"""The language of what no table knows."""

_EXTENSIONS = {
    "bash": "sh bash zsh ksh bats ebuild",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp cu cuh",
    "csharp": "cs csx",
    "css": "css scss less",
    "dart": "dart",
    "elixir": "ex exs",
    "go": "go",
    "haskell": "hs",
    "html": "html htm xhtml vue svelte astro",
    "java": "java",
    "javascript": "js jsx mjs cjs",
    "json": "json jsonc json5 webmanifest geojson",
    "jupyter": "ipynb",
    "kotlin": "kt kts",
    "lua": "lua",
    "markdown": "md markdown mdown mdx qmd rmd",
    "php": "php phtml",
    "python": "py pyi pyw pyx",
    "restructuredtext": "rst",
    "ruby": "rb rake gemspec ru",
    "rust": "rs",
    "scala": "scala sc sbt",
    "sql": "sql",
    "swift": "swift",
    "text": "txt text log csv tsv",
    "toml": "toml",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "yaml": "yaml yml",
    "zig": "zig zon",
    "asciidoc": "adoc asciidoc",
    "clojure": "clj cljs cljc edn",
    "erlang": "erl hrl",
    "fsharp": "fs fsi fsx",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "hcl": "tf hcl tfvars",
    "julia": "jl",
    "nix": "nix",
    "objective-c": "m mm",
    "ocaml": "ml mli",
    "org": "org",
    "perl": "pl pm t",
    "powershell": "ps1 psm1 psd1",
    "protobuf": "proto",
    "r": "r",
    "tex": "tex sty cls",
    "vim": "vim",
    "xml": "xml xsd xsl svg plist csproj props targets",
    "cmake": "cmake",
    "make": "mk mak",
}
_NAMES = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "cmake",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "vagrantfile": "ruby",
    "podfile": "ruby",
    "brewfile": "ruby",
    "jenkinsfile": "groovy",
    ".bashrc": "bash",
    ".bash_profile": "bash",
    ".zshrc": "bash",
    ".profile": "bash",
}
_SHEBANGS = {
    "sh": "bash",
    "bash": "bash",
    "zsh": "bash",
    "dash": "bash",
    "ksh": "bash",
    "bats": "bash",
    "python": "python",
    "node": "javascript",
    "deno": "typescript",
    "bun": "typescript",
    "ruby": "ruby",
    "perl": "perl",
    "lua": "lua",
    "php": "php",
    "elixir": "elixir",
}
_PROSE = frozenset({"markdown", "restructuredtext", "asciidoc", "org", "text", "tex"})
_BY_EXTENSION = {ext: name for name, exts in _EXTENSIONS.items() for ext in exts.split()}
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?)?(?:\S*/)?([A-Za-z]+)")

LANGUAGES = frozenset({*_EXTENSIONS, *_NAMES.values()})
"""Every language name that `language_of` can return."""


def language_of(path: str, first_line: str = "") -> str:
    """Name the language of a file by its path and, failing that, by its `#!` line."""
    pure = PurePosixPath(path)
    name = pure.name.lower()
    found = _NAMES.get(name) or _BY_EXTENSION.get(pure.suffix.lower().removeprefix("."))
    if found is None and name.startswith(("dockerfile.", "makefile.")):
        found = _NAMES[name.split(".", 1)[0]]
    if found is None and (match := _SHEBANG.match(first_line)):
        found = _SHEBANGS.get(match[1].lower())
    return found or TEXT


def sample_name(stem: str, language: str) -> str:
    """Return a file name that `language_of` takes for a language; `stem` alone for an unknown one."""
    extensions = _EXTENSIONS.get(language)
    return f"{stem}.{extensions.split()[0]}" if extensions else stem


def kind_of(language: str) -> Kind:
    """Tell prose, which people read, from code and configuration, which programs read."""
    return Kind.DOCS if language in _PROSE else Kind.CODE
