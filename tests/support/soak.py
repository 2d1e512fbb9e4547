"""A long random session of two editors on one work tree and one index, and what must hold meanwhile.

Everything is drawn from one seed. Each made-up word that a step writes or types is an oracle: it is
in the text of a file or a buffer, or it is not, and so must it be found, or not.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

import psutil

from support.engine_dump import dump
from support.lsp_raw import private_env
from support.soak_editor import Editor
from support.soak_tree import Tree, changes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.stub_ollama import StubOllama

LOST = 30.0
"""Seconds after which a change that is not seen counts as lost; without load it takes two."""
PATIENCE = 1.0
"""Seconds that a search may wait for what was just typed, before it may answer without it."""
_SLOW = 5.0
"""Seconds after which it is worth a line in the log that a change was seen only then."""
_TAKEOVER = 10.0
"""Seconds within which a server takes over what an ended one kept in line."""
_PROBES = 6
"""Words that are asked for after each step."""
_IN_FLIGHT = 8
"""Batches that two servers may have under way."""
_TELLING = 60
"""Characters by which a text is known."""
_DOCUMENT = "search_document: "


@dataclass(eq=False)
class Figures:
    """What happened."""

    steps: Counter[str] = field(default_factory=Counter)
    searches: int = 0
    seen: list[float] = field(default_factory=list)
    """Seconds until a change of one step on the disk was seen, with nothing in the way."""
    hindered: list[float] = field(default_factory=list)
    """The same while a server was paused or started, or after steps that changed many files."""
    typed: list[float] = field(default_factory=list)
    """Seconds until what was typed was found, by the first search for it."""
    late: int = 0
    """Typed words that the first search did not find, since cutting took longer than it waits."""
    takeovers: list[float] = field(default_factory=list)
    memory: list[str] = field(default_factory=list)
    embedded: int = 0
    again_shown: int = 0
    """Texts that were in an open document and that were embedded more than once."""
    again_lost: int = 0
    """Texts that were embedded anew, since a server ended before it had saved them."""
    again: list[str] = field(default_factory=list)
    """Texts that were embedded more than once for no such reason."""
    kills: int = 0
    warnings: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        """Return all of it as lines."""
        again = f"{self.again_shown} on a screen, {self.again_lost} lost when a server ended"
        lines = [
            f"steps: {self.steps.total()}: {dict(self.steps.most_common())}",
            f"searches: {self.searches}",
            f"seen: {_spread(self.seen)}",
            f"seen with something in the way: {_spread(self.hindered)}",
            f"typed: {_spread(self.typed)}; {self.late} found by a later search only",
            f"takeovers: {_spread(self.takeovers)}; {self.kills} after kill -9",
            f"embedded: {self.embedded}, again: {again}, {len(self.again)} others",
            f"warnings: {dict(self.warnings)}",
        ]
        return "\n".join([*lines, *self.memory])


@dataclass(eq=False)
class _Wait:
    """A change of what should be found that one server has not been seen to know."""

    since: float
    is_hindered: bool


class Soak:
    """Two editors, the folder that both have open, and what is expected of them."""

    def __init__(
        self, tree: Tree, home: Path, ollama: StubOllama, seed: int, *, log: Callable[[str], object]
    ) -> None:
        """Start both servers and wait until they are ready.

        Args:
            tree: what is changed.
            home: an empty folder for the index and the settings.
            ollama: embeds, and counts.
            seed: of everything that is drawn.
            log: told every step, so that a failure can be understood.
        """
        self.tree = tree
        self.home = home
        self.figures = Figures()
        self._ollama = ollama
        self._chance = Random(seed)
        # How often we look is a matter of time, and must not decide what is drawn for the steps.
        self._probing = Random(seed)
        self._log = log
        self._env = {**private_env(home), "OLLAMA_HOST": ollama.url}
        self._options = {"embedder": "ollama"}
        self.editors = [
            Editor("code", tree.root, self._env, watches=True, **self._options),
            Editor("vim", tree.root, self._env, watches=False, **self._options),
        ]
        self._asked_about: Counter[str] = Counter()
        self._shown = set[str]()
        """Every text that was in an open document."""
        self._ends: list[int] = []
        self._untold: list[tuple[str, int]] = []
        self._scan = tree.scan()
        self._waits: dict[tuple[str, str], _Wait] = {}
        self._known: dict[tuple[str, str], frozenset[str] | None] = {}
        self._hindered_until = 0.0
        self._began = time.monotonic()
        self._nested = tree.root / tree.keep
        self.may_stop = True
        """Whether servers may be stopped and killed at present."""
        for editor in self.editors:
            editor.start()
        self._until(self._are_ready, 600, "both are ready")
        self.measure()

    # Steps

    @property
    def _weights(self) -> dict[Callable[[], None], float]:
        disk = {"edit": 14, "create": 5, "delete": 2, "rename": 4, "rename_folder": 1.5}
        disk |= {"delete_folder": 0.7, "commit": 3, "switch": 2.5, "stash": 2.5, "clean": 1}
        disk |= {"rebase": 1.2, "ignore": 1.5, "ignore_by_git": 1}
        steps: dict[Callable[[], None], float] = {
            self._on_disk(name): weight for name, weight in disk.items()
        }
        return steps | {
            self.open: 4,
            self.type: 14,
            self.save: 5,
            self.close: 3,
            self.nest: 1,
            self.search: 8,
            self.related: 3,
            self.symbol: 3,
            self.pause: 1.5,
            self.restart: 1.5,
            self.twice: 4,
        }

    def step(self) -> None:
        """Do something at random, and see what has become of earlier steps."""
        weights = self._weights
        [step] = self._chance.choices([*weights], [*weights.values()])
        if any(editor.is_paused for editor in self.editors) and self._chance.random() < 0.25:
            step = self.pause
        self._do(step)
        self._look(tell=self._chance.random() < 0.7)
        end = time.monotonic() + self._chance.choice((0, 0, 0.05, 0.2, 0.8))
        while True:
            self._probe()
            if time.monotonic() > end:
                break
        for editor in self.editors:
            editor.check()

    def _do(self, step: Callable[[], None]) -> None:
        name = step.__name__
        self._log(f"{time.monotonic() - self._began:.2f} {name}")
        self.figures.steps[name] += 1
        step()

    def _on_disk(self, name: str) -> Callable[[], None]:
        def step() -> None:
            getattr(self.tree, name)(self._chance)

        step.__name__ = name
        return step

    def _look(self, *, tell: bool) -> None:
        """See what is on the disk, tell of it or do so later, and know what is to be found now."""
        before, self._scan = self._scan, self.tree.scan()
        told = changes(before, self._scan)
        self._untold += told
        for name, stamp in self._scan.git.items():
            # Editors do not tell of everything below `.git`, nor do all of them tell of this.
            if before.git.get(name) != stamp and self._chance.random() < 0.5:
                self._untold.append((name, 2))
        if tell:
            self._tell()
        self._expect(many=len(told) > 20)

    def _tell(self) -> None:
        """Have the editors tell what has changed since the last time."""
        told, self._untold = self._untold, []
        told.sort()
        self._chance.shuffle(told)
        for editor in self.editors:
            editor.tell(told)

    def _expect(self, *, many: bool = False) -> None:
        """Take note of what has become true of every word, for each editor."""
        now = time.monotonic()
        if many or any(editor.is_paused for editor in self.editors):
            self._hinder()
        is_hindered = bool(self._untold) or now < self._hindered_until
        for editor in self.editors:
            places = self._places(editor)
            for word in self.tree.words:
                expected = places.get(word, frozenset())
                key = editor.name, word
                if self._known.get(key, frozenset()) != expected:
                    self._known[key] = expected
                    self._waits[key] = _Wait(now, is_hindered)

    def _hinder(self, seconds: float = 2.0) -> None:
        """Take note that what changes now may be seen late."""
        self._hindered_until = time.monotonic() + seconds
        for wait in self._waits.values():
            wait.is_hindered = True

    def _places(self, editor: Editor) -> dict[str, frozenset[str] | None]:
        """Return where each word is for an editor; None where that is not certain."""
        places: dict[str, set[str]] = {}
        uncertain = set[str]()
        for path, words in self._scan.words.items():
            if path not in editor.documents:
                for word in words:
                    places.setdefault(word, set()).add(path)
        for path, document in editor.documents.items():
            if self.tree.hides(path) or path.startswith("fresh/"):
                uncertain |= document.words | self._scan.words.get(path, frozenset())
            for word in document.words:
                places.setdefault(word, set()).add(path)
        certain = {w: frozenset(paths) for w, paths in places.items() if w not in uncertain}
        return {**certain, **dict.fromkeys(uncertain)}

    # What is asked

    def _probe(self) -> None:
        """Ask for a few words that were not seen yet, and for one that was."""
        waiting = [key for key in self._waits if self._known[key] is not None]
        keys = self._probing.sample(waiting, min(_PROBES, len(waiting)))
        if self._known:
            keys.append(self._probing.choice([*self._known]))
        for name, word in keys:
            editor = next(e for e in self.editors if e.name == name)
            if editor.is_running:
                self._ask(editor, word)

    def _ask(self, editor: Editor, word: str) -> None:
        key = editor.name, word
        expected = self._known[key]
        if expected is None:
            return
        found, _ = editor.places(word)
        self.figures.searches += 1
        now = time.monotonic()
        if bool(found) == bool(expected) and found <= expected:
            wait = self._waits.pop(key, None)
            if wait:
                took = self.figures.hindered if wait.is_hindered else self.figures.seen
                took.append(now - wait.since)
                if now - wait.since > _SLOW:
                    self._log(f"  {editor.name} saw {word} after {now - wait.since:.1f} s")
            return
        if any(e.is_paused for e in self.editors):
            self._hinder()
        wait = self._waits.setdefault(key, _Wait(now, now < self._hindered_until))
        if any(e.is_paused or not e.is_running for e in self.editors) or self._untold:
            wait.since = max(wait.since, now - LOST / 2)  # nothing is lost before it is told
        assert now - wait.since < LOST, (
            f"{editor.name} finds {word} in {found}, not in {set(expected)}"
        )

    def _one(self) -> Editor:
        return self._chance.choice([e for e in self.editors if e.is_running])

    def search(self) -> None:
        """Ask a question in words."""
        words = ["remote write", "parse a duration", "retry after failure", "template of an alert"]
        words += [*self._chance.sample(sorted(self.tree.words), min(2, len(self.tree.words)))]
        mode = self._chance.choice(("keyword", "hybrid", "semantic"))
        self._one().ask("hunch/search", query=self._chance.choice(words), mode=mode)
        self.figures.searches += 1

    def related(self) -> None:
        """Ask for code like a piece of a file or buffer."""
        editor = self._one()
        path = self._chance.choice(self.tree.editable())
        document = editor.documents.get(path)
        text = (document.text if document else self.tree.read(path)).strip()[:300]
        if text:
            self._asked_about[_DOCUMENT + text] += 1
            editor.ask("hunch/related", text=text)
            self.figures.searches += 1

    def symbol(self) -> None:
        """Look for definitions by name."""
        query = self._chance.choice((*sorted(self.tree.words)[:3], "append", "New", "parse"))
        self._one().ask("workspace/symbol", query=query)
        self.figures.searches += 1

    # What editors do

    def open(self) -> None:
        """Open a file in one editor."""
        editor = self._one()
        path = self._chance.choice(self.tree.editable())
        if path not in editor.documents and len(editor.documents) < 8:
            editor.open(path, self.tree.read(path))
            self._shown.add(editor.documents[path].text)
            self._expect()

    def type(self) -> None:
        """Type a few lines; what was typed must be found at once."""
        editor = self._one()
        if not editor.documents:
            self.open()
        path = self._chance.choice([*editor.documents] or [""])
        if not path:
            return
        for _ in range(self._chance.choice((1, 1, 4))):
            word = self.tree.new_word(self._chance)
            editor.type(path, self._chance, word)
            self._shown.add(editor.documents[path].text)
        self._expect()
        if self._known[editor.name, word] is not None:
            self._find_at_once(editor, path, word)

    def _find_at_once(self, editor: Editor, path: str, word: str) -> None:
        found, took = editor.places(word)
        self.figures.searches += 1
        self.figures.typed.append(took)
        if found == {path}:
            self._waits.pop((editor.name, word), None)
        else:
            self.figures.late += 1
            assert took > PATIENCE, f"{editor.name} does not find {word} in {path}, but {found}"

    def save(self) -> None:
        """Write a document to its file."""
        editor = self._one()
        if editor.documents:
            path = self._chance.choice([*editor.documents])
            self.tree.save(path, editor.documents[path].text, self._chance)
            editor.saved(path)

    def close(self) -> None:
        """Close a document, saved or not."""
        editor = self._one()
        if editor.documents:
            editor.close(self._chance.choice([*editor.documents]))

    def nest(self) -> None:
        """Open a folder inside the open one as well, or close it."""
        editor = self._one()
        if self._nested in editor.folders:
            editor.change_folders(removed=[self._nested])
        elif self._nested.is_dir():
            editor.change_folders(added=[self._nested])
        self._hinder()

    def pause(self) -> None:
        """Pause indexing in one editor, or go on."""
        paused = [editor for editor in self.editors if editor.is_paused]
        for editor in paused:
            self._resume(editor)
        if not paused:
            editor = self._one()
            editor.ask("hunch/pause")
            editor.is_paused = True

    def _resume(self, editor: Editor) -> None:
        if editor.is_paused:
            self._hinder()
            editor.ask("hunch/resume")
            editor.is_paused = False

    def restart(self) -> None:
        """End one server, orderly or not, see that the other takes over, and start it again."""
        if not self.may_stop:
            return
        ended = self._one()
        other = next(editor for editor in self.editors if editor is not ended)
        self._resume(other)
        self._hinder()
        way = self._chance.choice((ended.stop, ended.kill))
        self._log(f"  {way.__name__} {ended.name}")
        self.figures.kills += way == ended.kill
        way()
        self._ends.append(len(self._ollama.batches))
        started = time.monotonic()
        self._until(lambda: self._keeps(other), _TAKEOVER, f"{other.name} takes over")
        self.figures.takeovers.append(time.monotonic() - started)
        for _ in range(self._chance.randrange(4)):
            self._do(self._on_disk(self._chance.choice(("edit", "create", "rename", "commit"))))
            self._look(tell=True)
            self._probe()
        ended.start()
        self._hinder()

    def _keeps(self, editor: Editor) -> bool:
        return editor.ask("hunch/status")["writer"] == "this server"

    def twice(self) -> None:
        """Change something on the disk while an editor does something else."""
        chance = Random(self._chance.random())
        name = chance.choice(("edit", "create", "commit", "switch", "stash", "clean", "rename"))
        self._log(f"  with {name}")
        with ThreadPoolExecutor(1) as beside:
            done = beside.submit(getattr(self.tree, name), chance)
            self._do(self._chance.choice((self.type, self.search, self.close, self.nest)))
            done.result()

    # The end

    def measure(self) -> None:
        """Take note of the memory of both servers."""
        for editor in self.editors:
            age, own, workers = editor.memory()
            self.figures.memory.append(
                f"at {time.monotonic() - self._began:.0f} s: {editor.name}, started {age:.0f} s ago,"
                f" holds {own:.0f} MB, its workers {workers:.0f} MB"
            )

    def finish(self) -> None:
        """Come to rest, end both servers, and compare the index with one that is made afresh."""
        for editor in self.editors:
            self._resume(editor)
            for path in [*editor.documents]:
                editor.close(path)
            if self._nested in editor.folders:
                editor.change_folders(removed=[self._nested])
        self._look(tell=True)
        self._until(self._are_settled, 120, "all that was written is found")
        self._until(self._are_ready, 120, "both are ready")
        self.measure()
        for editor in self.editors:
            editor.stop()
            self.figures.warnings.update(editor.warnings)
        assert self._left_over() == []
        self._count_embedded()
        self._compare()

    def _are_ready(self) -> bool:
        return all(editor.is_ready() for editor in self.editors)

    def _are_settled(self) -> bool:
        while self._waits:
            before = len(self._waits)
            for name, word in [*self._waits]:
                self._ask(next(e for e in self.editors if e.name == name), word)
            if len(self._waits) == before:
                return False
        return True

    def _left_over(self) -> list[str]:
        """List the processes that have our index and should have ended."""
        ours = self._env["HUNCH_DB"]
        return [
            str(process.info["cmdline"])
            for process in psutil.process_iter(["cmdline", "environ"])
            if (process.info["environ"] or {}).get("HUNCH_DB") == ours
            and process.pid != os.getpid()
        ]

    def _count_embedded(self) -> None:
        """Find out what was embedded more than once, and why.

        What stands in an open document and not yet in the index is embedded for the one who has it
        open, and once more by the server that indexes it when it is saved; what was under way when a
        server ended is lost with it.
        """
        asked = dict[str, list[int]]()
        for number, batch in enumerate(self._ollama.batches):
            for text in batch:
                if text.startswith(_DOCUMENT):
                    asked.setdefault(text, []).append(number)
        for text, numbers in asked.items():
            self.figures.embedded += len(numbers)
            again = len(numbers) - 1 - self._asked_about[text]
            if again <= 0:
                continue
            # The title and the like stand before what is in the document.
            if any(text[-_TELLING:] in shown for shown in self._shown):
                self.figures.again_shown += again
            elif any(n < end <= n + _IN_FLIGHT for n in numbers[:-1] for end in self._ends):
                self.figures.again_lost += again
            else:
                self.figures.again.append(text)

    def _compare(self) -> None:
        fresh_home = self.home / "fresh"
        fresh_home.mkdir()
        env = {**private_env(fresh_home), "OLLAMA_HOST": self._ollama.url}
        editor = Editor("fresh", self.tree.root, env, watches=False, **self._options)
        editor.start()
        self._until(editor.is_ready, 600, "a fresh index is ready")
        editor.stop()
        lived = dump(self.home / "index.db", root=self.tree.root)
        fresh = dump(fresh_home / "index.db", root=self.tree.root)
        for name in ("documents", "chunks", "postings", "problems"):
            _assert_same(name, getattr(lived, name), getattr(fresh, name))
        assert [key for key, row in lived.chunks.items() if row[-1] is None] == []

    def _until(self, holds: Callable[[], bool], seconds: float, what: str) -> None:
        for _ in _until(time.monotonic() + seconds):
            if holds():
                return
        raise AssertionError(f"not in {seconds} s: {what}")


def _until(deadline: float) -> Iterator[None]:
    while time.monotonic() < deadline:
        yield
        time.sleep(0.02)


def _assert_same(name: str, lived: Any, fresh: Any) -> None:
    if lived == fresh:
        return
    if isinstance(lived, dict):
        differ = [key for key in lived.keys() | fresh.keys() if lived.get(key) != fresh.get(key)]
        shown = [(key, lived.get(key), fresh.get(key)) for key in differ[:3]]
        raise AssertionError(f"{name}: {len(differ)} differ, among them {shown}")
    raise AssertionError(f"{name}: {set(lived) ^ set(fresh)}")


def _spread(values: list[float]) -> str:
    if not values:
        return "none"
    ordered = sorted(values)
    p95 = ordered[int(len(ordered) * 0.95)]
    return f"{len(values)}, p50 {median(ordered):.2f} s, p95 {p95:.2f} s, most {ordered[-1]:.2f} s"
