"""Each command of `hunch` as a process, with the built-in embedder."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import hunch
from support.command_line import CommandLine, make_project

ESCAPE = "\x1b"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A shell in a project that is indexed; tests leave it as it is."""
    folder = tmp_path_factory.mktemp("a person")
    project = make_project(folder / "my shop")
    shell = CommandLine(folder, project)
    assert shell.run("index").code == 0
    return shell


def test_version_is_told_without_the_engine(shell: CommandLine) -> None:
    """`hunch --version` prints the version and imports neither NumPy nor rich."""
    shell = replace(shell, variables={"PYTHONPROFILEIMPORTTIME": "1"})
    answer = shell.run("--version")
    assert answer.out == f"hunch, version {hunch.__version__}\n"
    imported = {line.rpartition("|")[2].strip() for line in answer.err.splitlines()}
    assert "click" in imported
    assert not imported & {"numpy", "rich", "hunch.app", "tree_sitter", "pygls", "httpx"}


def test_search_prints_ranked_places(shell: CommandLine) -> None:
    """A hit tells place, symbol, kind, reasons and numbered lines, without escape codes."""
    answer = shell.run("search", "wait twice as long and send the request again", "-n", "1")
    place, reasons, *lines = answer.out.splitlines()
    assert re.fullmatch(r"src/net/retry\.py:\d+-\d+  \S+  (class|method)", place)
    assert "words in its text" in reasons
    assert "meaning 0." in reasons
    assert all(re.match(r" +\d+ │ ", line) for line in lines)
    assert ESCAPE not in answer.out + answer.err
    assert answer.code == 0


def test_search_says_what_ollama_would_add(shell: CommandLine) -> None:
    """Without Ollama, one line on stderr says what it would add, and nothing else is there."""
    answer = shell.run("search", "shopping cart")
    assert "Ollama" in answer.err
    assert len(answer.err.splitlines()) == 1


def test_search_prints_json(shell: CommandLine) -> None:
    """`--json` prints one document in the shapes of the protocol."""
    document = shell.run("search", "shopping cart total", "--json", "-n", "2").document
    assert document.keys() == {"hits", "index", "tookMs", "mode"}
    hit = document["hits"][0]
    assert hit.keys() == {
        "uri", "range", "kind", "title", "symbolKind", "detail", "language", "snippet",
        "snippetRange", "highlights", "score", "signals", "stale", "source",
    }  # fmt: skip
    assert hit["uri"] == (shell.here / "web/cart.ts").as_uri()
    assert (hit["kind"], hit["symbolKind"], hit["title"]) == ("code", 12, "cartTotal")
    assert hit["range"]["start"] == {"line": 0, "character": 0}
    assert {hit["snippet"][start:end].lower() for start, end in hit["highlights"]} >= {"cart"}
    index = document["index"]
    assert (index["state"], index["counts"]["documents"], index["counts"]["pending"]) == (
        "ready",
        4,
        0,
    )
    assert index["sources"][0]["uri"] == shell.here.as_uri()


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--language", "ts"), {"web/cart.ts"}),
        (("--kind", "docs"), {"docs/my guide é.md"}),
        (("--include", "src/**", "--exclude", "**/mail/**"), {"src/net/retry.py"}),
        (("--since", "2999-01-01"), set()),
        (("--until", "2000-01-01T10:00"), set()),
        (
            ("--mode", "keyword", "--exclude", "docs/"),
            {"src/net/retry.py", "src/mail/resend.py", "web/cart.ts"},
        ),
    ],
)
def test_search_filters(shell: CommandLine, options: tuple[str, ...], found: set[str]) -> None:
    """Filters leave only what they let through."""
    answer = shell.run("search", "request failure wait twice theme cart", "--json", *options)
    paths = {hit["detail"] for hit in answer.document["hits"]}
    assert paths == found
    assert answer.code == (0 if found else 1)


