"""How well conversations are found: LoCoMo's questions, scored by the session that holds the evidence.

    python tests/benchmarks/locomo.py locomo10.json [DIALOGUES]

The file is `data/locomo10.json` of the repository snap-research/locomo (Maharana et al., "Evaluating
Very Long-Term Conversational Memory of LLM Agents", 2024): ten dialogues of about 27 sessions each.
Every session becomes a transcript of Claude Code in a private home. Who opens it is the person, the
other one the agent; each message begins with its speaker's name, and a shared photo is its caption.
A dialogue is an index of its own. Adversarial questions (category 5), which no session answers, are
left out, and so are four whose evidence is not given.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent.parent))

from hunch.app import App
from hunch.config import DEFAULTS
from hunch.model import Filter, Mode, Query
from hunch.sources.conversations.places import Places
from hunch.store.database import Database
from support.conversations.claude import ClaudeTranscript

CATEGORIES = {4: "single-hop", 1: "multi-hop", 2: "temporal", 3: "open-domain"}
DEPTH = 100
"""Hits that are looked through for the first of the right session."""


def write_sessions(talk: dict, home: Path) -> None:
    """Write each session of a dialogue as a transcript named by its number."""
    for key, messages in talk.items():
        if not re.fullmatch(r"session_\d+", key):
            continue
        number = int(key.removeprefix("session_"))
        said = f"{talk[f'{key}_date_time']} UTC"
        moment = datetime.strptime(said, "%I:%M %p on %d %B, %Y %Z").replace(tzinfo=UTC)
        log = ClaudeTranscript(f"{number:08}-session")
        for i, message in enumerate(messages):
            photo = f"\n\n[photo: {message['blip_caption']}]" if "blip_caption" in message else ""
            text = f"{message['speaker']}: {message['text']}{photo}"
            at = moment + timedelta(seconds=20 * i)
            is_person = message["speaker"] == messages[0]["speaker"]
            say = log.person if is_person else log.says
            say(text, timestamp=at.isoformat())
        log.write(home / ".claude" / "projects")


def questions(dialogue: dict) -> list[tuple[str, int, set[int]]]:
    """Return each question with its category and the sessions that answer it."""
    found = []
    for each in dialogue["qa"]:
        evidence = re.findall(r"D:?(\d+):\d+", " ".join(each["evidence"]))
        if each["category"] in CATEGORIES and evidence:
            found.append((each["question"], each["category"], {int(n) for n in evidence}))
    return found


async def ranks_of(app: App, asked: list[tuple[str, int, set[int]]], mode: Mode) -> list[int]:
    """Return for each question at which place the first right session is; 0 for none."""
    ranks = []
    for text, _, right in asked:
        query = Query(text, limit=DEPTH, mode=mode, filter=Filter(everywhere=True))
        hits = (await app.search.search(query)).hits
        sessions = dict.fromkeys(int(hit.conversation.name[:8]) for hit in hits)
        ranks.append(next((at for at, n in enumerate(sessions, 1) if n in right), 0))
    return ranks


async def measure(dialogue: dict) -> dict[tuple[Mode, int], list[int]]:
    """Index one dialogue and ask its questions in each mode."""
    found = defaultdict(list)
    asked = questions(dialogue)
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        write_sessions(dialogue["conversation"], home)
        database = await asyncio.to_thread(Database.open, home / "index.db")
        async with App(DEFAULTS, database, places=Places(home)) as app:
            app.index.start()
            app.index.open_conversations()
            await app.index.until_settled()
            for mode in (Mode.KEYWORD, Mode.SEMANTIC, Mode.HYBRID):
                for (_, category, _), rank in zip(
                    asked, await ranks_of(app, asked, mode), strict=True
                ):
                    found[mode, category].append(rank)
    return found


def line(name: str, ranks: list[int]) -> str:
    """Return a row of the table."""
    count = len(ranks)
    at_1, at_5 = (sum(0 < rank <= k for rank in ranks) / count for k in (1, 5))
    mrr = sum(1 / rank for rank in ranks if rank) / count
    return f"| {name} | {count:,} | {at_1:.3f} | {at_5:.3f} | {mrr:.3f} |"


async def main() -> None:
    """Print the table."""
    dialogues = json.loads(Path(sys.argv[1]).read_text())
    ranks = defaultdict(list)
    for dialogue in dialogues[: int(sys.argv[2]) if len(sys.argv) > 2 else None]:
        for key, some in (await measure(dialogue)).items():
            ranks[key] += some
    print("| mode, category | questions | hit@1 | hit@5 | MRR |\n| --- | --- | --- | --- | --- |")
    for mode in (Mode.KEYWORD, Mode.SEMANTIC, Mode.HYBRID):
        print(line(f"**{mode.value}**", [*chain(*(ranks[mode, c] for c in CATEGORIES))]))
        for category, name in CATEGORIES.items():
            print(line(f"{mode.value}, {name}", ranks[mode, category]))


if __name__ == "__main__":
    asyncio.run(main())
