"""Searching an index: whatever is asked, what is found, and in which part of it."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from hunch.errors import InvalidQuery
from hunch.model import Filter, Kind, Mode, Position, Query, Range, RelatedQuery
from hunch.store import postings
from support.engine_app import PATIENCE, engine, index, paths, search, settled, write_files
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hunch.app import App

DAY = 86_400
FILES = {
    "decisions/DEC-0054.md": "# DEC-0054 Retries\n\nRequests are sent again.\n",
    "src/foo.py": "def foo_bar(near):\n    '''See a.b for \"quotes\" and * stars.'''\n    return near\n",
    "src/ab.py": "a.b = 1  # NEAR the AND of OR and NOT\n",
    "i18n/ja.md": "# 設定\n\n色のテーマを選択してください。\n",
    "i18n/ko.md": "# 설정\n\n테마를 선택하십시오.\n",
    "i18n/ru.md": "# Настройки\n\nВыберите тему.\n",
    "web/app.ts": "export function chooseTheme(color: string) { return color }\n",
    "web2/app.ts": "export function chooseThemeAgain(color: string) { return color + color }\n",
    "odd/nul.txt": "before\x0bafter verticaltab\n",
}


@pytest_asyncio.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    """An engine that has indexed the files above."""
    root = write_files(tmp_path / "project", FILES).resolve()
    for number, path in enumerate(sorted(FILES)):
        os.utime(root / path, (number * DAY, number * DAY))
    async with engine(tmp_path / "index.db", HashingEmbedder()) as app:
        await index(app, root)
        yield app


def root_of(tmp_path: Path) -> Path:
    return (tmp_path / "project").resolve()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DEC-0054", "decisions/DEC-0054.md"),
        ("dec 0054", "decisions/DEC-0054.md"),
        ("foo_bar", "src/foo.py"),
        ("fooBar", "src/foo.py"),
        ("FooBar()", "src/foo.py"),
        ("a.b", "src/ab.py"),
        ('"quotes"', "src/foo.py"),
        ('"foo_bar', "src/foo.py"),
        ("NEAR", "src/foo.py"),
        ("foo_bar AND", "src/foo.py"),
        ("NEAR(foo_bar", "src/foo.py"),
        ("foo*", "src/foo.py"),
        ("title:foo_bar", "src/foo.py"),
        ("-foo_bar", "src/foo.py"),
        ("foo_bar\0", "src/foo.py"),
        ("foo_bar \ud800", "src/foo.py"),
        ("foo_bar 😀", "src/foo.py"),
        ("foo_bar " + "x" * 10_000, "src/foo.py"),
        ("テーマ", "i18n/ja.md"),
        ("色のテーマを選択", "i18n/ja.md"),
        ("設定", "i18n/ja.md"),
        ("테마를", "i18n/ko.md"),
        ("настройки", "i18n/ru.md"),
        ("choose_theme", "web/app.ts"),
    ],
)
@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.asyncio
async def test_what_people_type_is_found(app: App, text: str, found: str, mode: Mode) -> None:
    """Operators of search engines, other scripts and broken text are words like any other."""
    assert (await paths(app, text, mode=mode))[0] == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        '"',
        "*",
        "😀",
        "\0",
        "\ud800",
        "' ZXQV --",
        "(((",
        "\\",
        "%",
        "zxqv",
        "…",
        "ＺＸＱＶ" * 2,
    ],
)
@pytest.mark.parametrize("mode", [*Mode])
@pytest.mark.asyncio
async def test_nonsense_finds_nothing(app: App, text: str, mode: Mode) -> None:
    """What holds no word that anybody knows gives no hit and no error."""
    assert await paths(app, text, mode=mode) == []


@pytest.mark.parametrize(
    ("only", "found"),
    [
        (
            Filter(kinds=frozenset({Kind.CODE})),
            {"src/foo.py", "src/ab.py", "web/app.ts", "web2/app.ts"},
        ),
        (Filter(languages=frozenset({"typescript"})), {"web/app.ts", "web2/app.ts"}),
        (Filter(languages=frozenset({"cobol"})), set()),
        (Filter(kinds=frozenset()), set()),
        (Filter(include=("web/",)), {"web/app.ts"}),
        (Filter(include=("*.ts", "*.py"), exclude=("web*/",)), {"src/foo.py", "src/ab.py"}),
        (Filter(exclude=("*.md", "*.txt", "*.ts")), {"src/foo.py", "src/ab.py"}),
        (Filter(since=datetime.fromtimestamp(7 * DAY, UTC)), {"web/app.ts", "web2/app.ts"}),
        (Filter(until=datetime.fromtimestamp(0, UTC)), {"decisions/DEC-0054.md"}),
        (
            Filter(
                since=datetime.fromtimestamp(DAY, UTC), until=datetime.fromtimestamp(2 * DAY, UTC)
            ),
            {"i18n/ja.md", "i18n/ko.md"},
        ),
        (Filter(agents=frozenset({"any"})), set()),
    ],
)
@pytest.mark.asyncio
async def test_filters(app: App, tmp_path: Path, only: Filter, found: set[str]) -> None:
    """Each filter lets through what it names and nothing else, and they are combined by and."""
    text = "choose theme color foo_bar near a b requests テーマ 테마를 тему verticaltab"
    for mode in (Mode.KEYWORD, Mode.HYBRID):
        hits = await search(app, text, root_of(tmp_path), only=only, mode=mode)
        assert {hit.path for hit in hits} == found


@pytest.mark.asyncio
async def test_folders_are_compared_by_their_parts(app: App, tmp_path: Path) -> None:
    """The folder `web` does not hold what is in `web2`; a file is a folder of one."""
    root = root_of(tmp_path)
    for folders, found in (
        ((root / "web",), {"web/app.ts"}),
        ((root / "web", root / "web2"), {"web/app.ts", "web2/app.ts"}),
        ((root / "web2/app.ts",), {"web2/app.ts"}),
        ((root,), {"web/app.ts", "web2/app.ts"}),
        ((root.parent,), {"web/app.ts", "web2/app.ts"}),
        ((root / "we",), set()),
    ):
        only = Filter(folders=folders)
        hits = await search(app, "choose theme", root, only=only, mode=Mode.KEYWORD)
        assert {hit.path for hit in hits} == found


@pytest.mark.asyncio
async def test_a_malformed_glob_names_its_field(app: App, tmp_path: Path) -> None:
    """A glob that is none is the asker's mistake and told as such."""
    with pytest.raises(InvalidQuery, match=r"filter\.exclude"):
        await search(app, "theme", root_of(tmp_path), only=Filter(exclude=("!",)))


