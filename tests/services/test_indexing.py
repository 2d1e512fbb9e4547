"""Indexing a folder: what is read, what is embedded, what can be found afterwards."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hunch.model import Mode
from support.engine_app import TWO, engine, index, paths, search, settled, write_files
from support.engine_dump import dump
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "net/retry.py": "def send_with_retry(request):\n    return wait_and_repeat(request)\n",
    "shop/cart.py": "def cart_total(items):\n    return sum(item.price for item in items)\n",
    "docs/guide.md": "# Colours\n\nChoose a theme in the settings dialog.\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with three files."""
    return write_files(tmp_path / "project", FILES).resolve()


@pytest.mark.asyncio
async def test_an_indexed_folder_is_ready_and_searchable(root: Path, database: Path) -> None:
    """Every file is a document with vectors, and is found by its words and by its meaning."""
    async with engine(database, HashingEmbedder()) as app:
        state = await index(app, root)
        assert (state.state, state.message) == ("ready", "")
        counts = state.counts
        assert (counts.documents, counts.pending, counts.failed, counts.skipped) == (3, 0, 0, 0)
        assert counts.chunks == counts.embedded >= 3
        assert [(s.source.root, s.documents) for s in state.sources] == [(root, 3)]
        assert state.sources[0].last_indexed is not None
        for mode in Mode:
            assert (await paths(app, "cart total", root, mode=mode))[0] == "shop/cart.py"
        hit = (await search(app, "theme settings", root))[0]
        assert (hit.path, hit.title, hit.language) == ("docs/guide.md", "Colours", "markdown")


@pytest.mark.asyncio
async def test_nothing_is_read_or_embedded_again_when_nothing_changed(
    root: Path, database: Path
) -> None:
    """A file of the same size and time is not even opened, in the same process and in the next."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        await index(app, root)
    asked = len(embedder.asked)
    cart = root / "shop/cart.py"
    before = cart.stat()
    cart.write_text(cart.read_text().replace("price", "prize"))
    os.utime(cart, ns=(before.st_atime_ns, before.st_mtime_ns))
    for _ in range(2):
        async with engine(database, embedder) as app:
            await index(app, root)
            state = await index(app, root)
            assert state.state == "ready"
            assert await paths(app, "prize", root, mode=Mode.KEYWORD) == []
            assert await paths(app, "price", root, mode=Mode.KEYWORD) == ["shop/cart.py"]
    assert len(embedder.asked) == asked


@pytest.mark.asyncio
async def test_a_touched_file_is_read_but_not_cut_again(root: Path, database: Path) -> None:
    """A new time on the same content changes nothing but the stamp."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        await index(app, root)
    before, asked = dump(database), len(embedder.asked)
    os.utime(root / "shop/cart.py", ns=(1, 1))
    async with engine(database, embedder) as app:
        await index(app, root)
    assert dump(database) == before
    assert len(embedder.asked) == asked


@pytest.mark.asyncio
async def test_only_changed_chunks_are_embedded(tmp_path: Path, database: Path) -> None:
    """Of a file in which one function changed, only that function is embedded."""
    root = write_files(tmp_path / "project", {"two.py": TWO}).resolve()
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        chunks = (await index(app, root)).counts.chunks
        assert chunks == len(embedder.asked) >= 2
        embedder.asked.clear()
        write_files(root, {"two.py": TWO.replace("ripen(2)", "peel(3)")})
        state = await index(app, root)
        assert all("second_thing" in text or "peel" in text for text in embedder.asked)
        assert 0 < len(embedder.asked) < chunks
        assert (state.counts.chunks, state.counts.embedded) == (chunks, chunks)
        assert await paths(app, "ripen", root, mode=Mode.KEYWORD) == []
        assert await paths(app, "peel", root, mode=Mode.KEYWORD) == ["two.py"]


@pytest.mark.parametrize("change", ["rename", "copy", "revert"])
@pytest.mark.asyncio
async def test_what_was_embedded_once_is_not_embedded_again(
    root: Path, database: Path, change: str
) -> None:
    """Renaming, copying, and going back to what was there before need no embedder."""
    embedder = HashingEmbedder()
    cart, other = root / "shop/cart.py", root / "sums.py"
    async with engine(database, embedder) as app:
        await index(app, root)
        expected = "sums.py"
        if change == "rename":
            cart.rename(other)
        elif change == "copy":
            other.write_bytes(cart.read_bytes())
            expected = "shop/cart.py"
        else:
            cart.write_text("nothing = 1\n")
            await index(app, root)
            cart.write_text(FILES["shop/cart.py"])
            expected = "shop/cart.py"
        embedder.asked.clear()
        state = await index(app, root)
        assert embedder.asked == []
        assert state.counts.embedded == state.counts.chunks
        assert await paths(app, "cart_total", root, mode=Mode.SEMANTIC) != []
        assert (await paths(app, "cart_total", root))[0] == expected


@pytest.mark.asyncio
async def test_a_deleted_file_is_gone(root: Path, database: Path) -> None:
    """Neither words nor meaning find what is no longer there."""
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        (root / "shop/cart.py").unlink()
        state = await index(app, root)
        assert state.counts.documents == 2
        for mode in Mode:
            assert "shop/cart.py" not in await paths(app, "cart total items", root, mode=mode)


