"""Reading a large conversation log: memory, speed, and what a line that is appended costs.

    python tests/benchmarks/conversation_logs.py                 # 200 MB for each agent
    python tests/benchmarks/conversation_logs.py 2000 --agent codex

The log is like those of long agent sessions: a turn has a dozen tool calls with results of some
kilobytes, and one result in a hundred is an image of half a megabyte. Each reading runs in a process
of its own, whose peak memory is compared with that of one that reads a log of one turn.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from hunch.sources.conversations.base import Log
from hunch.sources.conversations.readers import READERS

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.conversations.claude import ClaudeTranscript
from support.conversations.codex import CodexRollout
from support.conversations.lines import packed_lines
from support.conversations.openclaw import OpenClawSession

WORDS = [
    "retry",
    "offset",
    "index",
    "vector",
    "branch",
    "cache",
    "decode",
    "lock",
    "queue",
    "batch",
]
IMAGE = 500_000


def prose(dice: random.Random, words: int) -> str:
    """Return a text of some words."""
    return " ".join(dice.choices(WORDS, k=words))


class Claude(ClaudeTranscript):
    """A transcript of Claude Code whose results have a size."""

    def works(self, output: str) -> None:
        """Call a tool and get its output."""
        self.block({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make"}})
        self.person([{"type": "tool_result", "tool_use_id": "t", "content": output}])


class Codex(CodexRollout):
    """A rollout of Codex whose results have a size."""

    def works(self, output: str) -> None:
        """Call a tool and get its output."""
        call = {"type": "function_call", "name": "shell", "arguments": '{"command": "make"}'}
        self.line("response_item", call)
        self.line("response_item", {"type": "function_call_output", "output": output})


class OpenClaw(OpenClawSession):
    """A session of OpenClaw whose results have a size."""

    def works(self, output: str) -> None:
        """Call a tool and get its output."""
        self.says(
            [{"type": "toolCall", "id": "c", "name": "exec", "arguments": {"command": "make"}}]
        )
        content = [{"type": "text", "text": output}]
        self.entry("message", message={"role": "toolResult", "content": content})


LOGS = {"claude-code": Claude, "codex": Codex, "openclaw": OpenClaw}


def write(path: Path, agent: str, size: int) -> None:
    """Write a log of about `size` bytes, a turn at a time."""
    dice = random.Random(7)
    log = LOGS[agent]()
    log.records = Forgotten(log.records)
    written = 0
    with path.open("wb") as file:
        while written < size or not written:
            log.person(prose(dice, 30))
            log.says(prose(dice, 20))
            for _ in range(12):
                log.works("x" * IMAGE if dice.random() < 0.01 else prose(dice, 700))
            log.says(prose(dice, 150))
            written += file.write(packed_lines(log.records))
            # What was written is forgotten, but the numbers that make ids go on.
            log.records = Forgotten(before=len(log.records))


class Forgotten(list):
    """A list of records that counts those before it, which are on disk already."""

    def __init__(self, records: list | None = None, *, before: int = 0) -> None:
        super().__init__(records or ())
        self.before = before

    def __len__(self) -> int:
        return super().__len__() + self.before


def read(path: Path, agent: str, cursors: dict, answer) -> None:
    """Read the log, dropping its turns as the index would; report what it took."""
    reader = next(each for each in READERS if each.agent == agent)
    log = Log(agent, path, ())
    turns = 0
    start = time.perf_counter()
    for reading in reader.read(log, cursors):
        turns += len(reading.turns)
        cursors = {reading.key: reading.cursor}
    seconds = time.perf_counter() - start
    answer.send((turns, seconds, peak_memory(), cursors))


def peak_memory() -> int:
    """Return the kilobytes that this process had at most; on Linux not counting its parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure(path: Path, agent: str, cursors: dict) -> tuple:
    """Read in a process of its own."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=read, args=(path, agent, cursors, there))
    process.start()
    result = here.recv()
    process.join()
    return result


def main() -> None:
    """Print a line for each agent."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("megabytes", nargs="?", type=int, default=200)
    parser.add_argument("--agent", choices=sorted(LOGS))
    given = parser.parse_args()
    print("agent         log MB   turns   MB/s   seconds   memory MB more   one more line ms")
    for agent in [given.agent] if given.agent else LOGS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log.jsonl"
            write(path, agent, 0)
            *_, least, _ = measure(path, agent, {})
            write(path, agent, given.megabytes * 1_000_000)
            turns, seconds, most, cursors = measure(path, agent, {})
            with path.open("ab") as file:
                file.write(b'{"type": "x"}\n')
            _, again, *_ = measure(path, agent, cursors)
            size = path.stat().st_size / 1e6
            print(
                f"{agent:12} {size:7.0f} {turns:7} {size / seconds:6.0f} {seconds:9.2f}"
                f" {(most - least) / 1024:16.1f} {again * 1000:18.1f}"
            )


if __name__ == "__main__":
    main()