@pytest.mark.asyncio
async def test_the_result_says_how_it_was_made(app: App, tmp_path: Path) -> None:
    """Mode, state and time belong to the answer; a query without words is answered by keyword."""
    query = Query("choose theme", roots=(root_of(tmp_path),))
    result = await app.search.search(query)
    assert (result.mode, result.state.state) == (Mode.HYBRID, "ready")
    assert result.took_ms > 0
    hit = result.hits[0]
    assert {"semantic", "keyword"} <= set(hit.signals)
    assert 0 < hit.score <= 1
    assert (hit.language, hit.kind, hit.stale) == ("typescript", Kind.CODE, False)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A folder with two hundred files that all speak of apples, a hundred of them in `left`."""
    files = {
        f"{'left' if n % 2 else 'right'}/m{n}.py": (
            f"def pick_{n}():\n    return '{'apple ' * (1 + n % 17)}{'kiwi ' * (n % 13)}{n}'\n"
        )
        for n in range(200)
    }
    return write_files(tmp_path / "many", files).resolve()


@pytest.mark.parametrize("mode", [*Mode])
@pytest.mark.asyncio
async def test_a_filter_narrows_before_the_ranking(many: Path, tmp_path: Path, mode: Mode) -> None:
    """Where the best hits are excluded, as many others are found."""
    async with engine(tmp_path / "index.db", HashingEmbedder()) as app:
        await index(app, many)
        first = await search(app, "apple", many, mode=mode, limit=50)
        assert len(first) == 50
        only = Filter(exclude=tuple(hit.path for hit in first))
        others = await search(app, "apple", many, mode=mode, limit=50, only=only)
        assert len(others) == 50
        assert not {hit.path for hit in others} & {hit.path for hit in first}
        only = Filter(include=("left/m1.py",))
        assert [h.path for h in await search(app, "apple", many, mode=mode, only=only)] == [
            "left/m1.py"
        ]


@pytest.mark.parametrize("mode", [*Mode])
@pytest.mark.asyncio
async def test_pages_are_parts_of_one_ranking(many: Path, tmp_path: Path, mode: Mode) -> None:
    """Page by page gives what all at once gives; behind the last page there is nothing."""
    async with engine(tmp_path / "index.db", HashingEmbedder()) as app:
        await index(app, many)
        hits = await search(app, "apple kiwi", many, mode=mode, limit=200)
        whole = [hit.chunk_id for hit in hits]
        paged: list[int] = []
        for offset in range(0, 200, 20):
            page = await search(app, "apple kiwi", many, mode=mode, limit=20, offset=offset)
            paged += [hit.chunk_id for hit in page]
        assert paged == whole
        assert len(set(whole)) == len(whole) == 200
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert await search(app, "apple kiwi", many, mode=mode, offset=10_000) == ()


@pytest.mark.asyncio
async def test_keywords_are_found_while_segments_are_merged(many: Path, tmp_path: Path) -> None:
    """A search with a picture of the index from before a merge finds what it found before."""
    async with engine(tmp_path / "index.db", HashingEmbedder()) as app:
        await index(app, many)
        before = await search(app, "apple", many, mode=Mode.KEYWORD)
        held = await app.search._snapshots.get(app.search._embedder.fingerprint)

        class Held:
            async def get(self, fingerprint: str | None, *, busy: bool = False) -> object:
                return held

        segments = await app.index._database.read(postings.segment_ids)
        await app.index._database.write(postings.merge, segments)
        app.search._snapshots = Held()  # type: ignore[assignment]
        assert await search(app, "apple", many, mode=Mode.KEYWORD) == before


@pytest.mark.skipif(sys.platform == "win32", reason="an open file stays on Windows")
@pytest.mark.asyncio
async def test_a_picture_of_another_index_is_not_used(many: Path, tmp_path: Path) -> None:
    """A search whose index is replaced under it answers from the one that is there then."""
    path, other = tmp_path / "index.db", tmp_path / "other.db"
    root = write_files(tmp_path / "other", {"pie.py": "def pie(apple):\n    return apple\n"})
    async with engine(other, HashingEmbedder()) as app:
        await index(app, root.resolve())
    async with engine(path, HashingEmbedder()) as app:
        await index(app, many)
        assert await search(app, "apple", many, mode=Mode.KEYWORD)
        snapshots = app.search._snapshots
        get = snapshots.get

        class Lost:
            async def get(self, fingerprint: str | None, *, busy: bool = False) -> object:
                before = await get(fingerprint)
                other.replace(path)
                app.search._snapshots = snapshots
                return before

        app.search._snapshots = Lost()  # type: ignore[assignment]
        assert await search(app, "apple", many, mode=Mode.KEYWORD) == ()


RELATED = {
    "a.py": "def first(apple):\n    return peel(apple, 'knife')\n\n\n"
    + "# filler words here\n" * 60
    + "def second(apple):\n    return peel(apple, 'knife', 2)\n",
    "b.py": "def third(apple):\n    return peel(apple, 'knife', 3)\n",
    "c.md": "# Weather\n\nRain in the morning.\n",
}


@pytest.mark.parametrize("answers", [True, False])
@pytest.mark.asyncio
async def test_related_code_is_never_the_place_itself(tmp_path: Path, answers: bool) -> None:
    """Hits like a piece of code do not touch it, with vectors and without."""
    root = write_files(tmp_path / "project", RELATED).resolve()
    embedder = HashingEmbedder()
    async with engine(tmp_path / "index.db", embedder) as app:
        await index(app, root)
        embedder.answers = answers
        place = Range(Position(0, 0), Position(2, 0))
        text = RELATED["a.py"].split("\n\n\n")[0]
        asked = RelatedQuery(text, root / "a.py", place, roots=(root,))
        async with asyncio.timeout(PATIENCE):
            result = await app.search.related(asked)
        assert result.mode is (Mode.HYBRID if answers else Mode.KEYWORD)
        assert result.hits[0].path == "b.py"
        for hit in result.hits:
            assert hit.path != "a.py" or hit.range.start.line > 2
        everything = RelatedQuery(text, root / "a.py", None, roots=(root,))
        assert "a.py" not in {hit.path for hit in (await app.search.related(everything)).hits}
        elsewhere = RelatedQuery(text, None, None, roots=(root,))
        assert "a.py" in {hit.path for hit in (await app.search.related(elsewhere)).hits}


SYMBOLS = {
    "s.py": "\n\n\n".join(
        f"def {name}(x):\n    return '{name * 3}' + x"
        for name in ("send", "sender", "resend", "send_again", "s_e_n_d", "unrelated", "Sẽnd")
    )
    + "\n",
    "t.py": "".join(
        f"class {name}:\n    def render(self):\n        return '{name}'\n\n\n"
        for name in [f"Thing{n}" for n in range(40)] + ["Target"]
    ),
}


@pytest.mark.asyncio
async def test_symbols_are_found_exact_first(tmp_path: Path) -> None:
    """The name itself comes first, then names that begin with it, hold it, hold its letters."""
    root = write_files(tmp_path / "project", SYMBOLS).resolve()
    async with engine(tmp_path / "index.db", HashingEmbedder()) as app:
        await index(app, root)

        async def names(text: str, limit: int = 10) -> list[str]:
            found = await app.search.symbols(text, roots=(root,), limit=limit)
            return [symbol.definition.name for symbol in found]

        assert await names("send") == ["send", "sender", "send_again", "resend", "s_e_n_d"]
        assert await names("SEND", 2) == ["send", "sender"]
        assert (await names("sndagn"))[0] == "send_again"
        assert await names("s_e") == ["s_e_n_d"]
        for nothing in ("", " ", "%", "_%", "\\", "zxqv", "x" * 5_000, "\0", "\ud800", "..", "::"):
            assert await names(nothing) == []
        assert await app.search.symbols("send", roots=(), limit=5) == []
        [send] = await app.search.symbols("send", roots=(root,), limit=1)
        assert (send.path, send.definition.line, send.character, send.end) == ("s.py", 0, 4, 8)
        [target] = await app.search.symbols("Target.render", roots=(root,), limit=1)
        assert target.definition.path == "Target.render"
        [target] = await app.search.symbols("Target::render", roots=(root,), limit=1)
        assert target.definition.path == "Target.render"


@pytest.mark.asyncio
async def test_a_search_while_indexing_answers_with_what_is_there(
    many: Path, tmp_path: Path
) -> None:
    """Before all vectors are made, words are found, and the state says that work goes on."""
    embedder = HashingEmbedder()
    embedder.open.clear()
    async with engine(tmp_path / "index.db", embedder) as app:
        waiting = asyncio.Event()
        embedder.before_batch = waiting.set
        app.index.open_folder(many)
        async with asyncio.timeout(PATIENCE):
            await waiting.wait()
            result = await app.search.search(Query("apple", roots=(many,)))
        assert result.state.state == "indexing"
        assert result.hits
        embedder.open.set()
        assert (await settled(app)).state == "ready"


@pytest.mark.asyncio
async def test_a_query_does_not_wait_longer_than_it_may(many: Path, tmp_path: Path) -> None:
    """When the vector of a query takes too long, the answer is by keyword."""

    class Slow(HashingEmbedder):
        async def embed_query(self, text: str) -> object:  # type: ignore[override]
            await asyncio.Event().wait()
            raise AssertionError

    async with engine(tmp_path / "index.db", Slow()) as app:
        await index(app, many)
        async with asyncio.timeout(PATIENCE):
            result = await app.search.search(Query("apple", roots=(many,), patience=0.01))
        assert result.mode is Mode.KEYWORD
        assert result.hits
        assert result.state.state == "ready"
