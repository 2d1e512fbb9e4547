"""A long random session of two editors on one work tree and one index, and what must hold meanwhile.

Everything is drawn from one seed. Each made-up word that a step writes or types is an oracle: it is
in the text of a file or a buffer, or it is not, and so must it be found, or not.
"""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING

from support.lsp_raw import private_env
from support.soak_editor import Editor, until
from support.soak_end import DOCUMENT, assert_as_fresh, count_embedded, left_over
from support.soak_figures import Figures
from support.soak_oracle import Oracle
from support.soak_tree import Tree, changes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.stub_ollama import StubOllama

_TAKEOVER = 10.0
"""Seconds within which a server takes over what an ended one kept in line."""


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
        self._oracle = Oracle(tree, self.editors, self.figures, seed, log=log)
        self._began = time.monotonic()
        self._nested = tree.root / tree.keep
        self.may_stop = True
        """Whether servers may be stopped and killed at present."""
        for editor in self.editors:
            editor.start()
        until(self._are_ready, 600, "both are ready")
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
            self._oracle.probe()
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
        before, after = self._oracle.look(), self._oracle.scan
        told = changes(before, after)
        self._untold += told
        for name, stamp in after.git.items():
            # Editors do not tell of everything below `.git`, nor do all of them tell of this.
            if before.git.get(name) != stamp and self._chance.random() < 0.5:
                self._untold.append((name, 2))
        if tell:
            self._tell()
        self._oracle.expect(many=len(told) > 20, is_untold=bool(self._untold))

    def _tell(self) -> None:
        """Have the editors tell what has changed since the last time."""
        told, self._untold = self._untold, []
        told.sort()
        self._chance.shuffle(told)
        for editor in self.editors:
            editor.tell(told)

    # What is asked

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
            self._asked_about[DOCUMENT + text] += 1
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
            self._oracle.expect(is_untold=bool(self._untold))

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
        self._oracle.expect(is_untold=bool(self._untold))
        self._oracle.find_at_once(editor, path, word)

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
        self._oracle.hinder()

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
            self._oracle.hinder()
            editor.ask("hunch/resume")
            editor.is_paused = False

    def restart(self) -> None:
        """End one server, orderly or not, see that the other takes over, and start it again."""
        if not self.may_stop:
            return
        ended = self._one()
        other = next(editor for editor in self.editors if editor is not ended)
        self._resume(other)
        self._oracle.hinder()
        way = self._chance.choice((ended.stop, ended.kill))
        self._log(f"  {way.__name__} {ended.name}")
        self.figures.kills += way == ended.kill
        way()
        self._ends.append(len(self._ollama.batches))
        started = time.monotonic()
        until(lambda: self._keeps(other), _TAKEOVER, f"{other.name} takes over")
        self.figures.takeovers.append(time.monotonic() - started)
        for _ in range(self._chance.randrange(4)):
            self._do(self._on_disk(self._chance.choice(("edit", "create", "rename", "commit"))))
            self._look(tell=True)
            self._oracle.probe()
        ended.start()
        self._oracle.hinder()

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
        until(self._oracle.are_settled, 120, "all that was written is found")
        until(self._are_ready, 120, "both are ready")
        self.measure()
        for editor in self.editors:
            editor.stop()
            self.figures.warnings.update(editor.warnings)
        assert left_over(self.home / "index.db") == []
        count_embedded(
            self.figures,
            self._ollama,
            related=self._asked_about,
            shown=self._shown,
            ends=self._ends,
        )
        assert_as_fresh(self.home, self.tree.root, self._ollama.url, self._options)

    def _are_ready(self) -> bool:
        return all(editor.is_ready() for editor in self.editors)
