"""What is read of the rollouts of Codex."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hunch.sources.conversations.base import Step, Turn
from hunch.sources.conversations.codex import CODEX
from hunch.sources.conversations.places import Places
from support.conversations.codex import DIRECTORY, THREAD, CodexRollout, Mode, long_rollout
from support.conversations.lines import moment, write_lines
from support.conversations.shelf import Shelf, read_all, talk

if TYPE_CHECKING:
    from pathlib import Path

FORK = "01a2300c-0000-7c30-8000-0000000000cc"
LONG = [
    (
        "Store amounts as integer cents or as decimal text? — naïve floats are out. 日本円",
        "I will look at the existing columns first.\n\nInteger cents with a currency column.",
    ),
    ("Keep the audit table but prune it?", "Prune it after ninety days."),
]


def turns_of(log: CodexRollout, home: Path) -> list[tuple[str, str]]:
    """Write the rollout and read it."""
    log.write(home / ".codex")
    return talk(read_all(CODEX, Places(home)))


@pytest.mark.parametrize("mode", ["events", "items", "plain"])
def test_each_form_gives_every_message_once(mode: Mode, tmp_path: Path) -> None:
    """Messages stand in several records; roll-backs undo turns, summaries repeat nothing."""
    assert turns_of(long_rollout(mode), tmp_path) == LONG


def test_a_turn_says_where_and_when(tmp_path: Path) -> None:
    """Time, model and calls come from the records, directory, branch and remote from the header."""
    long_rollout().write(tmp_path)
    (log,) = CODEX.discover(Places(tmp_path / "home", {"CODEX_HOME": str(tmp_path)}))
    shelf = Shelf(CODEX)
    shelf.read(log)
    first = shelf.turns[0]
    assert first == Turn(
        id=first.id,
        conversation=THREAD,
        question=LONG[0][0],
        steps=(
            Step("I will look at the existing columns first."),
            Step("shell sqlite3 ledger.db .schema", is_tool=True),
            Step("Integer cents with a currency column."),
        ),
        started=moment(4),
        ended=moment(9),
        model="gpt-5.4-codex",
        directory=DIRECTORY,
        branch="main",
    )
    conversation = shelf.conversations[THREAD]
    assert conversation.remote == "git@example.org:robin/ledger.git"
    assert (conversation.directory, conversation.started) == (DIRECTORY, moment(0))


@pytest.mark.parametrize("mode", ["events", "items", "plain"])
def test_a_fork_adds_only_its_own_turns(mode: Mode, tmp_path: Path) -> None:
    """A copied prefix has times of its own; its turns have the ids of the parent's."""
    parent = long_rollout(mode)
    parent.write(tmp_path / ".codex")
    fork = CodexRollout(FORK, mode, forked_from_id=THREAD)
    undone = [number for number, each in enumerate(parent.records) if "Drop" in str(each)]
    fork.copies(parent, undone[0] - 1)
    fork.person("Would decimals as blobs sort?")
    fork.says("Only with a fixed width.")
    fork.write(tmp_path / ".codex", "sessions/2026/10/06")
    turns = read_all(CODEX, Places(tmp_path))
    assert [turn.question for turn in turns if turn.conversation == FORK] == [
        "Would decimals as blobs sort?"
    ]
    assert sorted(talk(turns)) == sorted([*LONG, ("Would decimals as blobs sort?", "Only with a fixed width.")])  # fmt: skip


def test_without_turn_ids_a_fork_is_known_by_its_family(tmp_path: Path) -> None:
    """Old copies without turn contexts are matched by the first thread, the count and the text."""
    parent = CodexRollout()
    fork = CodexRollout(FORK, forked_from_id=THREAD)
    for log in (parent, fork):
        if log is fork:
            fork.copies(parent, len(parent.records))
        log.line("event_msg", {"type": "user_message", "message": f"Asked in {log.thread}?"})
    parent.write(tmp_path / ".codex")
    fork.write(tmp_path / ".codex")
    assert [turn.question for turn in read_all(CODEX, Places(tmp_path))] == [
        f"Asked in {THREAD}?",
        f"Asked in {FORK}?",
    ]


def test_answers_without_events_are_read_from_items(tmp_path: Path) -> None:
    """Whether a role's messages come as events is decided for each role."""
    log = CodexRollout()
    log.person("Cents or decimals?")
    log.mode = "plain"
    log.says("Cents.")
    assert turns_of(log, tmp_path) == [("Cents or decimals?", "Cents.")]


def test_the_form_of_2025_is_read(tmp_path: Path) -> None:
    """Bare lines have no times: the header's counts, and the directory is in the injected context."""
    item = {"type": "message", "role": "user"}
    context = (
        f"<environment_context>\nCurrent working directory: {DIRECTORY}\nx</environment_context>"
    )
    records = [
        {"id": THREAD, "timestamp": "2026-10-05T09:00:00.000Z", "instructions": "HIDDEN"},
        {"record_type": "state"},
        item | {"content": [{"type": "input_text", "text": context}]},
        item | {"content": [{"type": "input_text", "text": "One file per year?"}]},
        {"type": "reasoning", "summary": []},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "No."}],
        },
    ]
    write_lines(
        tmp_path / ".codex" / "sessions" / f"rollout-2026-10-05T11-00-00-{THREAD}.jsonl", records
    )
    (turn,) = read_all(CODEX, Places(tmp_path))
    assert (turn.question, turn.answer, turn.started) == ("One file per year?", "No.", moment(0))
    assert (turn.directory, turn.conversation) == (DIRECTORY, THREAD)


