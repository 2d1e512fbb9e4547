"""VS Code Copilot Chat: a file for each session, as one JSON object or as a log of its mutations.

A session that was moved to the log may have left its old file behind; and when a folder becomes a
workspace, sessions are copied to it. The log wins over the old file, the latest copy over the others.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation, Cursor, Log, Reader, Reading
from hunch.sources.conversations.copilot_state import CopilotState
from hunch.sources.conversations.documents import LARGEST, load
from hunch.sources.conversations.editors import user_folders, workspace_directory
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.jsonl import JsonLines, Record
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.shapes import as_object, object_at, objects_in, text_at
from hunch.sources.conversations.times import from_milliseconds
from hunch.sources.conversations.uris import path_of
from hunch.sources.conversations.whole import Tally, Whole, is_known, read_replayed, read_whole
from hunch.sources.paths import exists

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

AGENT = "copilot"

_LOG, _OBJECT = ".jsonl", ".json"
_WITHOUT_WINDOW = ("emptyWindowChatSessions", "transferredChatSessions")
_SILENT_PARTS = {
    *("thinking", "prepareToolInvocation", "textEditGroup", "notebookEditGroup", "codeblockUri"),
    *("undoStop", "confirmation", "mcpServersStarting", "references", "codeCitations", "command"),
    *("treeData", "multiDiffData", "warning", "extensions", "pullRequest", "elicitation", "hook"),
    *("elicitationSerialized", "changesSummary", "externalEdit", "questionCarousel", "todoList"),
    *("clearToPreviousToolInvocation", "workspaceEdit", "planReview", "gone"),
}
"""Parts of a response that are no text."""


def discover(places: Places) -> Iterator[Log]:
    """Yield the sessions of all windows, with and without a folder."""
    copies: defaultdict[str, list[tuple[int, Path]]] = defaultdict(list)
    for path in _sessions(places):
        if not _has_log_beside(path):
            for log in found(AGENT, path):
                copies[path.stem].append((log.stamp[1], path))
    for paths in copies.values():
        for rank, (_, path) in enumerate(sorted(paths, reverse=True)):
            yield from found(AGENT, path, rank=rank)


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one session."""
    session = _Session(log.path)
    if log.path.suffix == _LOG:
        # A log that was compacted is one line, with all images of the session.
        lines = JsonLines(lambda: log.path.open("rb"), limit=LARGEST)
        yield from read_replayed(lines, session, since)
        return
    value, mark = load(log.path)
    if not is_known(since, "", mark):
        tally = Tally()
        tally.count(session.apply({"kind": 0, "v": value}))
        yield from read_whole(session.whole(tally), mark, since)


COPILOT = Reader(AGENT, "GitHub Copilot Chat", discover, read)


def _sessions(places: Places) -> Iterator[Path]:
    for folder in user_folders(places, AGENT):
        for chats in _chat_folders(folder):
            for path in files_below(chats, deep=False):
                if path.suffix in (_LOG, _OBJECT):
                    yield path


def _chat_folders(user: Path) -> Iterable[Path]:
    if not exists(user / "workspaceStorage") and not exists(user / "globalStorage"):
        return [user]
    windows = sorted(user.glob("workspaceStorage/*/chatSessions"))
    return [*windows, *(user / "globalStorage" / name for name in _WITHOUT_WINDOW)]


def _has_log_beside(path: Path) -> bool:
    return path.suffix == _OBJECT and exists(path.with_suffix(_LOG))


class _Session(CopilotState):
    """The state of one session and what is visible of it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def whole(self, tally: Tally) -> Whole:
        """See `Replayed.whole`."""
        id_ = text_at(self.state, "sessionId") or self._path.stem
        directory = path_of(self.state.get("workingDirectory")) or workspace_directory(
            self._path.parent.parent
        )
        conversation = Conversation(
            id_,
            text_at(self.state, "customTitle"),
            directory,
            started=from_milliseconds(self.state.get("creationDate")),
        )
        return Whole(conversation, self._messages(conversation, tally), tally)

    def _messages(self, conversation: Conversation, tally: Tally) -> Iterator[Message]:
        ids = QuestionIds(conversation.id)
        for request in objects_in(self.state.get("requests")):
            if any(request.get(key) for key in _HIDING):
                continue
            question = _question(request)
            yield Message(
                "user",
                question,
                from_milliseconds(request.get("timestamp")),
                text_at(request, "requestId") or ids.next(question),
                directory=conversation.directory,
            )
            yield from _answer(request, tally)


_HIDING = ("shouldBeRemovedOnSend", "isHidden", "isSystemInitiated")


def _question(request: Record) -> str:
    message = request.get("message")
    return message if isinstance(message, str) else text_at(as_object(message), "text")


def _answer(request: Record, tally: Tally) -> Iterator[Message]:
    """Yield the text of a response, whose pieces are slices of one text, and the calls within."""
    ended = request.get("responseTimestamp") or object_at(request, "modelState").get("completedAt")
    at, model = from_milliseconds(ended), text_at(request, "modelId")
    text = ""
    for part in objects_in(request.get("response")):
        kind = text_at(part, "kind")
        if kind == "toolInvocationSerialized":
            yield Message("assistant", text, at, model=model)
            yield Message("tool", text_at(part, "text"), at)
            text = ""
        elif "text" in part:
            text += text_at(part, "text")
        elif kind not in _SILENT_PARTS and not kind.startswith(("progress", "mcp")):
            tally.count(f"part:{kind or 'untyped'}")
    yield Message("assistant", text, at, model=model)
