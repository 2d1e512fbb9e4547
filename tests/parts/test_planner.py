"""Cutting files in worker processes that crash, hang, are killed, or cannot be started."""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from select import select
from typing import TYPE_CHECKING

import pytest

import support
from hunch.chunking.chunker import chunk_document
from hunch.indexing import planner as planner_module
from hunch.indexing.planner import Planner
from hunch.indexing.planning import plan
from hunch.indexing.worker import limit, serve
from hunch.model import Problem
from hunch.ranking.terms import Terms
from hunch.sources.stopping import Stopped
from support.planners import comparable, faulty_planner, file, started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

SUPPORT = Path(next(iter(support.__path__)))
GOOD = [
    file("a.py", "class Apple:\n    def ripen(self):\n        return 'sweet \ud800 \U0001f34e'\n"),
    file("b.md", "# Pears\n\nThey are green.\n"),
    file("c.txt", ""),
]
SECONDS = 2.0
"""Long enough for a good file on a busy machine."""
CRASHED = "cut into blocks: the parser crashed"


@pytest.fixture
def starts(tmp_path: Path) -> Path:
    """Where workers write their process ids."""
    return tmp_path / "starts"


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A named pipe."""
    if sys.platform == "win32":
        pytest.skip("Windows has no named pipes in folders")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.fixture
def alive(pipe: Path, starts: Path) -> Iterator[BinaryIO]:
    """The pipe that ends when the last worker has."""
    place = pipe.rename(starts.with_suffix(".alive"))
    with os.fdopen(os.open(place, os.O_RDONLY | os.O_NONBLOCK), "rb", 0) as stream:
        os.set_blocking(stream.fileno(), True)
        yield stream


def until_nobody_writes(stream: BinaryIO) -> bool:
    """Wait until all writers of a pipe, at least one of which is there, have closed it."""
    while stream.read(100):
        pass
    return True


def problems(found: planner_module.Plan) -> dict[str, Problem]:
    """Return what is wrong with the documents of a plan."""
    return {document.path: document.problem for document in found[0] if document.problem}


def test_a_worker_plans_as_the_thread_would(starts: Path) -> None:
    """The documents and postings of a worker are those that `plan` returns here."""
    with closing(Planner(Terms())) as planner:
        for files in (GOOD, GOOD[:1], []):
            assert comparable(planner.plan(files)) == comparable(plan(files, Terms()))


@pytest.mark.parametrize("fault", ["abort", "segfault", "exit", "raise"])
def test_a_file_on_which_the_parser_crashes_is_cut_into_blocks(fault: str, starts: Path) -> None:
    """The file says why; all others of the batch, before and after it, are what they always are."""
    bad = file("bad.py", f"#: {fault}\ndef pear():\n    return 1\n")
    with closing(faulty_planner(starts)) as planner:
        found = planner.plan([GOOD[0], bad, *GOOD[1:]])
        assert problems(found) == {"bad.py": Problem("bad.py", CRASHED, "not understood")}
        expected = plan([GOOD[0], bad, *GOOD[1:]], Terms(), plain={"bad.py": "the parser crashed"})
        assert comparable(found) == comparable(expected)
        assert len(started(starts)) == 2
        planner.plan(GOOD)
        assert len(started(starts)) == 2


def test_a_file_that_takes_too_long_is_cut_into_blocks(starts: Path) -> None:
    """A parser that holds the interpreter for ever is ended, with all files after it well."""
    bad = file("bad.py", "#: hang\ndef pear():\n    return 1\n")
    with closing(faulty_planner(starts, file_seconds=SECONDS)) as planner:
        found = planner.plan([bad, *GOOD])
        reason = "cut into blocks: the parser did not end within 2 s"
        assert problems(found) == {"bad.py": Problem("bad.py", reason, "not understood")}
        assert [chunk.text for chunk in found[0][0].chunks] == [bad[1].strip()]


@pytest.mark.parametrize(
    ("fault", "what"), [("abort!", "crashed"), ("hang!", "did not end within 2 s")]
)
def test_a_file_that_cannot_even_be_cut_into_blocks_fails(
    fault: str, what: str, starts: Path
) -> None:
    """Its document has no chunks and says why; the others are what they always are."""
    bad = file("bad.py", f"#: {fault}\nx = 1\n")
    with closing(faulty_planner(starts, file_seconds=SECONDS)) as planner:
        documents, postings = planner.plan([bad, *GOOD])
        reason = f"cutting it into blocks {what}"
        assert problems((documents, postings)) == {"bad.py": Problem("bad.py", reason, "failed")}
        failed = documents.pop()
        assert (failed.path, failed.stamp, failed.chunks) == ("bad.py", bad[2], ())
        assert (failed.language, failed.lengths.shape) == ("python", (0, 3))
        assert comparable((documents, postings)) == comparable(plan(GOOD, Terms()))


def test_every_bad_file_of_a_batch_is_found(starts: Path) -> None:
    """Three faults among three good files cost three workers and nothing else."""
    bad = [file(f"{n}.py", f"#: {fault}\nx = 1\n") for n, fault in enumerate(("abort", "exit"))]
    worst = file("worst.py", "#: abort!\n")
    with closing(faulty_planner(starts)) as planner:
        found = planner.plan([*bad, GOOD[0], worst, *GOOD[1:]])
        alone = planner.plan([worst])
        assert [document.problem for document in alone[0]] == [found[0][-1].problem]
    assert {path: problem.state for path, problem in problems(found).items()} == {
        "0.py": "not understood",
        "1.py": "not understood",
        "worst.py": "failed",
    }
    assert len(found[0]) == 6
    assert len(started(starts)) == 7


def test_a_worker_that_was_killed_meanwhile_is_replaced(starts: Path) -> None:
    """That somebody ended the idle worker is no file's fault."""
    with closing(faulty_planner(starts)) as planner:
        for _ in range(5):
            found = planner.plan(GOOD)
            assert comparable(found) == comparable(plan(GOOD, Terms()))
            (worker,) = planner._workers._free
            worker.kill()
        assert len(started(starts)) == 5


