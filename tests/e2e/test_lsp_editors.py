"""Two editors, as their capabilities describe them, use the server over a real project."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

from support.lsp_raw import SERVE, private_env
from support.lsp_workspace import FILES, RESEND, RETRY, make_workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.asyncio(loop_scope="module")
SECONDS = 30


class Editor:
    """A client, the project it has open, and the short forms of what tests do with them."""

    def __init__(self, client: LanguageClient, root: Path, name: str) -> None:
        self.client = client
        self.root = root
        self.name = name
        self.changed = asyncio.Event()

        @client.feature("hunch/didChangeStatus")
        def changed(_: Any) -> None:
            self.changed.set()

    def uri(self, name: str) -> str:
        """Return the URI of a file of the project."""
        return (self.root / name).as_uri()

    async def ask(self, method: str, params: Any = None) -> Any:
        """Send a request and return its result."""
        async with asyncio.timeout(SECONDS):
            return await self.client.protocol.send_request_async(method, params)

    async def paths(self, method: str, **params: Any) -> list[str]:
        """Return the paths of the hits, best first, each once."""
        result = await self.ask(method, params)
        return [*dict.fromkeys(hit.detail for hit in result.hits)]

    async def until(self, condition: Any) -> None:
        """Wait until the server's state fits; it is asked for, so that none is missed."""
        async with asyncio.timeout(SECONDS):
            while True:
                # Cleared before the question: what changes after it is not missed.
                self.changed.clear()
                if condition(await self.ask("hunch/status")):
                    return
                await self.changed.wait()

    def open(self, name: str, text: str) -> None:
        """Show a file to the server as it is on the screen."""
        item = lsp.TextDocumentItem(self.uri(name), "python", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def close(self, name: str) -> None:
        """Take a file from the screen."""
        document = lsp.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))


def is_ready(state: Any) -> bool:
    return state.state == "ready"


@pytest_asyncio.fixture(
    loop_scope="module", scope="module", params=["visual_studio_code", "neovim"]
)
async def editor(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Editor]:
    folder = tmp_path_factory.mktemp(request.param)
    root = make_workspace(folder / "shop")
    client = make_test_lsp_client()
    client.set_configuration({"hunch": {"embedder": "builtin"}})
    env = {**os.environ, **private_env(folder)}
    async with asyncio.timeout(SECONDS):
        await client.start_io(*SERVE, env=env)
        params = lsp.InitializeParams(
            capabilities=client_capabilities(request.param),
            process_id=os.getpid(),
            workspace_folders=[lsp.WorkspaceFolder(root.as_uri(), "shop")],
            initialization_options={"embedder": "builtin"},
        )
        editor = Editor(client, root, request.param)
        await client.initialize_session(params)
        await editor.until(lambda state: is_ready(state) and state.counts.documents == len(FILES))
    yield editor
    async with asyncio.timeout(SECONDS):
        await client.shutdown_session()
        await client.stop()


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("sum of the shopping basket", "web/cart.ts"),
        ("check credentials at sign in", "web/login.ts"),
        ("what happens to the data at night", "docs/guide.md"),
        ("evict old entries", "src/cache.py"),
    ],
)
async def test_a_question_finds_the_file_that_answers_it(
    editor: Editor, question: str, path: str
) -> None:
    """A file is found by what it does, in words that it does not use."""
    assert (await editor.paths("hunch/search", query=question))[:1] == [path]


async def test_a_hit_points_at_its_text(editor: Editor) -> None:
    """The text of the file in a hit's snippet range is the snippet, inside the hit's range."""
    result = await editor.ask("hunch/search", {"query": "forget the least recently used entry"})
    hit = result.hits[0]
    lines = FILES[hit.detail].splitlines(keepends=True)
    shown = hit.snippetRange
    text = "".join(lines[shown.start.line : shown.end.line + 1])
    assert hit.snippet.strip() in text
    assert hit.range.start.line <= shown.start.line <= shown.end.line <= hit.range.end.line
    assert hit.uri == editor.uri(hit.detail)
    assert 0 < hit.score <= 1


