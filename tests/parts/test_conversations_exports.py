"""What is read of exports of ChatGPT and Claude.ai."""

from __future__ import annotations

import json
import os
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.errors import LogUnavailable
from hunch.sources.conversations.elements import elements_in
from hunch.sources.conversations.exports import CHATGPT, CLAUDE_AI
from hunch.sources.conversations.places import Places
from support.conversations.copilot import write_object
from support.conversations.exports import (
    CHATGPT_TOLD,
    CLAUDE_AI_TOLD,
    ChatGptTree,
    chatgpt_conversations,
    claude_ai_conversation,
    claude_ai_conversations,
    claude_ai_message,
)
from support.conversations.lines import moment
from support.conversations.shelf import Shelf, read_all, talk

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.sources.conversations.base import Reader, Turn


def turns_of(reader: Reader, folder: Path, *conversations: Any) -> list[Turn]:
    """Write an export and read it."""
    write_object(folder / "conversations.json", list(conversations))
    return read_all(reader, Places(folder / "none", extra={reader.agent: (folder,)}))


def test_nothing_is_read_but_from_folders_of_the_user(tmp_path: Path) -> None:
    """There is no default place of an export."""
    write_object(tmp_path / "conversations.json", chatgpt_conversations())
    assert not list(CHATGPT.discover(Places(tmp_path)))
    assert not list(CLAUDE_AI.discover(Places(tmp_path)))


def test_only_the_files_of_conversations_are_found(tmp_path: Path) -> None:
    """Whole exports and shards are found at any depth, other files are not."""
    for name in (
        "a/conversations.json",
        "b/c/conversations-000.json",
        "user.json",
        "conversations.txt",
    ):
        write_object(tmp_path / name, [])
    places = Places(tmp_path, extra={"chatgpt": (tmp_path,)})
    assert sorted(log.path.name for log in CHATGPT.discover(places)) == [
        "conversations-000.json",
        "conversations.json",
    ]


def test_the_latest_export_comes_first(tmp_path: Path) -> None:
    """Of two exports, the turn of the later one is kept."""
    for name, answer, time in (("a", "Old.", 1), ("b", "New.", 2)):
        tree = ChatGptTree()
        tree.says("user", "How?")
        tree.says("assistant", answer)
        write_object(tmp_path / name / "conversations.json", [tree.conversation()])
        os.utime(tmp_path / name / "conversations.json", (time, time))
    places = Places(tmp_path, extra={"chatgpt": (tmp_path,)})
    assert talk(read_all(CHATGPT, places)) == [("How?", "New.")]


def test_one_export_whole_and_in_shards_gives_each_turn_once(tmp_path: Path) -> None:
    """The same conversations in other files are the same turns."""
    conversations = chatgpt_conversations()
    for number, conversation in enumerate(conversations):
        write_object(tmp_path / "b" / f"conversations-{number:03}.json", [conversation])
    write_object(tmp_path / "a" / "conversations.json", conversations)
    places = Places(tmp_path, extra={"chatgpt": (tmp_path,)})
    assert sorted(talk(read_all(CHATGPT, places))) == sorted(CHATGPT_TOLD)


def test_a_later_export_gives_only_what_is_new(tmp_path: Path) -> None:
    """A file that was replaced by a longer one does not give again what it gave."""
    talks = claude_ai_conversations()
    path = tmp_path / "conversations.json"
    write_object(path, talks[:1])
    shelf = Shelf(CLAUDE_AI)
    (log,) = CLAUDE_AI.discover(Places(tmp_path, extra={"claude-ai": (tmp_path,)}))
    shelf.read(log)
    write_object(path, talks)
    assert [reading.key for reading in shelf.read(log)] == ["talk-2", "talk-3"]
    assert sorted(talk(shelf.turns)) == sorted(CLAUDE_AI_TOLD)


def test_times_models_and_calls_of_chatgpt(tmp_path: Path) -> None:
    """A question without a time has the next one on its way, else that of the conversation."""
    tree = ChatGptTree()
    tree.says("user", "How?", create_time=None)
    tree.says("assistant", "HIDDEN", recipient="web.run")
    tree.says("assistant", "So.", metadata={"model_slug": "m-5"})
    tree.says("user", "And then?", create_time=None)
    first, second = turns_of(CHATGPT, tmp_path, tree.conversation())
    assert (first.started, first.model) == (moment(2).replace(microsecond=250_000), "m-5")
    assert second.started == moment(0)
    assert [step.text for step in first.steps] == ["web.run", "So."]


def test_without_an_open_leaf_the_latest_message_counts(tmp_path: Path) -> None:
    """A conversation that names no leaf, or one that is not there, is read to its latest message."""
    for leaf in (None, "nowhere"):
        tree = ChatGptTree()
        fork = tree.says("user", "How?")
        tree.says("assistant", "ABANDONED.")
        tree.says("assistant", "So.", parent=fork)
        turns = turns_of(CHATGPT, tmp_path, tree.conversation(current_node=leaf))
        assert talk(turns) == [("How?", "So.")]