@pytest.mark.parametrize(
    "text",
    [
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>x</INSTRUCTIONS>",
        "<user_instructions>x</user_instructions>",
        "<environment_context>x</environment_context>",
        "<skill>x</skill>",
        "<user_shell_command>x</user_shell_command>",
        "<turn_aborted>x</turn_aborted>",
        "<subagent_notification>x</subagent_notification>",
        "<hook_prompt x>x</hook_prompt>",
    ],
)
def test_injected_text_is_no_question(text: str, tmp_path: Path) -> None:
    """What the program writes in the person's name is left out where only that channel exists."""
    log = CodexRollout(mode="plain")
    log.injects(text)
    log.person("Mine")
    log.injects(text)
    log.says("Yours")
    assert turns_of(log, tmp_path) == [("Mine", "Yours")]


def test_the_context_of_an_editor_is_stripped(tmp_path: Path) -> None:
    """The extension writes open files before the request; the request is what was typed."""
    log = CodexRollout()
    log.person(
        "# Context from my IDE setup:\n\n## Open tabs:\n- x.py\n\n## My request for Codex:\nWhy?\n"
    )
    log.says("Because.")
    assert turns_of(log, tmp_path) == [("Why?", "Because.")]


@pytest.mark.parametrize(
    "header",
    [{"thread_source": "subagent"}, {"source": {"subagent": {"thread_spawn": {}}}}],
)
def test_subagents_are_labelled(header: dict[str, object], tmp_path: Path) -> None:
    """A thread that another agent began is marked, by either sign."""
    log = CodexRollout(parent_thread_id=FORK, **header)
    log.person("Count the rows.")
    log.write(tmp_path / ".codex")
    (turn,) = read_all(CODEX, Places(tmp_path))
    assert turn.is_subagent


def test_archives_are_read_and_the_plain_twin_wins(tmp_path: Path) -> None:
    """Compressed rollouts are found in all folders, but not beside their plain form."""
    home = tmp_path / ".codex"
    long_rollout().write(home, "archived_sessions", ".zst")
    assert talk(read_all(CODEX, Places(tmp_path))) == LONG
    assert [log.rank for log in CODEX.discover(Places(tmp_path))] == [1]
    plain = long_rollout().write(home, "archived_sessions")
    assert [log.path for log in CODEX.discover(Places(tmp_path))] == [plain.resolve()]


def test_rollouts_that_openclaw_runs_are_subagents(tmp_path: Path) -> None:
    """The Codex folder inside of an OpenClaw agent is found; nobody typed its prompts."""
    long_rollout().write(tmp_path / ".openclaw" / "agents" / "main" / "agent" / "codex-home")
    turns = read_all(CODEX, Places(tmp_path))
    assert len(turns) == 2
    assert all(turn.is_subagent for turn in turns)


def test_events_that_come_after_items_replace_them(tmp_path: Path) -> None:
    """A question read from its response item is not doubled when its event is written."""
    log = CodexRollout(mode="items")
    log.person("Cents or decimals?")
    event = log.records.pop()
    path = log.write(tmp_path / ".codex")
    shelf = Shelf(CODEX)
    (found,) = CODEX.discover(Places(tmp_path))
    shelf.read(found)
    assert talk(shelf.turns) == [("Cents or decimals?", "")]
    write_lines(path, [*log.records, event])
    shelf.read(found)
    assert talk(shelf.turns) == [("Cents or decimals?", "")]


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ({"type": "custom_tool_call", "name": "apply_patch", "input": "x"}, "apply_patch"),
        ({"type": "local_shell_call", "action": {"command": ["bash", "-lc", "ls -l"]}}, "local_shell ls -l"),
        ({"type": "web_search_call", "action": {"query": "fsync"}}, "web_search fsync"),
        ({"type": "function_call", "name": "exec", "arguments": '{"cmd": "ls"}'}, "exec ls"),
        ({"type": "function_call", "name": "shell", "arguments": '{"command": []}'}, "shell"),
        ({"type": "function_call", "name": "exec", "arguments": "{broken"}, "exec"),
        ({"type": "function_call", "name": "exec"}, "exec"),
    ],
)  # fmt: skip
def test_calls_are_one_line(call: dict[str, object], line: str, tmp_path: Path) -> None:
    """Every form of a tool call gives its name and what it is about."""
    log = CodexRollout()
    log.person("Do it.")
    log.line("response_item", call)
    log.write(tmp_path / ".codex")
    (turn,) = read_all(CODEX, Places(tmp_path))
    assert turn.steps == (Step(line, is_tool=True),)


def test_undoing_more_than_is_new_reads_everything_again(tmp_path: Path) -> None:
    """A roll-back of turns that were stored long ago takes them back."""
    log = long_rollout()
    path = log.write(tmp_path / ".codex")
    (found,) = CODEX.discover(Places(tmp_path))
    shelf = Shelf(CODEX)
    shelf.read(found)
    log.rolls_back(2)
    log.person("Start over?")
    write_lines(path, log.records)
    (reading,) = shelf.read(found)
    assert reading.replace
    assert talk(shelf.turns) == [("Start over?", "")]


def test_unknown_records_are_counted(tmp_path: Path) -> None:
    """Unknown types, events and items are told apart."""
    log = CodexRollout()
    log.line("hologram", {})
    log.line("event_msg", {"type": "smell_delta"})
    log.line("event_msg", {"type": "token_count"})
    log.line("response_item", {"type": "taste_call"})
    log.write(tmp_path / ".codex")
    (found,) = CODEX.discover(Places(tmp_path))
    shelf = Shelf(CODEX)
    shelf.read(found)
    assert shelf.unknown == {"hologram": 1, "event:smell_delta": 1, "item:taste_call": 1}
