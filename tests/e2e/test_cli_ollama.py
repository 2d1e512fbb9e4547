"""`hunch` with Ollama: what is embedded when, and what happens when it is stopped or Ollama is."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import pytest

from support.command_line import RETRY, CommandLine, ended, make_project
from support.stub_ollama import StubOllama

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

DOCUMENT = "search_document: "
QUERY = "search_query: "
FUNCTIONS = 40


@pytest.fixture
def stub() -> Iterator[StubOllama]:
    """An Ollama that listens."""
    with StubOllama(dimensions=64) as stub:
        yield stub


@pytest.fixture
def shell(tmp_path: Path, stub: StubOllama) -> CommandLine:
    """A shell in a project, with an Ollama that takes a few texts at a time."""
    shell = CommandLine(tmp_path, make_project(tmp_path / "shop"), {"OLLAMA_HOST": stub.url})
    shell.configure("[ollama]\nbatchSize = 4\nconcurrency = 1\n")
    return shell


def _documents(stub: StubOllama) -> list[str]:
    return [text for batch in stub.batches for text in batch if text.startswith(DOCUMENT)]


def _write_many(folder: Path) -> None:
    body = "\n".join(f"    value_{n} = compute(argument, {n}) * weight[{n}]" for n in range(40))
    for number in range(FUNCTIONS):
        code = f"def step_{number}(argument, weight):\n{body}\n    return value_{number % 40}\n"
        (folder / f"step_{number}.py").write_text(code, "utf-8")


def _wait_for_documents(stub: StubOllama, process: subprocess.Popen[str], count: int) -> None:
    while len(_documents(stub)) < count:
        stub.arrived.clear()
        assert stub.arrived.wait(20), process.poll()


def test_the_second_search_embeds_only_the_question(shell: CommandLine, stub: StubOllama) -> None:
    """The first search embeds the chunks, the second none, and says nothing about its work."""
    first = shell.run("search", "send again after a failure")
    assert (first.code, len(_documents(stub)) > 3) == (0, True)
    stub.batches.clear()
    second = shell.run("search", "send again after a failure")
    assert (second.out, second.err) == (first.out, "")
    assert _documents(stub) == []
    assert [t for batch in stub.batches for t in batch if t.startswith(QUERY)] != []


def test_a_changed_file_costs_its_changed_chunks(shell: CommandLine, stub: StubOllama) -> None:
    """After a change of one function only that function is embedded again."""
    path = shell.here / "src/net/retry.py"
    path.write_text(f"{RETRY}\n\ndef untouched():\n    return 1\n", "utf-8")
    shell.run("index")
    stub.batches.clear()
    path.write_text(path.read_text("utf-8").replace("attempts=5", "attempts=7"), "utf-8")
    assert shell.run("search", "send", "--json").document["index"]["counts"]["pending"] == 0
    [document] = _documents(stub)
    assert "attempts=7" in document


def test_force_embeds_everything_again(shell: CommandLine, stub: StubOllama) -> None:
    """`index --force` embeds what it has embedded before."""
    shell.run("index")
    before = sorted(_documents(stub))
    stub.batches.clear()
    assert shell.run("index", "--force").code == 0
    assert sorted(_documents(stub)) == before


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
def test_ctrl_c_loses_nothing(shell: CommandLine, stub: StubOllama) -> None:
    """Ctrl-C ends with 130 and a sentence; the next run embeds only what is missing."""
    _write_many(shell.here)
    process = shell.start("search", "compute")
    _wait_for_documents(stub, process, 24)
    stub.gate.clear()
    assert process.stderr
    assert process.stderr.readline().startswith("Indexing ")
    process.send_signal(signal.SIGINT)
    answer = ended(process)
    stub.gate.set()
    assert answer.code == 130
    assert "Stopped. Nothing is lost" in answer.err
    assert "Traceback" not in answer.err

    counts = shell.run("status", "--json").document["counts"]
    assert counts["embedded"] >= 12
    stub.batches.clear()
    state = shell.run("index", "--json").document
    assert (state["state"], state["counts"]["pending"]) == ("ready", 0)
    assert state["counts"]["documents"] == FUNCTIONS + 4
    sent = _documents(stub)
    assert len(sent) == len(set(sent)) == state["counts"]["embedded"] - counts["embedded"]


def test_ollama_gone_in_the_middle(shell: CommandLine, stub: StubOllama) -> None:
    """When Ollama goes away the search answers by keyword and says so; later the rest is embedded."""
    _write_many(shell.here)
    process = shell.start("search", "send request again failure", "--json")
    _wait_for_documents(stub, process, 24)
    stub.stop()
    answer = ended(process)
    assert answer.code == 0
    assert answer.document["mode"] == "keyword"
    assert answer.document["index"]["embedder"]["available"] is False
    assert answer.document["index"]["counts"]["pending"] > 0
    assert "Answered by keyword only. Ollama does not answer." in answer.err
    assert "the next run goes on from there" in answer.err
    assert answer.document["hits"][0]["detail"] == "src/net/retry.py"

    stub.start()
    assert shell.run("index", "--json").document["counts"]["pending"] == 0


def test_ollama_that_must_be_used_and_is_not_there(shell: CommandLine, stub: StubOllama) -> None:
    """With the embedder `ollama`, a missing one fails `index` and `doctor`, but no search."""
    stub.stop()
    shell.configure("embedder = 'ollama'\n")
    answer = shell.run("search", "cart")
    assert answer.code == 0
    assert "Answered by keyword only. Ollama does not answer." in answer.err
    assert shell.run("index").code == 3
    assert shell.run("doctor").code == 3


def test_a_model_that_is_missing(shell: CommandLine, stub: StubOllama) -> None:
    """Without the model, the line to get it is shown."""
    stub.digests.clear()
    assert "ollama pull nomic-embed-text" in shell.run("search", "cart").err
    checks = shell.run("doctor", "--json").document["checks"]
    [check] = [check for check in checks if check["name"] == "Ollama"]
    assert (check["verdict"], check["advice"]) == (
        "warn",
        "Get it with: ollama pull nomic-embed-text",
    )


def test_status_answers_while_another_process_indexes(shell: CommandLine, stub: StubOllama) -> None:
    """`status` and a search with `--no-index` answer from what another process has written so far."""
    _write_many(shell.here)
    process = shell.start("index")
    _wait_for_documents(stub, process, 24)
    stub.gate.clear()
    shell.variables["OLLAMA_HOST"] = "127.0.0.1:1"
    counts = shell.run("status", "--json").document["counts"]
    assert counts["documents"] > 0
    assert shell.run("search", "compute", "--no-index", "--json").document["hits"]
    stub.gate.set()
    assert ended(process).code == 0
