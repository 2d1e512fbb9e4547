"""What indexing conversations costs: per stage, as a whole, with nothing new, and with one new turn.

    python tests/benchmarks/conversation_index.py TEXTS [SESSIONS]

TEXTS is a folder whose Markdown gives the words. SESSIONS (default 5,000) transcripts of Claude Code
with twelve turns each are written into a private home: a question of one to three sentences, two tool
calls with a kilobyte of output each, and an answer of one to five paragraphs, some of them code.
Stages are timed alone, in CPU seconds on one thread, on one log in ten; the whole in wall and CPU
seconds, with the built-in embedder. Then turns are written one by one for a real server that watches.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent.parent))

from hunch.app import App
from hunch.config import DEFAULTS
from hunch.embedding.builtin import MODEL
from hunch.embedding.static_model import read
from hunch.indexing.turns import plan_turns
from hunch.ranking.terms import Terms
from hunch.sources.conversations.base import Step
from hunch.sources.conversations.claude_code import CLAUDE_CODE
from hunch.sources.conversations.places import Places
from hunch.sources.redaction import Redactor
from hunch.store.database import Database
from hunch.text import embedding_text
from support.conversations.claude import ClaudeTranscript
from support.conversations.lines import packed_lines
from support.lsp_raw import RawClient, private_env

TURNS = 12
NEW_TURNS = 20


class Author:
    """Writes transcripts with the words of some Markdown."""

    def __init__(self, texts: Path) -> None:
        self._dice = random.Random(7)
        files = sorted(texts.rglob("*.md"))
        whole = "\n\n".join(path.read_text("utf-8", "replace") for path in files)
        found = {part.strip() for part in re.split(r"\n\s*\n", whole)}
        self._paragraphs = sorted(part for part in found if 80 < len(part) < 2_000)
        flat = " ".join(part for part in self._paragraphs if "`" * 3 not in part)
        self._sentences = [s for s in re.split(r"(?<=[.?!])\s+", flat) if 20 < len(s) < 200]

    def _say(self, pieces: list[str], most: int, between: str) -> str:
        return between.join(self._dice.sample(pieces, self._dice.randint(1, most)))

    def session(self, number: int, turns: int = TURNS) -> ClaudeTranscript:
        """Return the transcript of a session."""
        log = ClaudeTranscript(f"{number:08}-0000-4000-8000-000000000000")
        for _ in range(turns):
            log.person(self._say(self._sentences, 3, " "))
            for _ in range(2):
                call = {"command": self._say(self._sentences, 1, "")}
                log.block({"type": "tool_use", "id": "t", "name": "Bash", "input": call})
                output = self._say(self._paragraphs, 4, "\n")
                log.person([{"type": "tool_result", "tool_use_id": "t", "content": output}])
            log.says(self._say(self._paragraphs, 5, "\n\n"))
        return log

    def write(self, home: Path, sessions: int) -> None:
        """Write the transcripts of forty projects."""
        for number in range(sessions):
            folder = home / ".claude" / "projects" / f"-home-robin-src-project{number % 40}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{number:08}-0000-4000-8000-000000000000.jsonl").write_bytes(
                packed_lines(self.session(number).records)
            )


def stages(home: Path) -> None:
    """Print what each stage costs by itself."""
    clock = time.process_time
    started = clock()
    logs = sorted(CLAUDE_CODE.discover(Places(home)), key=lambda log: log.path)
    print(f"discover {clock() - started:7.2f} s  {len(logs)} logs")
    some = logs[::10]
    megabytes = sum(log.path.stat().st_size for log in some) / 1e6
    print(f"on one in ten, {len(some)} logs, {megabytes:.1f} MB:")
    started = clock()
    readings = [reading for log in some for reading in CLAUDE_CODE.read(log, {})]
    took = clock() - started
    count = sum(len(reading.turns) for reading in readings)
    print(f"read     {took:7.2f} s  {len(some) / took:.0f} logs/s  {count} turns")
    redact, started = Redactor(()).redact, clock()
    for reading in readings:
        for turn in reading.turns:
            replace(
                turn,
                question=redact(turn.question),
                steps=tuple(Step(redact(step.text), step.is_tool) for step in turn.steps),
            )
    print(f"redact   {clock() - started:7.2f} s")
    started, terms = clock(), Terms()
    planned = [
        plan_turns(((turn, reading.conversation) for turn in reading.turns), "Claude Code", terms)[
            0
        ]
        for reading in readings
    ]
    print(f"plan     {clock() - started:7.2f} s")
    chunks = [chunk for turns in planned for turn in turns for chunk in turn.document.chunks]
    started, model = clock(), read(MODEL)
    model.embed_all([embedding_text(c.title, c.context, c.text) for c in chunks])
    text = sum(len(chunk.text) for chunk in chunks)
    print(
        f"embed    {clock() - started:7.2f} s  {len(chunks)} chunks of {text / len(chunks):.0f} characters"
    )


class Timed:
    """Opens an App over a home and prints what its looks cost."""

    def __init__(self, home: Path, database: Path) -> None:
        self._home, self._database = home, database

    async def __call__(self, label: str, looks: int = 1) -> None:
        """Look, and look again."""
        settings = replace(DEFAULTS, embedder="builtin")
        database = await asyncio.to_thread(Database.open, self._database)
        async with App(settings, database, places=Places(self._home)) as app:
            app.index.start()
            for look in range(looks):
                wall, cpu = time.perf_counter(), time.process_time()
                app.index.open_conversations()
                state = await app.index.until_settled()
                print(
                    f"{label}, look {look + 1}: {time.perf_counter() - wall:.2f} s wall,"
                    f" {time.process_time() - cpu:.2f} s CPU, {state.counts.documents} turns"
                )


def wait_for(client: RawClient, word: str) -> None:
    """Search until a word is found."""
    while not client.result("hunch/search", {"query": word, "mode": "keyword"})["hits"]:
        time.sleep(0.01)


def one_by_one(folder: Path, author: Author, home: Path) -> None:
    """Print how long it takes from a written line to a hit."""
    logs = sorted(home.rglob("*.jsonl"))
    took = []
    client = RawClient({**private_env(folder), "HOME": str(home)})
    client.initialize()
    client.until_ready()
    wait_for(client, "the")
    for number in range(NEW_TURNS):
        log, word = author.session(900_000 + number, turns=1), f"{chr(97 + number)}quizzle"
        log.records[-1]["message"]["content"][0]["text"] += f"\n\nIt is called {word}."
        lines = packed_lines(log.records)
        time.sleep(0.5)
        started = time.perf_counter()
        with logs[number * 37 % len(logs)].open("ab") as file:
            file.write(lines)
        wait_for(client, word)
        took.append(time.perf_counter() - started)
    client.close()
    took.sort()
    print(
        f"from the line to the hit, {len(took)} times: least {took[0]:.2f} s,"
        f" median {median(took):.2f} s, second most {took[-2]:.2f} s, most {took[-1]:.2f} s"
    )


def main() -> None:
    """Write the logs, then measure."""
    author = Author(Path(sys.argv[1]).resolve())
    sessions = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        home, database = folder / "home", folder / "index.db"
        author.write(home, sessions)
        size = sum(path.stat().st_size for path in home.rglob("*.jsonl"))
        print(f"{sessions} sessions, {sessions * TURNS} turns, {size / 1e6:.0f} MB of logs")
        look = Timed(home, database)
        asyncio.run(look("first index"))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{database.stat().st_size / sessions / TURNS:.0f} bytes a turn; peak {peak:.0f} MiB")
        asyncio.run(look("nothing new", looks=3))
        stages(home)
        one_by_one(folder, author, home)


if __name__ == "__main__":
    main()
