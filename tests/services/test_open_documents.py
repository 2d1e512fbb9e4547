"""Open documents are searched as they are on the screen, saved or not."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest

from hunch.model import Filter, Mode, Position, Range, RelatedQuery
from support.engine_app import PATIENCE, TWO, engine, index, search, write_files
from support.engine_embedder import HashingEmbedder
from support.screen import Screen

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.app import App
    from hunch.model import Hit

SAVED = "def mellow(banana):\n    return banana.yellow\n"
FILES = {"fruit.py": SAVED, "two.py": TWO, "other.py": "x = 1\n"}
PEELED = "\n\ndef peel(orange):\n    return orange.segments\n"


async def by_words(app: App, text: str, *roots: Path) -> list[tuple[str, str]]:
    """Return path and title of what is found by words alone."""
    hits = await search(app, text, *roots, mode=Mode.KEYWORD)
    return [(hit.path, hit.title) for hit in hits]


async def by_meaning(app: App, text: str, title: str, *roots: Path) -> Hit:
    """Wait until a chunk is found by its vector, and return it."""
    async with asyncio.timeout(PATIENCE):
        while True:
            for hit in await search(app, text, *roots, mode=Mode.SEMANTIC):
                if hit.title == title and hit.signals.get("semantic", 0) > 0.3:
                    return hit


@pytest.mark.asyncio
async def test_unsaved_text_is_found_at_once_and_text_that_was_deleted_is_not(
    tmp_path: Path, database: Path
) -> None:
    """What is typed is found by its words, at its place in the buffer, before anything is saved."""
    root = write_files(tmp_path / "project", FILES).resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        screen = Screen(app, root)
        uri = screen.open("fruit.py", SAVED)
        assert await by_words(app, "mellow", root) == [("fruit.py", "mellow")]
        screen.change(uri, PEELED)
        assert await by_words(app, "mellow", root) == []
        [hit] = await search(app, "peel", root, mode=Mode.KEYWORD)
        assert (hit.path, hit.uri, hit.title, hit.range.start.line) == ("fruit.py", uri, "peel", 2)
        screen.close(uri)
        assert await by_words(app, "peel", root) == []
        assert await by_words(app, "mellow", root) == [("fruit.py", "mellow")]


@pytest.mark.asyncio
async def test_only_new_text_is_embedded_and_saving_embeds_nothing_again(
    tmp_path: Path, database: Path
) -> None:
    """An edit costs the vectors of the chunks it touches, once."""
    root = write_files(tmp_path / "project", FILES).resolve()
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        await index(app, root)
        screen = Screen(app, root)
        uri = screen.open("two.py", TWO)
        asked = len(embedder.asked)
        edited = TWO.replace("banana", "cucumber")
        screen.change(uri, edited)
        hit = await by_meaning(app, "cucumber ripen", "second_thing", root)
        assert hit.uri == uri
        assert len(embedder.asked) == asked + 1
        assert "cucumber" in embedder.asked[-1]
        (root / "two.py").write_text(edited, "utf-8")
        await index(app, root)
        hit = await by_meaning(app, "cucumber ripen", "second_thing", root)
        assert (hit.path, hit.uri) == ("two.py", "")
        assert len(embedder.asked) == asked + 1


@pytest.mark.asyncio
async def test_a_document_without_a_file_is_found_in_every_scope(
    tmp_path: Path, database: Path
) -> None:
    """An untitled buffer belongs to no folder and is found all the same, until it is closed."""
    root = write_files(tmp_path / "project", FILES).resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        screen = Screen(app, root)
        uri = screen.open_untitled("Untitled-1.py", PEELED)
        for roots in ((root,), ()):
            [hit] = await search(app, "peel", *roots, mode=Mode.KEYWORD)
            assert (hit.uri, hit.path, hit.language) == (uri, "Untitled-1.py", "python")
        screen.close(uri)
        assert await by_words(app, "peel", root) == []


@pytest.mark.asyncio
async def test_the_cells_of_an_open_notebook_stand_for_its_file(
    tmp_path: Path, database: Path
) -> None:
    """Each cell is found under its own name, and the saved notebook is not found beside it."""
    cell = '{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["mellow = 1"]}'
    saved = f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'
    root = write_files(tmp_path / "project", {"work.ipynb": saved}).resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        assert [path for path, _ in await by_words(app, "mellow", root)] == ["work.ipynb"]
        screen = Screen(app, root)
        first = screen.open_cell("work.ipynb", 1, "mellow = 2\n")
        screen.open_cell("work.ipynb", 2, "# Peeling\n\nOranges first.\n", "cell.md")
        [hit] = await search(app, "mellow", root, mode=Mode.KEYWORD)
        assert (hit.path, hit.uri, hit.range.start) == ("work.ipynb", first, Position(0))
        assert await by_words(app, "oranges", root) == [("work.ipynb", "Peeling")]


@pytest.mark.asyncio
@pytest.mark.parametrize("path", [".env", "ignored/notes.md", "made.min.js", "package-lock.json"])
async def test_what_the_index_would_not_take_is_not_searched_unsaved(
    tmp_path: Path, database: Path, path: str
) -> None:
    """A secret or an ignored file is left out, saved or not."""
    root = write_files(tmp_path / "project", {**FILES, ".gitignore": "ignored/\n"}).resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        Screen(app, root).open(path, "mellow the pomegranate\n")
        assert await by_words(app, "pomegranate", root) == []


@pytest.mark.asyncio
async def test_names_are_those_on_the_screen(tmp_path: Path, database: Path) -> None:
    """Symbols come from the buffer, and renamed ones are not found under their saved name."""
    root = write_files(tmp_path / "project", FILES).resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        uri = Screen(app, root).open("fruit.py", PEELED)
        assert await app.search.symbols("mellow", roots=(root,), limit=9) == []
        [symbol] = await app.search.symbols("PEE", roots=(root,), limit=9)
        assert (symbol.uri, symbol.definition.line, symbol.character) == (uri, 2, 4)


@pytest.mark.asyncio
async def test_related_code_leaves_out_the_place_in_the_buffer(
    tmp_path: Path, database: Path
) -> None:
    """Asking about an unsaved place never answers with that place, wherever it has moved to."""
    root = write_files(tmp_path / "project", {**FILES, "copy.py": SAVED + "\n# again\n"}).resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        screen = Screen(app, root)
        moved = "# a new line\n\n\n" + SAVED
        uri = screen.open("fruit.py", moved)
        place = Range(Position(3), Position(5))
        for path, name in ((root / "fruit.py", uri), (None, screen.open_untitled("a.py", moved))):
            query = RelatedQuery(SAVED, path=path, uri=name, range=place, roots=(root,))
            found = [hit.uri or hit.path for hit in (await app.search.related(query)).hits]
            assert name not in found
            assert "copy.py" in found


@pytest.mark.asyncio
async def test_an_overlay_is_searched_as_if_it_were_saved(tmp_path: Path) -> None:
    """After every edit, the same hits are found at the same places as in an index of saved files."""
    chance = random.Random(7)
    files = {f"file{n}.py": SAVED.replace("banana", f"fruit{n}") + "\n" + TWO for n in range(3)}
    shown = write_files(tmp_path / "shown", files).resolve()
    saved = write_files(tmp_path / "saved", files).resolve()
    async with (
        engine(tmp_path / "a.db", HashingEmbedder()) as with_screen,
        engine(tmp_path / "b.db", HashingEmbedder()) as with_files,
    ):
        await index(with_screen, shown)
        await index(with_files, saved)
        screen = Screen(with_screen, shown)
        uris = {path: screen.open(path, text) for path, text in files.items()}
        for _ in range(6):
            path = chance.choice([*files])
            lines = files[path].splitlines(keepends=True)
            at = chance.randrange(len(lines))
            lines[at : at + chance.randrange(3)] = [f"# fruit{chance.randrange(9)} {at}\n"]
            files[path] = "".join(lines)
            screen.change(uris[path], files[path])
            (saved / path).write_text(files[path], "utf-8")
            await index(with_files, saved)
            for query in ("mellow", "fruit1", "second thing banana", "grow apple"):
                expected = await search(with_files, query, saved, mode=Mode.KEYWORD)
                found = await search(with_screen, query, shown, mode=Mode.KEYWORD)
                assert {(h.path, h.range, h.snippet) for h in found} == {
                    (h.path, h.range, h.snippet) for h in expected
                }


@pytest.mark.asyncio
async def test_a_file_in_two_open_folders_is_one_hit(tmp_path: Path, database: Path) -> None:
    """Of nested folders the inner one tells; closed, it does so only where nothing else can."""
    root = write_files(tmp_path / "outer", {"inner/fruit.py": SAVED, "other.py": "x = 1\n"})
    root, inner = root.resolve(), (root / "inner").resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root, inner)
        assert await by_words(app, "mellow", root, inner) == [("fruit.py", "mellow")]
        assert await by_words(app, "mellow", root) == [("inner/fruit.py", "mellow")]
        assert len(await by_words(app, "mellow")) == 1
        uri = Screen(app, inner).open("fruit.py", PEELED)
        assert await by_words(app, "mellow") == []
        everywhere = Filter(everywhere=True)
        [hit] = await search(app, "peel", mode=Mode.KEYWORD, only=everywhere)
        assert (hit.uri, hit.path) == (uri, "fruit.py")


@pytest.mark.asyncio
async def test_a_document_whose_file_is_let_in_again_is_found_again(
    tmp_path: Path, database: Path
) -> None:
    """What was typed while an ignore file hid the document is found when it does so no more."""
    root = write_files(tmp_path / "project", FILES).resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        screen = Screen(app, root)
        uri = screen.open("fruit.py", SAVED)
        write_files(root, {".hunchignore": "fruit.py\n"})
        await index(app, root)
        screen.change(uri, PEELED)
        assert await by_words(app, "peel", root) == []
        (root / ".hunchignore").unlink()
        await index(app, root)
        assert await by_words(app, "peel", root) == [("fruit.py", "peel")]


@pytest.mark.asyncio
async def test_a_file_that_changes_below_an_open_document_does_not_show_through(
    tmp_path: Path, database: Path
) -> None:
    """The very first search after the index has taken in another version finds what is on the screen."""
    root = write_files(tmp_path / "project", FILES).resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        Screen(app, root).open("fruit.py", SAVED)
        assert await by_words(app, "mellow", root) == [("fruit.py", "mellow")]
        write_files(root, {"fruit.py": PEELED})
        await index(app, root)
        assert await by_words(app, "peel", root) == []
        assert await by_words(app, "mellow", root) == [("fruit.py", "mellow")]