@pytest.mark.asyncio
async def test_a_file_that_becomes_ignored_leaves_the_index(root: Path, database: Path) -> None:
    """A new ignore rule takes documents away, and taking it back brings them again."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        before = (await index(app, root)).counts
        write_files(root, {".hunchignore": "shop/\n"})
        await index(app, root)
        assert "shop/cart.py" not in await paths(app, "cart total", root)
        (root / ".hunchignore").unlink()
        embedder.asked.clear()
        assert (await index(app, root)).counts == before
        assert embedder.asked == []
        assert (await paths(app, "cart total", root))[0] == "shop/cart.py"


@pytest.mark.asyncio
async def test_skipped_files_are_listed_with_reasons(root: Path, database: Path) -> None:
    """What is passed over, opened or not, is counted, listed once, and forgotten when it is well."""
    write_files(root, {".env": "SECRET=1", "big.txt": "x\n" * 600_000, "raw.txt": "\0" * 10})
    async with engine(database, HashingEmbedder()) as app:
        for _ in range(2):
            state = await index(app, root)
            found = {problem.path: problem.state for _, problem in await app.index.problems()}
            assert found == dict.fromkeys((".env", "big.txt", "raw.txt"), "skipped")
            assert (state.counts.skipped, state.counts.documents) == (3, 3)
        write_files(root, {"big.txt": "smaller", "raw.txt": "words now"})
        (root / ".env").unlink()
        state = await index(app, root)
        assert await app.index.problems() == []
        assert (state.counts.skipped, state.counts.documents) == (0, 5)


@pytest.mark.asyncio
async def test_a_document_that_is_skipped_later_leaves_the_index(
    root: Path, database: Path
) -> None:
    """A file that grew too large or became binary is a problem and no longer a document."""
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        write_files(root, {"shop/cart.py": "x = 1\n" * 300_000, "net/retry.py": "\0\1\2" * 50})
        state = await index(app, root)
        assert (state.counts.documents, state.counts.skipped) == (1, 2)
        assert await paths(app, "cart_total send_with_retry", root, mode=Mode.KEYWORD) == []


@pytest.mark.asyncio
async def test_force_embeds_everything_again(root: Path, database: Path) -> None:
    """A forced look reads and embeds every chunk once more, and the result is the same."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        await index(app, root)
    before, first = dump(database), sorted(embedder.asked)
    embedder.asked.clear()
    async with engine(database, embedder) as app:
        state = await index(app, root, force=True)
        assert state.counts.embedded == state.counts.chunks
    assert sorted(embedder.asked) == first
    assert dump(database) == before


@pytest.mark.asyncio
async def test_an_empty_folder_is_ready(tmp_path: Path, database: Path) -> None:
    """No file, nothing to do, nothing found, and the look is remembered."""
    root = write_files(tmp_path / "empty", {}).resolve()
    async with engine(database, HashingEmbedder()) as app:
        state = await index(app, root)
        assert (state.state, state.counts.documents) == ("ready", 0)
        assert state.sources[0].last_indexed is not None
        assert await search(app, "anything", root) == ()


@pytest.mark.asyncio
async def test_a_later_look_is_told(root: Path, database: Path) -> None:
    """The moment of the last look moves on although nothing changed."""
    async with engine(database, HashingEmbedder()) as app:
        first = (await index(app, root)).sources[0].last_indexed
        second = (await index(app, root)).sources[0].last_indexed
        assert first is not None
        assert second is not None
        assert second > first


@pytest.mark.asyncio
async def test_blank_files_are_documents_without_chunks(tmp_path: Path, database: Path) -> None:
    """Files of nothing, of blanks and of one character stand beside others without harm."""
    files = {"a.py": "", "b.py": "\n\n  \n", "c.py": "x", "d.md": "", "e.py": TWO}
    root = write_files(tmp_path / "project", files).resolve()
    async with engine(database, HashingEmbedder()) as app:
        state = await index(app, root)
        assert (state.state, state.counts.documents) == ("ready", 5)
        assert (await paths(app, "ripen", root))[0] == "e.py"
        write_files(root, {"a.py": "def grown(): return 'kiwi'\n"})
        await index(app, root)
        assert (await paths(app, "kiwi", root))[0] == "a.py"
        assert (await paths(app, "ripen", root))[0] == "e.py"


@pytest.mark.asyncio
async def test_two_folders_do_not_mix(tmp_path: Path, database: Path) -> None:
    """A search of one folder finds nothing of another; everywhere finds both."""
    left = write_files(tmp_path / "left", {"a.py": "kiwi = 1\n"}).resolve()
    right = write_files(tmp_path / "right", {"b.py": "kiwi = 2\n"}).resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, left, right)
        assert await paths(app, "kiwi", left) == ["a.py"]
        assert await paths(app, "kiwi", right) == ["b.py"]
        assert sorted(await paths(app, "kiwi")) == ["a.py", "b.py"]
        app.index.close_folder(right)
        assert (await settled(app)).counts.documents == 1
        assert sorted(await paths(app, "kiwi")) == ["a.py", "b.py"]
        assert await app.index.forget(right)
        assert await paths(app, "kiwi") == ["a.py"]
        assert not await app.index.forget(right)