async def test_filters_narrow_what_is_found(editor: Editor) -> None:
    """Only what the filter lets through is found, whatever would rank higher."""
    found = await editor.paths(
        "hunch/search", query="failure", filter={"languages": ["typescript"]}
    )
    assert set(found) <= {"web/cart.ts", "web/login.ts"}
    found = await editor.paths(
        "hunch/search", query="retry", filter={"folders": [editor.uri("docs")]}
    )
    assert set(found) <= {"docs/guide.md"}
    found = await editor.paths("hunch/search", query="retry", filter={"exclude": ["src/**"]})
    assert not {path for path in found if path.startswith("src/")}


async def test_pages_continue_one_ranking(editor: Editor) -> None:
    """The second page begins where the first one ended."""
    whole = await editor.ask("hunch/search", {"query": "request", "limit": 4})
    page = await editor.ask("hunch/search", {"query": "request", "limit": 2, "offset": 2})
    assert [hit.uri for hit in page.hits] == [hit.uri for hit in whole.hits][2:]


async def test_related_code_leaves_itself_out(editor: Editor) -> None:
    """Code like the function at a position is found, but not that function."""
    where = {
        "textDocument": {"uri": editor.uri("src/net/retry.py")},
        "position": {"line": 12, "character": 9},
    }
    result = await editor.ask("hunch/related", where)
    assert result.hits[0].detail == "src/mail/resend.py"
    assert not [
        h
        for h in result.hits
        if h.detail == "src/net/retry.py" and h.range.start.line <= 12 < h.range.end.line
    ]


async def test_related_code_of_an_unsaved_selection(editor: Editor) -> None:
    """What was typed but not saved is what is asked about, counted as the editor counts."""
    name = "src/mail/resend.py"
    editor.open(name, RESEND)
    typed = lsp.TextDocumentContentChangePartial(
        lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0)),
        "# 😀\f\u2028 price * quantity * discount\n",
    )
    version = lsp.VersionedTextDocumentIdentifier(2, editor.uri(name))
    editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(version, [typed]))
    selection = {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 99}}
    found = await editor.paths(
        "hunch/related", textDocument={"uri": editor.uri(name)}, range=selection
    )
    editor.close(name)
    assert found[:1] == ["web/cart.ts"]


async def test_related_code_of_a_buffer_without_a_file(editor: Editor) -> None:
    """A new, untitled buffer can be asked about as long as it is open."""
    document = lsp.TextDocumentItem("untitled:Untitled-1", "python", 1, RETRY)
    where = {"textDocument": {"uri": document.uri}, "position": {"line": 13, "character": 0}}
    editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
    found = await editor.paths("hunch/related", **where)
    identifier = lsp.TextDocumentIdentifier(document.uri)
    editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(identifier))
    assert "src/net/retry.py" in found


async def test_symbols_by_name_come_before_places_by_meaning(editor: Editor) -> None:
    """Exact names first, then longer ones, then what means the same, and nothing twice."""
    symbols = await editor.ask("workspace/symbol", lsp.WorkspaceSymbolParams("send"))
    names = [symbol.name for symbol in symbols]
    assert names[:2] == ["Client.send", "Client.send_with_retry"]
    assert "src/mail/resend.py" in [symbol.container_name for symbol in symbols]
    places = [(s.name, s.location.uri, s.location.range.start.line) for s in symbols]
    assert len(places) == len(set(places))


async def test_a_symbol_has_its_whole_place(editor: Editor) -> None:
    """A symbol's range is its name in the file, and resolving it changes nothing."""
    [symbol, *_] = await editor.ask("workspace/symbol", lsp.WorkspaceSymbolParams("totalPrice"))
    line = FILES["web/cart.ts"].splitlines()[symbol.location.range.start.line]
    found = line[symbol.location.range.start.character : symbol.location.range.end.character]
    assert (symbol.name, found) == ("totalPrice", "totalPrice")
    assert (symbol.container_name, symbol.location.uri) == (
        "web/cart.ts",
        editor.uri("web/cart.ts"),
    )
    item = lsp.WorkspaceSymbol(symbol.location, symbol.name, symbol.kind)
    resolved = await editor.ask("workspaceSymbol/resolve", item)
    assert resolved.location.range == symbol.location.range


async def test_no_symbols_for_an_empty_query(editor: Editor) -> None:
    """An empty query answers an empty list."""
    assert await editor.ask("workspace/symbol", lsp.WorkspaceSymbolParams("")) == []