@pytest.mark.parametrize("path", ["src/mail", "src/mail/resend.py"])
def test_a_folder_inside_an_indexed_one_narrows_the_search(shell: CommandLine, path: str) -> None:
    """A path below an indexed folder makes no second source; only what is below it is found."""
    document = shell.run("search", "send again after a failure", path, "--json").document
    assert {hit["detail"] for hit in document["hits"]} == {"src/mail/resend.py"}
    assert [source["uri"] for source in document["index"]["sources"]] == [shell.here.as_uri()]


def test_paths_are_relative_to_the_current_directory(shell: CommandLine) -> None:
    """Below the current directory a place is relative to it, elsewhere it is whole."""
    answer = replace(shell, here=shell.here / "src").run("search", "send again", "--everywhere")
    places = [line for line in answer.out.splitlines() if re.match(r"\S.*:\d", line)]
    assert any(place.startswith(os.path.join("net", "retry.py")) for place in places)  # noqa: PTH118
    everywhere = replace(shell, here=shell.home).run("search", "cart", "-n", "1", "--everywhere")
    assert everywhere.out.startswith(os.path.join("my shop", "web", "cart.ts:1"))  # noqa: PTH118


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_nonsense_finds_nothing(shell: CommandLine, mode: str) -> None:
    """What nobody ever wrote is not found, and the exit code says so."""
    answer = shell.run("search", "zxqvwk", "--mode", mode)
    assert (answer.code, answer.out) == (1, "")
    assert "Nothing found." in answer.err
    assert "keyword only" not in answer.err


@pytest.mark.parametrize("place", ["src/net/retry.py:12", "src/net/retry.py:9-17"])
def test_related_finds_what_is_like_it(shell: CommandLine, place: str) -> None:
    """`related` finds the other retry, and never the code that is asked about."""
    document = shell.run("related", place, "--json").document
    details = [hit["detail"] for hit in document["hits"]]
    assert details[0] == "src/mail/resend.py"
    assert "src/net/retry.py" not in details


def test_status_lists_the_folders(shell: CommandLine) -> None:
    """`status` tells folders, counts, database and embedder, as text and as JSON."""
    answer = shell.run("status")
    assert re.search(r"^  ~.my shop  4 files, \d+ chunks, just now$", answer.out, re.MULTILINE)
    assert "builtin" in answer.out
    state = shell.run("status", "--json").document
    assert state["embedder"]["provider"] == "builtin"
    assert state["counts"]["embedded"] == state["counts"]["chunks"] >= 4
    assert state["counts"]["skipped"] == 1
    assert state["database"]["path"] == str(shell.home / "index.db")


def test_problems_are_listed_with_reasons(shell: CommandLine) -> None:
    """`problems` tells which file was passed over and why; a folder without any has none."""
    answer = shell.run("problems")
    assert (answer.code, answer.out) == (0, f"{Path('src/huge.py')}: skipped: larger than 1 MB\n")
    [problem] = shell.run("problems", "--json").document
    assert problem.keys() == {"uri", "state", "reason", "since"}
    assert problem["uri"] == (shell.here / "src/huge.py").as_uri()
    assert shell.run("problems", "web", "--json").document == []


def test_problems_of_an_unknown_folder(shell: CommandLine) -> None:
    """`problems` fails where nothing is indexed."""
    (shell.home / "elsewhere").mkdir(exist_ok=True)
    answer = shell.run("problems", shell.home / "elsewhere")
    assert (answer.code, answer.out) == (3, "")
    assert "not indexed" in answer.err


def test_index_and_forget(shell: CommandLine, tmp_path: Path) -> None:
    """A folder is indexed, tells its state, is forgotten, and is then unknown."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "note.md").write_text("# Tea\n\nSteep for three minutes.\n", "utf-8")
    shell = CommandLine(tmp_path, notes)
    document = shell.run("index", "--json").document
    assert document["counts"]["documents"] == 1
    assert shell.run("search", "how long to steep tea", "--json").code == 0
    assert shell.run("forget", ".", "--json").document == {
        "uri": notes.resolve().as_uri(),
        "forgotten": True,
    }
    assert shell.run("forget", ".").code == 1
    assert shell.run("status", "--json").document["sources"] == []


def test_a_home_directory_is_refused(tmp_path: Path) -> None:
    """A home directory needs `--yes` the first time, and what a subfolder's index is not."""
    (tmp_path / "note.md").write_text("# Tea\n\nSteep for three minutes.\n", "utf-8")
    shell = CommandLine(tmp_path, tmp_path)
    refused = shell.run("search", "tea")
    assert (refused.code, refused.out) == (2, "")
    assert "--yes" in refused.err
    assert shell.run("search", "tea", "--yes").code == 0
    assert shell.run("search", "tea").code == 0


