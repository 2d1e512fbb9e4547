"""A git work tree that is changed in every way people and programs change one, and what is in it.

What a step does here is what an editor, a shell or git does: nothing of it goes through a server.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hunch.text import split_lines

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

WORD = re.compile(r"\bzq[b-df-hj-np-tv-xz]{9}\b")
"""What `new_word` returns; nothing else looks like it, and no stem is taken of it."""
_CONSONANTS = "bcdfghjklmnpqrtvwxz"
_EDITABLE = (".go", ".md", ".py", ".ts", ".tsx", ".yml")
_LARGEST = 60_000
_MOST_FILES = 40
"""Files in a folder that may be renamed or deleted as a whole."""
CREATED, CHANGED, DELETED = 1, 2, 3
"""As in `FileChangeType` of LSP."""


@dataclass(frozen=True)
class Scan:
    """What there is at one moment."""

    stamps: dict[str, tuple[int, int, int]]
    """Path of each file, ignored or not → inode, size, time."""
    folders: frozenset[str]
    words: dict[str, frozenset[str]]
    """Path → the words in it, for files of the index that hold any."""
    git: dict[str, tuple[int, int, int]]
    """The same as `stamps` for git's own `HEAD` and `index`."""


@dataclass(eq=False)
class Tree:
    """The work tree and what was done to it."""

    root: Path
    keep: str
    """A folder that is neither renamed nor deleted."""
    branches: tuple[str, ...]
    hidden: str = ""
    """A folder that an ignore file hides at present."""
    words: set[str] = field(default_factory=set[str])
    """All that were ever made."""
    stashes: int = 0
    _texts: dict[str, tuple[tuple[int, int, int], frozenset[str]]] = field(default_factory=dict)

    # What there is

    def git(self, *arguments: str, check: bool = True) -> str:
        """Run git and return what it prints."""
        identity = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "gc.auto=0")
        done = subprocess.run(
            ["git", *identity, *arguments],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 or not check, (arguments, done.stderr)
        return done.stdout if done.returncode == 0 else ""

    def listed(self) -> list[str]:
        """List the files that belong to the index, by git's own account and that of `hidden`."""
        found = {*self.git("ls-files", "-z", "-co", "--exclude-standard").split("\0")} - {""}
        # git also lists what was deleted and not committed.
        return sorted(p for p in found if not self.hides(p) and (self.root / p).is_file())

    def hides(self, path: str) -> bool:
        """Tell whether an ignore file of ours names a folder around the path."""
        return bool(self.hidden) and path.startswith(f"{self.hidden}/")

    def scan(self) -> Scan:
        """Look at everything; only files that changed are read."""
        stamps: dict[str, tuple[int, int, int]] = {}
        folders = set[str]()
        for folder, below, names in os.walk(self.root):
            below[:] = [name for name in below if name != ".git"]
            inside = os.path.relpath(folder, self.root).replace(os.sep, "/") + "/"
            prefix = "" if inside == "./" else inside
            folders.add(prefix.removesuffix("/"))
            for name in names:
                stamp = _stamp(self.root / prefix / name)
                if stamp:
                    stamps[prefix + name] = stamp
        listed = stamps.keys() & self.listed()
        found = {path: self._words_of(path, stamps[path]) for path in listed}
        git = {name: _stamp(self.root / name) for name in (".git/HEAD", ".git/index")}
        return Scan(
            stamps,
            frozenset(folders),
            {path: words for path, words in found.items() if words},
            {name: stamp for name, stamp in git.items() if stamp},
        )

    def _words_of(self, path: str, stamp: tuple[int, int, int]) -> frozenset[str]:
        known = self._texts.get(path)
        if known is None or known[0] != stamp:
            try:
                text = (self.root / path).read_text("utf-8", "replace")
            except OSError:
                text = ""
            known = self._texts[path] = stamp, frozenset(WORD.findall(text))
        return known[1]

    def new_word(self, chance: Random) -> str:
        """Return a word that is nowhere."""
        word = "zq" + "".join(chance.choices(_CONSONANTS, k=9))
        self.words.add(word)
        return word

    def editable(self) -> list[str]:
        """List small source files."""
        return [
            path
            for path in self.listed()
            if path.endswith(_EDITABLE) and 0 < _size(self.root / path) < _LARGEST
        ]

    def small_folders(self) -> list[str]:
        """List folders that may be renamed or deleted as a whole."""
        counts: dict[str, int] = {}
        for path in self.listed():
            parts = path.split("/")[:-1]
            for n in range(1, len(parts) + 1):
                above = "/".join(parts[:n])
                counts[above] = counts.get(above, 0) + 1
        kept = self.keep.split("/")[0]
        return [f for f, n in counts.items() if n <= _MOST_FILES and f.split("/")[0] != kept]

    def read(self, path: str) -> str:
        """Return the text of a file; empty when it is gone."""
        try:
            return (self.root / path).read_bytes().decode("utf-8", "replace")
        except OSError:
            return ""

    # What people do

    def edit(self, chance: Random) -> None:
        """Insert, replace or delete lines of a file, and save it as one editor or another does."""
        path = chance.choice(self.editable())
        self.save(path, edited(self.read(path), chance, self.new_word(chance)), chance)

    def save(self, path: str, text: str, chance: Random) -> None:
        """Write a file in place, or through another one that takes its name."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if chance.random() < 0.5:
            place.write_bytes(text.encode())
        else:
            beside = place.with_name(f".{place.name}.tmp{chance.randrange(1000)}")
            beside.write_bytes(text.encode())
            beside.replace(place)

    def create(self, chance: Random) -> None:
        """Make some files, often in folders that are made for them."""
        folder = chance.choice([*self.small_folders(), "fresh", f"fresh/deep{chance.randrange(9)}"])
        for _ in range(chance.choice((1, 1, 1, 2, 12))):
            name = f"{folder}/made_{chance.randrange(10_000)}"
            word = self.new_word(chance)
            suffix, text = chance.choice(
                (
                    (".py", f"def {word}(apple):\n    return apple.grow()\n"),
                    (".md", f"# On {word}\n\nIt is a fruit of its own.\n"),
                    (".go", f"package made\n\nfunc {word}(n int) int {{\n\treturn n + 1\n}}\n"),
                )
            )
            self.save(name + suffix, text, chance)

    def delete(self, chance: Random) -> None:
        """Delete a file."""
        (self.root / chance.choice(self.editable())).unlink(missing_ok=True)

    def delete_folder(self, chance: Random) -> None:
        """Delete a folder with all that is in it."""
        shutil.rmtree(self.root / chance.choice(self.small_folders()), ignore_errors=True)

    def rename(self, chance: Random) -> None:
        """Rename a file, maybe into another folder."""
        path = self.root / chance.choice(self.editable())
        folder = self.root / chance.choice(self.small_folders())
        place = chance.choice((path.parent, folder))
        if place.is_dir():
            path.rename(place / f"moved_{chance.randrange(10_000)}{path.suffix}")

    def rename_folder(self, chance: Random) -> None:
        """Rename a folder."""
        folder = self.root / chance.choice(self.small_folders())
        folder.rename(folder.with_name(f"{folder.name[:12]}_{chance.randrange(10_000)}"))

    def commit(self, chance: Random) -> None:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-qm", "work", check=False)

    def switch(self, chance: Random) -> None:
        """Switch to a branch with what is not committed, or else leave that behind."""
        branch = chance.choice(self.branches)
        if not self.git("switch", branch, check=False):
            self.git("switch", "-q", "-f", branch, check=False)

    def stash(self, chance: Random) -> None:
        """Put away what is not committed, or take it out again."""
        if self.stashes:
            self.stashes -= 1
            if not self.git("stash", "pop", check=False):
                self.git("checkout", "-q", "-f", "HEAD", check=False)
                self.git("reset", "-q", "--hard")
                self.git("stash", "drop", check=False)
        elif "Saved" in self.git("stash", "push", *chance.choice(((), ("-u",))), check=False):
            self.stashes += 1

    def clean(self, chance: Random) -> None:
        """Delete what git does not know."""
        self.git("clean", "-fdq")

    def rebase(self, chance: Random) -> None:
        """Put the work on this branch on top of another one."""
        self.commit(chance)
        if not self.git("rebase", chance.choice(self.branches), check=False):
            self.git("rebase", "--abort", check=False)

    def ignore(self, chance: Random) -> None:
        """Hide a folder by our own ignore file, or by git's, or take that back."""
        if self.hidden:
            self.hidden = ""
            (self.root / ".hunchignore").unlink(missing_ok=True)
        else:
            self.hidden = chance.choice(self.small_folders())
            (self.root / ".hunchignore").write_text(f"/{self.hidden}/\n", "utf-8")

    def ignore_by_git(self, chance: Random) -> None:
        """Add a line to git's ignore file, or take the last one out."""
        file = self.root / ".gitignore"
        lines = self.read(".gitignore").splitlines(keepends=True)
        if lines and lines[-1].startswith("/fresh"):
            lines.pop()
        else:
            lines.append(chance.choice(("/fresh/\n", "/fresh/deep1/\n")))
        file.write_text("".join(lines), "utf-8")


def edited(text: str, chance: Random, word: str) -> str:
    """Return a text with some lines inserted, replaced or deleted, one of them with the word."""
    lines = split_lines(text)
    at = chance.randrange(len(lines) + 1)
    line = f"// {word} was here\n"
    way = chance.random()
    if way < 0.2:
        del lines[at : at + chance.randrange(1, 12)]
        at = min(at, len(lines))
    elif way < 0.4:
        del lines[at : at + 1]
    lines.insert(at, line)
    if at and not lines[at - 1].endswith(("\n", "\r")):
        lines[at - 1] += "\n"
    return "".join(lines)


def changes(before: Scan, after: Scan) -> list[tuple[str, int]]:
    """Return what an editor would tell: files and folders, of deleted folders the topmost only."""
    told = [(path, CREATED) for path in sorted(after.folders - before.folders)]
    told += [(path, CREATED) for path in after.stamps.keys() - before.stamps.keys()]
    both = after.stamps.keys() & before.stamps.keys()
    told += [(path, CHANGED) for path in both if after.stamps[path] != before.stamps[path]]
    gone_folders = before.folders - after.folders
    gone = gone_folders | (before.stamps.keys() - after.stamps.keys())
    told += [(path, DELETED) for path in gone if os.path.dirname(path) not in gone_folders]  # noqa: PTH120 - of a relative path
    return told


def _stamp(place: Path) -> tuple[int, int, int] | None:
    try:
        status = place.lstat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _size(place: Path) -> int:
    stamp = _stamp(place)
    return stamp[1] if stamp else 0