def test_parents_that_run_in_a_circle_end(tmp_path: Path) -> None:
    """A broken tree is read as far as it goes."""
    tree = ChatGptTree()
    first = tree.says("user", "How?")
    tree.nodes[first]["parent"] = tree.says("assistant", "So.")
    assert talk(turns_of(CHATGPT, tmp_path, tree.conversation())) == [("How?", "So.")]
    messages = [
        claude_ai_message(1, "human", "How?", parent_message_uuid="uuid-002"),
        claude_ai_message(2, "assistant", "So."),
    ]
    turns = turns_of(CLAUDE_AI, tmp_path, claude_ai_conversation("t", messages))
    assert talk(turns) == [("How?", "So.")]


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("So\ue200cite\ue202turn0search1\ue202turn0search2\ue201.", "So."),
        ("a\ue200x\ue201b\ue200y\ue201c", "abc"),
        ("left\ue202over\ue201", "leftover"),
    ],
)
def test_citation_marks_go(answer: str, shown: str, tmp_path: Path) -> None:
    """Marks of the program's own are no text."""
    tree = ChatGptTree()
    tree.says("user", "How?")
    tree.says("assistant", answer)
    assert turns_of(CHATGPT, tmp_path, tree.conversation())[0].answer == shown


@pytest.mark.parametrize("reader", [CHATGPT, CLAUDE_AI], ids=lambda reader: reader.agent)
def test_what_is_no_conversation_is_counted(reader: Reader, tmp_path: Path) -> None:
    """An export of another account gives no turns, and says so."""
    other = claude_ai_conversations() if reader is CHATGPT else chatgpt_conversations()
    write_object(tmp_path / "conversations.json", [*other, 3, None])
    shelf = Shelf(reader)
    (log,) = reader.discover(Places(tmp_path, extra={reader.agent: (tmp_path,)}))
    unknown = sum(reading.unknown["no-conversation"] for reading in shelf.read(log))
    assert (unknown, shelf.turns) == (5, [])


def test_unknown_content_is_counted(tmp_path: Path) -> None:
    """A format change is seen, in exports of both."""
    tree = ChatGptTree()
    tree.says("user", "How?")
    tree.says("assistant", "HIDDEN", kind="hologram")
    block = [{"type": "hologram"}, {"type": "text", "text": "So."}]
    messages = [
        claude_ai_message(1, "human", "How?"),
        claude_ai_message(2, "assistant", "", content=block),
    ]
    talks = claude_ai_conversation("t", messages)
    for reader, conversation in ((CHATGPT, tree.conversation()), (CLAUDE_AI, talks)):
        write_object(tmp_path / "conversations.json", [conversation])
        shelf = Shelf(reader)
        (log,) = reader.discover(Places(tmp_path, extra={reader.agent: (tmp_path,)}))
        shelf.read(log)
        assert sum(shelf.unknown.values()) == 1
        assert "hologram" in str(shelf.unknown)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
).filter(lambda value: isinstance(value, dict | list | str))


@settings(max_examples=40, deadline=None)
@given(st.lists(VALUES, max_size=6), st.integers(1, 9), st.sampled_from([None, 2]), st.booleans())
def test_elements_are_those_of_the_array(
    values: list[Any], read: int, indent: int | None, escaped: bool
) -> None:
    """However much is read at a time, the elements are those that a parser finds."""
    text = json.dumps(values, indent=indent, ensure_ascii=escaped)
    file = BytesIO(b"\xef\xbb\xbf" + text.encode())
    assert [each.value for each in elements_in(file, read)] == values


@pytest.mark.parametrize(
    ("data", "count", "reason"),
    [
        (b"", 0, "busy"),
        (b"[", 0, "busy"),
        (b'[{"a": 1}, {"b"', 1, "busy"),
        (b'[{"a": 1},', 1, "busy"),
        (b'[{"a": 1}, {"b": }, {"c": 2}]', 1, "damaged"),
        (b'{"a": 1}', 0, "damaged"),
        (b"\x00\x00", 0, "damaged"),
        (b"[" * 100_000 + b"]", 0, "damaged"),
    ],
)
def test_broken_arrays_give_what_comes_before(data: bytes, count: int, reason: str) -> None:
    """What is whole is read; then an array that is not finished is told from one that is broken."""
    read = elements_in(BytesIO(data))
    for _ in range(count):
        next(read)
    with pytest.raises(LogUnavailable) as caught:
        next(read)
    assert caught.value.reason == reason


def test_an_archive_is_read_as_it_was_downloaded(tmp_path: Path) -> None:
    """All files of conversations inside count, at any depth; nothing is unpacked."""
    path = tmp_path / "export.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("user.json", '{"email": "HIDDEN"}')
        for number, conversation in enumerate(chatgpt_conversations()):
            archive.writestr(f"x/conversations-{number:03}.json", json.dumps([conversation]))
    places = Places(tmp_path, extra={"chatgpt": (tmp_path,)})
    assert sorted(talk(read_all(CHATGPT, places))) == sorted(CHATGPT_TOLD)
    shelf = Shelf(CHATGPT)
    (log,) = CHATGPT.discover(places)
    shelf.read(log)
    assert not shelf.read(log)
    assert [each.name for each in tmp_path.iterdir()] == ["export.zip"]


@pytest.mark.parametrize("end", [0, 10, 200, -40, -1])
def test_a_broken_archive_is_damaged(end: int, tmp_path: Path) -> None:
    """An archive that was cut off, or downloaded in part, says so."""
    path = tmp_path / "export.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps(chatgpt_conversations()))
    path.write_bytes(path.read_bytes()[:end])
    (log,) = CHATGPT.discover(Places(tmp_path, extra={"chatgpt": (tmp_path,)}))
    with pytest.raises(LogUnavailable, match="damaged"):
        list(CHATGPT.read(log, {}))