def test_many_idle_workers_that_were_killed_are_replaced(
    starts: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """However many of them somebody ended, it is not taken for being unable to start one."""
    with closing(faulty_planner(starts)) as planner:
        workers = [worker for _ in range(4) if (worker := planner._workers.take())]
        for worker in workers:
            planner._workers.give_back(worker)
            worker.kill()
        assert comparable(planner.plan(GOOD)) == comparable(plan(GOOD, Terms()))
    assert caplog.records == []


def test_what_a_parser_prints_does_no_harm(starts: Path) -> None:
    """Only answers are answers."""
    with closing(faulty_planner(starts)) as planner:
        assert problems(planner.plan([file("loud.py", "#: print\n"), *GOOD])) == {}
    assert len(started(starts)) == 1


def test_overlapping_calls_use_different_workers(starts: Path, pipe: Path) -> None:
    """One file waits until another is cut at the same time."""
    with closing(faulty_planner(starts, workers=2)) as planner, ThreadPoolExecutor(2) as pool:
        calls = [
            pool.submit(planner.plan, [file(f"{fault}.py", f"#: {fault} {pipe}\n")])
            for fault in ("read", "write")
        ]
        assert [problems(call.result()) for call in calls] == [{}, {}]
        assert len(started(starts)) == 2


def test_an_urgent_call_waits_for_no_other(starts: Path, pipe: Path) -> None:
    """An edit is planned while every other worker is busy and more calls wait for them."""
    slow = [file("slow.py", f"#: read {pipe}\n")]
    with closing(faulty_planner(starts, workers=1)) as planner, ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(planner.plan, slow) for _ in range(2)]
        for _ in range(2):
            assert comparable(planner.plan(GOOD, urgent=True)) == comparable(plan(GOOD, Terms()))
        assert not any(call.done() for call in calls)
        for call in calls:
            pipe.write_text("go on")
            assert problems(call.result()) == {}
        assert len(started(starts)) == 2


def test_idle_workers_end(starts: Path, alive: BinaryIO) -> None:
    """A worker without work is gone after a while, and there is another when there is work."""
    with closing(faulty_planner(starts, idle_seconds=0.05)) as planner:
        for calls in (1, 2):
            planner.plan(GOOD)
            assert until_nobody_writes(alive)
            assert len(started(starts)) == calls


def test_warming_starts_one_worker(starts: Path) -> None:
    """The worker that was started beforehand is the one that works."""
    with closing(faulty_planner(starts)) as planner:
        planner.warm()
        planner.warm()
        planner.plan(GOOD)
        assert len(started(starts)) == 1
    planner.warm()
    assert len(started(starts)) == 1


