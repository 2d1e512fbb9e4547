"""The built-in embedder with its real vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import pytest_asyncio

from hunch.embedding import static_model
from hunch.embedding.builtin import MODEL, BuiltinEmbedder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest_asyncio.fixture
async def embedder() -> AsyncIterator[BuiltinEmbedder]:
    """Give the embedder that ships with Hunch."""
    embedder = BuiltinEmbedder()
    yield embedder
    await embedder.aclose()


@pytest.mark.asyncio
async def test_vectors_have_unit_length_and_follow_the_texts(embedder: BuiltinEmbedder) -> None:
    """Row i is the vector of text i, whatever stands beside it and however many there are."""
    texts = [f"def handler_{n}(request): return retry(request, {n})" for n in range(150)]
    embedded = await embedder.embed_documents(texts)
    assert embedded.vectors.shape == (150, 256)
    assert embedded.vectors.dtype == np.float32
    assert embedded.failures == {}
    np.testing.assert_allclose(np.linalg.norm(embedded.vectors, axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(embedded.vectors[149], await embedder.embed_query(texts[149]))


@pytest.mark.asyncio
async def test_related_words_are_nearer_than_unrelated_ones(embedder: BuiltinEmbedder) -> None:
    """A question is nearest to the code that answers it, without sharing a word."""
    query = await embedder.embed_query("delete a folder with everything in it")
    embedded = await embedder.embed_documents(
        [
            "def rmtree(path): os.unlink(path); os.rmdir(path)",
            "def parse_json(text): return json.loads(text)",
            "class HttpClient: def get(self, url): ...",
        ]
    )
    assert int(np.argmax(embedded.vectors @ query)) == 0


@pytest.mark.asyncio
async def test_a_text_without_known_words_has_a_zero_vector(embedder: BuiltinEmbedder) -> None:
    """A text or query of which nothing is known gets zeros, and that is no failure."""
    embedded = await embedder.embed_documents(["open a file", "…", ""])
    assert embedded.failures == {}
    assert embedded.vectors.any(axis=1).tolist() == [True, False, False]
    assert not (await embedder.embed_query("…")).any()


@pytest.mark.asyncio
async def test_no_texts_give_no_vectors(embedder: BuiltinEmbedder) -> None:
    """An empty batch has the right width."""
    assert (await embedder.embed_documents([])).vectors.shape == (0, 256)


def test_the_shipped_file_carries_its_version_and_fingerprint() -> None:
    """The fingerprint names the file's content and can be read without loading it."""
    assert static_model.header(MODEL) == ("abf234da129e7ba0", 256)
    assert BuiltinEmbedder().fingerprint == "builtin/static-v1/abf234da129e7ba0/2"


def _tiny(path: Path, value: int) -> Path:
    vectors = np.array([[value, 0], [0, value]], np.int8)
    static_model.write(path, vectors, np.ones(2, np.float16), ["cat", "dog"])
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """A written file gives the vectors that the arithmetic in its description gives."""
    model = static_model.read(_tiny(tmp_path / "tiny.npz", 100))
    expected = np.array([1 + np.log(3), 1]) / np.hypot(1 + np.log(3), 1)
    np.testing.assert_allclose(model.embed("cat cat dog CAT"), expected, rtol=1e-6)


def test_other_vectors_have_another_fingerprint(tmp_path: Path) -> None:
    """Equal arrays share a fingerprint; a changed one has its own."""
    headers = [static_model.header(_tiny(tmp_path / f"{n}.npz", n)) for n in (3, 4)]
    again = static_model.header(_tiny(tmp_path / "again.npz", 3))
    assert headers[0] == again
    assert headers[0] != headers[1]


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    """The reader does not guess at a format that it does not know."""
    path = tmp_path / "future.npz"
    np.savez(path, version=np.array(2))
    with pytest.raises(ValueError, match="version 2, not 1"):
        static_model.read(path)
