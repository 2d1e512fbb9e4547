"""What is read of the tasks and sessions of Cline and Roo Code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hunch.sources.conversations.cline import CLINE, ROO
from hunch.sources.conversations.places import Places
from support.conversations.cline import (
    DIRECTORY,
    TASK,
    TOLD,
    asks,
    says,
    sent,
    session_messages,
    session_steps,
    shown,
    storage,
    task_steps,
)
from support.conversations.copilot import write_object
from support.conversations.lines import moment
from support.conversations.shelf import Shelf, read_all, talk

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.sources.conversations.base import Reader


def shelf_of(home: Path, reader: Reader = CLINE, **variables: str) -> Shelf:
    """Read the only log."""
    shelf = Shelf(reader)
    (log,) = reader.discover(Places(home, variables))
    shelf.read(log)
    return shelf


def task(home: Path, messages: list[dict[str, Any]], name: str = "ui_messages.json") -> Path:
    """Write a file of a task; return the folder of the task."""
    folder = storage(home) / "tasks" / TASK
    write_object(folder / name, messages)
    return folder


def test_a_turn_tells_where_and_when(tmp_path: Path) -> None:
    """Folder, times and calls come from the files."""
    for _ in task_steps(tmp_path):
        pass
    shelf = shelf_of(tmp_path)
    turn = shelf.turns[0]
    assert (turn.conversation, turn.directory) == (TASK, DIRECTORY)
    assert (turn.started, turn.ended) == (moment(1), moment(6))
    assert [step.text for step in turn.steps if step.is_tool] == ["readFile a.py"]
    started = shelf.conversations[TASK].started
    assert started
    assert started.year == 2026


@pytest.mark.parametrize("name", ["ui_messages.json", "claude_messages.json"])
def test_what_the_panel_shows_comes_first(name: str, tmp_path: Path) -> None:
    """What was sent to the model is read only where nothing else is there."""
    task(
        tmp_path,
        [{"role": "user", "content": "<task>HIDDEN</task>"}],
        "api_conversation_history.json",
    )
    task(tmp_path, shown(), name)
    assert talk(shelf_of(tmp_path).turns) == TOLD


def test_what_was_sent_is_the_fallback(tmp_path: Path) -> None:
    """Wrappers, context and summaries go; without times the task's is taken."""
    task(tmp_path, sent(), "api_conversation_history.json")
    turns = shelf_of(tmp_path).turns
    assert talk(turns) == TOLD
    assert all(turn.started for turn in turns)


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (says(2, "text", "So."), "So."),
        (says(2, "completion_result", "So.HAS_CHANGES"), "So."),
        (asks(2, "followup", '{"question": "Which?", "options": []}'), "Which?"),
        (asks(2, "followup", "Which?"), "Which?"),
        (asks(2, "command", "HIDDEN"), ""),
        (says(2, "text", "HIDDEN", partial=True), ""),
        (says(2, "reasoning", "HIDDEN"), ""),
    ],
)
def test_what_the_agent_said(message: dict[str, Any], answer: str, tmp_path: Path) -> None:
    """Text, results and questions are said by the agent; the rest is not shown as text."""
    task(tmp_path, [says(1, "task", "How?"), message])
    shelf = shelf_of(tmp_path)
    assert talk(shelf.turns) == [("How?", answer)]
    assert not shelf.unknown


def test_unknown_messages_are_counted(tmp_path: Path) -> None:
    """A format change is seen."""
    odd = [says(1, "text", "How?"), says(2, "hologram", ""), asks(3, "hologram", ""), {"type": "x"}]
    task(tmp_path, odd)
    assert shelf_of(tmp_path).unknown == {"say:hologram": 1, "ask:hologram": 1, "type:x": 1}