@pytest.mark.parametrize(
    "context",
    [
        lsp.CodeActionContext([], trigger_kind=lsp.CodeActionTriggerKind.Automatic),
        lsp.CodeActionContext([], only=["quickfix"]),
        lsp.CodeActionContext([], only=["hunch.related.more"]),
    ],
)
async def test_no_code_action_that_nobody_asked_for(
    editor: Editor, context: lsp.CodeActionContext
) -> None:
    """Moving the cursor and asking for quick fixes offers nothing."""
    document = lsp.TextDocumentIdentifier(editor.uri("src/cache.py"))
    here = lsp.Range(lsp.Position(6, 0), lsp.Position(6, 0))
    params = lsp.CodeActionParams(document, here, context)
    assert not await editor.ask("textDocument/codeAction", params)


async def test_problems_are_listed(editor: Editor) -> None:
    """A file that was skipped is listed with its reason."""
    [problem] = await editor.ask("hunch/problems")
    assert (problem["uri"], problem["state"]) == (editor.uri("src/huge.py"), "skipped")
    assert "1 MB" in problem["reason"]


async def test_a_saved_file_is_found(editor: Editor) -> None:
    """A file that was just written and saved is indexed without being told to."""
    path = editor.root / "src/weather.py"
    path.write_text("def humidity_forecast(station):\n    return station.barometer\n", "utf-8")
    document = lsp.TextDocumentIdentifier(path.as_uri())
    editor.client.text_document_did_save(lsp.DidSaveTextDocumentParams(document))
    await editor.until(lambda state: is_ready(state) and state.counts.documents == len(FILES) + 1)
    assert (await editor.paths("hunch/search", query="humidity forecast"))[:1] == ["src/weather.py"]
    path.unlink()
    change = lsp.FileEvent(path.as_uri(), lsp.FileChangeType.Deleted)
    editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([change]))
    await editor.until(lambda state: is_ready(state) and state.counts.documents == len(FILES))


async def test_reindexing_ends_ready(editor: Editor) -> None:
    """Embedding everything again ends with as many vectors as before."""
    before = (await editor.ask("hunch/status")).counts
    assert await editor.ask("hunch/reindex", {"force": True}) is None
    await editor.until(lambda state: is_ready(state) and state.counts == before)


async def test_pausing_and_resuming(editor: Editor) -> None:
    """The answers to pause and resume are the states that they lead to."""
    assert (await editor.ask("hunch/pause")).state == "paused"
    assert (await editor.ask("hunch/search", {"query": "retry"})).hits
    assert (await editor.ask("hunch/resume")).state in {"ready", "indexing"}
    await editor.until(is_ready)


async def test_the_progress_bar_begins_and_ends(editor: Editor) -> None:
    """Every progress bar that was begun was ended, once, in that order."""
    await editor.ask("hunch/reindex", {"force": True})
    await editor.until(is_ready)
    for reports in editor.client.progress_reports.values():
        kinds = [report.kind for report in reports]
        assert kinds[0] == "begin"
        assert kinds.count("begin") == 1
        assert kinds.count("end") <= 1
        assert "end" not in kinds[:-1]


async def test_folders_come_and_go(editor: Editor, tmp_path: Path) -> None:
    """A folder that is added is searched, and one that is removed no longer."""
    added = tmp_path / "other"
    added.mkdir()
    (added / "tide.py").write_text("def ebb_and_flow(moon):\n    return moon.phase\n", "utf-8")
    folder = lsp.WorkspaceFolder(added.as_uri(), "other")

    def change(event: lsp.WorkspaceFoldersChangeEvent) -> None:
        params = lsp.DidChangeWorkspaceFoldersParams(event)
        editor.client.workspace_did_change_workspace_folders(params)

    change(lsp.WorkspaceFoldersChangeEvent(added=[folder], removed=[]))
    await editor.until(lambda state: is_ready(state) and len(state.sources) == 2)
    assert (await editor.paths("hunch/search", query="ebb and flow"))[:1] == ["tide.py"]
    change(lsp.WorkspaceFoldersChangeEvent(added=[], removed=[folder]))
    await editor.until(lambda state: is_ready(state) and len(state.sources) == 1)
    assert "tide.py" not in await editor.paths("hunch/search", query="ebb and flow")