def test_doctor_finds_no_fault(shell: CommandLine) -> None:
    """`doctor` looks at everything; a missing Ollama is no failure, and it says what to do."""
    document = shell.run("doctor", "--json").document
    verdicts = {check["name"]: check["verdict"] for check in document["checks"]}
    verdicts.pop("file watches", None)
    assert verdicts == {
        "versions": "ok",
        "settings": "ok",
        "database": "ok",
        "built-in embedder": "ok",
        "Ollama": "warn",
        "grammars": "ok",
        "git": "ok",
    }
    assert "ollama pull nomic-embed-text" in shell.run("doctor").out


def test_doctor_fails_for_a_database_that_cannot_be(shell: CommandLine) -> None:
    """`doctor` ends with 3 when the database cannot be opened, and other commands do too."""
    blocked = replace(shell, variables={"HUNCH_DB": str(shell.here / "web/cart.ts/index.db")})
    assert blocked.run("doctor").code == 3
    answer = blocked.run("status")
    assert answer.code == 3
    assert "cannot be opened" in answer.err
    assert "Traceback" not in answer.err


def test_settings_that_are_not_understood_are_told(tmp_path: Path) -> None:
    """A bad setting is named on stderr, its default holds, and `doctor` lists it."""
    shell = CommandLine(tmp_path, tmp_path)
    shell.configure("embedder = 'magic'\n")
    assert "setting embedder: must be one of" in shell.run("status").err
    checks = shell.run("doctor", "--json").document["checks"]
    assert [c["verdict"] for c in checks if c["name"] == "settings"] == ["warn"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("serch",),
        ("search",),
        ("search", "  "),
        ("search", "x", "no/such/folder"),
        ("search", "x", "--limit", "0"),
        ("search", "x", "--language", "klingon"),
        ("search", "x", "--since", "yesterday"),
        ("search", "x", "--since", "2026-02-01", "--until", "2026-01-01"),
        ("related", "src/net/retry.py"),
        ("related", "no/such/file.py:3"),
        ("related", "src/net/retry.py:9-3"),
        ("related", "src/net/retry.py:0"),
        ("serve", "--tcp", "nowhere"),
        ("serve", "--tcp", "127.0.0.1:1", "--websocket", "127.0.0.1:1"),
    ],
)
def test_wrong_usage(shell: CommandLine, arguments: tuple[str, ...]) -> None:
    """Wrong usage ends with 2 and says what is wrong on stderr only."""
    answer = shell.run(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    "name", ["search", "related", "index", "status", "problems", "forget", "doctor", "serve"]
)
def test_every_command_explains_itself(shell: CommandLine, name: str) -> None:
    """The help of a command has a purpose, an example and its exit codes."""
    answer = shell.run(name, "--help")
    assert answer.code == 0
    assert f"  hunch {name}" in answer.out
    assert "Exit codes:" in answer.out


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
def test_names_that_are_no_text(tmp_path: Path) -> None:
    """A file name that is not UTF-8 disturbs no command, and what it holds is text with controls."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "good.py").write_text("def tea():\n    return '\x1b[31mred\x07'\n", "utf-8")
    (root / os.fsdecode(b"caf\xe9.py")).write_text("def coffee(): ...\n", "utf-8")
    shell = CommandLine(tmp_path, root)
    found = shell.run("search", "tea coffee")
    assert found.code == 0
    assert ESCAPE not in found.out
    assert "␛[31mred␇" in found.out
    for arguments in (
        ("search", "coffee", "--json"),
        ("problems",),
        ("problems", "--json"),
        ("status",),
    ):
        answer = shell.run(*arguments)
        assert "Traceback" not in answer.err
        assert answer.code in {0, 1}