@pytest.mark.parametrize(
    ("file", "value"),
    [
        ("tasks/{task}/history_item.json", {"workspace": DIRECTORY}),
        ("tasks/_index.json", {"entries": [{"id": TASK, "workspace": DIRECTORY}]}),
        ("tasks/_index.json", [{"id": "x"}, {"id": TASK, "workspace": DIRECTORY}]),
        ("state/taskHistory.json", [{"id": TASK, "cwdOnTaskInitialization": DIRECTORY}]),
    ],
)
def test_roo_keeps_the_folder_of_a_task_in_several_places(
    file: str, value: object, tmp_path: Path
) -> None:
    """The folder is found beside the task or in a list of tasks."""
    root = storage(tmp_path, "rooveterinaryinc.roo-cline")
    write_object(root / "tasks" / TASK / "ui_messages.json", shown())
    write_object(root / file.format(task=TASK), value)
    shelf = shelf_of(tmp_path, ROO)
    assert {turn.directory for turn in shelf.turns} == {DIRECTORY}


def test_the_command_line_of_roo_is_found(tmp_path: Path) -> None:
    """It keeps its tasks where VS Code would."""
    write_object(
        tmp_path / ".vscode-mock/global-storage/tasks" / TASK / "ui_messages.json", shown()
    )
    assert talk(shelf_of(tmp_path, ROO).turns) == TOLD


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, ".cline/data"),
        ({"CLINE_DIR": "~/c"}, "c/data"),
        ({"CLINE_DATA_DIR": "~/d"}, "d"),
    ],
)
def test_cline_has_a_folder_of_its_own(
    variables: dict[str, str], folder: str, tmp_path: Path
) -> None:
    """Tasks are found there too, and where variables say."""
    write_object(tmp_path / folder / "tasks" / TASK / "ui_messages.json", shown())
    assert talk(shelf_of(tmp_path, **variables).turns) == TOLD


def test_folders_of_the_user_are_user_folders_or_storage(tmp_path: Path) -> None:
    """The user may name the folder of an editor, or the one that holds the tasks."""
    for _ in task_steps(tmp_path):
        pass
    for folder in (storage(tmp_path).parent.parent, storage(tmp_path)):
        places = Places(tmp_path / "none", extra={"cline": (folder,)})
        assert talk(read_all(CLINE, places)) == TOLD


def test_sub_agents_of_sessions_are_labelled(tmp_path: Path) -> None:
    """Their messages lie in the folder of the session under another name."""
    for _ in session_steps(tmp_path):
        pass
    folder = tmp_path / ".cline" / "data" / "sessions" / "session-1"
    value = {"sessionId": "session-1", "messages": [*session_messages(), {"role": "hologram"}]}
    write_object(folder / "agent-7.messages.json", value)
    (folder / "session-1.messages.json").unlink()
    shelf = shelf_of(tmp_path)
    assert {(turn.is_subagent, turn.directory) for turn in shelf.turns} == {(True, DIRECTORY)}
    assert shelf.conversations["session-1/agent-7"].parent == "session-1"
    assert shelf.unknown == {"role:hologram": 1}


@pytest.mark.parametrize(
    ("sent_text", "prompt"),
    [
        (
            '<user_input mode="act">Why <b>four</b> retries?</user_input>',
            "Why <b>four</b> retries?",
        ),
        ("<user_input>Tell <task>me</task> why</user_input>", "Tell <task>me</task> why"),
        (
            '<user_input mode="plan"><mode_notice>HIDDEN</mode_notice>\nPlan it.</user_input>',
            "Plan it.",
        ),
        (
            '<user_input mode="act">Read @a.</user_input>\n<file_content path="a">HIDDEN</file_content>',
            "Read @a.",
        ),
        ('<user_command slash="review">the client</user_command>', "/review the client"),
        ('<user_command slash="team"></user_command>', "/team"),
        ("Is <user_input>a</user_input> new?", "Is <user_input>a</user_input> new?"),
    ],
)
def test_prompts_of_sessions_come_without_their_wrappers(
    tmp_path: Path, sent_text: str, prompt: str
) -> None:
    """What the program writes around a prompt goes; what the person wrote stays."""
    folder = tmp_path / ".cline" / "data" / "sessions" / "s"
    said = {"role": "assistant", "content": "Because the servers need a minute to start again."}
    content = [{"type": "text", "text": sent_text}]
    messages = [{"role": "user", "content": content}, said]
    write_object(folder / "s.messages.json", {"sessionId": "s", "messages": messages})
    assert talk(shelf_of(tmp_path).turns) == [(prompt, said["content"])]