def test_closing_ends_what_is_under_way(starts: Path, alive: BinaryIO) -> None:
    """A call whose parser hangs raises Stopped at once, as do later ones, and nothing is left."""
    with ThreadPoolExecutor(2) as pool:
        planner = faulty_planner(starts, file_seconds=300)
        planner.warm()
        planner.plan(GOOD, urgent=True)
        calls = [pool.submit(planner.plan, [file("a.py", "#: hang\n")]) for _ in range(2)]
        assert alive.read(100).startswith(b"hanging")
        planner.close()
        for call in calls:
            with pytest.raises(Stopped):
                call.result()
    with pytest.raises(Stopped):
        planner.plan(GOOD)
    for process in started(starts):
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    planner.close()


@pytest.mark.parametrize(
    "command",
    [
        ("/there/is/no/such/program",),
        (sys.executable, "-c", "raise SystemExit(1)"),
        (sys.executable, "-c", "print('this is no worker')"),
        (*planner_module.COMMAND[:-1], "another version"),
    ],
    ids=["no program", "ends at once", "no worker", "another version"],
)
def test_without_processes_the_thread_plans(
    command: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    """Where no worker can be started, the result is the same, and one warning says so."""
    with closing(faulty_planner(Path(), command=command)) as planner:
        for _ in range(2):
            assert comparable(planner.plan(GOOD)) == comparable(plan(GOOD, Terms()))
        planner.warm()
    assert [record.message[:30] for record in caplog.records] == ["no process can be started: a p"]


def test_nothing_of_the_current_folder_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A project that holds modules of the names that a worker imports is data, not code."""
    for name in ("numpy", "pickle", "hunch", "tree_sitter"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    with closing(Planner(Terms())) as planner:
        planner.plan(GOOD)
    assert caplog.records == []
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="asks for process groups")
def test_a_worker_hears_no_ctrl_c_and_holds_no_stream_of_ours(starts: Path) -> None:
    """It is in a process group of its own, and a stream that its parent closes is closed."""
    ours, theirs = os.pipe()
    os.set_inheritable(theirs, True)
    with closing(faulty_planner(starts)) as planner, os.fdopen(ours, "rb") as stream:
        planner.plan(GOOD)
        (worker,) = started(starts)
        assert os.getpgid(worker) == worker
        os.close(theirs)
        assert stream.read() == b""


@pytest.mark.parametrize(("text", "seconds"), [("#: hang\n", "2"), ("x = 1\n", "60")])
def test_a_worker_outlives_its_parent_by_seconds_at_most(
    text: str, seconds: str, starts: Path, alive: BinaryIO
) -> None:
    """After `kill -9` of the parent, a worker that hangs ends at the limit, an idle one at once."""
    command = [sys.executable, str(SUPPORT / "planner_parent.py"), str(starts), text, seconds]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        waited = alive if "hang" in text else parent.stdout
        assert select([waited], [], [])[0]
        parent.send_signal(signal.SIGKILL)
    assert until_nobody_writes(alive)


def test_a_worker_answers_until_its_input_ends() -> None:
    """Each request is answered by every path, an empty one, and the plan."""
    requests = pickle.dumps((GOOD, {"b.md": "a reason"}, 60.0)) + pickle.dumps(([], {}, 60.0))
    answers = io.BytesIO()
    serve(io.BytesIO(requests), answers)
    answers.seek(0)
    assert [pickle.load(answers) for _ in range(4)] == ["a.py", "b.md", "c.txt", ""]
    expected = comparable(plan(GOOD, Terms(), plain={"b.md": "a reason"}))
    assert comparable(pickle.load(answers)) == expected
    assert pickle.load(answers) == ""
    assert comparable(pickle.load(answers)) == comparable(plan([], Terms()))
    assert answers.read() == b""


@pytest.mark.parametrize(("size", "seconds"), [(0, 10), (1_000_000, 10), (2_500_000, 25)])
def test_longer_files_may_take_longer(size: int, seconds: float) -> None:
    """From a million characters on, the limit grows with the file."""
    assert limit(size, 10) == seconds


def test_a_plain_file_is_cut_into_blocks() -> None:
    """A reason makes blocks of any language, and the note gives it."""
    for path, text, _ in GOOD:
        found = chunk_document(path, text, plain="somebody wants it")
        assert found.note == "cut into blocks: somebody wants it"
        assert "".join(chunk.text for chunk in found.chunks).strip() == text.strip()
        assert found.language == chunk_document(path, text).language
