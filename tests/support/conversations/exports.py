"""Exports of accounts as ChatGPT and Claude.ai make them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.conversations.copilot import write_object
from support.conversations.lines import Records, moment, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHATGPT_TOLD = [
    ("Which licence for a library?", "Apache-2.0, for its patent grant."),
    ("A contributor agreement, or sign-offs?", "Sign-offs; no paperwork — ünïcode 日本."),
    ("Tabs or spaces?", "Tabs."),
]
CLAUDE_AI_TOLD = [
    ("Queue in a database or beside it?", "Let me see.\n\nIn the database."),
    ("Poll or wait? ünïcode 日本", "Wait, and poll in case."),
    ("Flask or FastAPI?", "FastAPI."),
]
_ROOT = "00000000-0000-4000-8000-000000000000"


class ChatGptTree:
    """One conversation of ChatGPT."""

    def __init__(self, id_: str = "chat-1") -> None:
        self.id = id_
        self.nodes: dict[str, dict[str, Any]] = {f"{id_}-root": {"message": None, "parent": None}}
        self.leaf = f"{id_}-root"

    def says(self, role: str, *parts: Any, parent: str = "", **extra: Any) -> str:
        """Add a message; return its id."""
        number = len(self.nodes)
        id_ = f"{self.id}-{number:03}"
        kind = extra.pop("kind", "text")
        message = {
            "id": id_,
            "author": {"role": role},
            "create_time": moment(number).timestamp() + 0.25,
            "content": {"content_type": kind, "parts": list(parts)},
            "weight": 1.0,
            "recipient": "all",
            "metadata": {},
        }
        self.nodes[id_] = {"message": message | extra, "parent": parent or self.leaf}
        self.leaf = id_
        return id_

    def conversation(self, **extra: Any) -> dict[str, Any]:
        """The conversation as an export holds it."""
        return {
            "title": "A chat",
            "create_time": moment(0).timestamp(),
            "mapping": {id_: {"id": id_, **node} for id_, node in self.nodes.items()},
            "current_node": self.leaf,
            "conversation_id": self.id,
            **extra,
        }


HIDDEN = {"is_visually_hidden_from_conversation": True}


def chatgpt_conversations() -> list[dict[str, Any]]:
    """Conversations in which everything happens that may happen."""
    tree = ChatGptTree()
    tree.says("system", "HIDDEN", weight=0.0)
    tree.says("user", "HIDDEN profile", kind="user_editable_context", metadata=HIDDEN)
    tree.says("user", CHATGPT_TOLD[0][0], create_time=None)
    tree.says("assistant", kind="thoughts", content={"content_type": "thoughts", "thoughts": []})
    tree.says("assistant", "HIDDEN search", kind="code", recipient="web.run")
    tree.says("tool", "HIDDEN result")
    answer = "Apache-2.0, for its patent grant\ue200cite\ue202turn0HIDDEN\ue201."
    fork = tree.says("assistant", answer, metadata={"model_slug": "m-5"})
    tree.says("user", "ABANDONED?")
    tree.says("assistant", "ABANDONED.")
    edit = tree.says(
        "user", {"content_type": "image", "x": "HIDDEN"}, CHATGPT_TOLD[1][0], parent=fork
    )
    tree.says("assistant", "ABANDONED, generated again")
    tree.says("assistant", "Sign-offs; ", "no paperwork — ünïcode 日本.", parent=edit)
    spoken = ChatGptTree("chat-2")
    for role, text in (("user", "Tabs or spaces?"), ("assistant", "Tabs.")):
        part = {"content_type": "audio_transcription", "text": text}
        spoken.says(role, part, {"content_type": "audio"}, kind="multimodal_text")
    empty = {"conversation_id": "chat-3", "mapping": {}, "current_node": None}
    return [tree.conversation(), spoken.conversation(), empty]


def chatgpt_steps(home: Path) -> Iterator[None]:
    """Write an export, a later one over it with more conversations, and one more in shards."""
    conversations = chatgpt_conversations()
    short = ChatGptTree()
    short.says("user", "ABANDONED at first?")
    write_object(home / "export" / "conversations.json", [short.conversation()])
    yield
    write_object(home / "export" / "conversations.json", conversations[:2])
    yield
    for number, conversation in enumerate(conversations):
        write_object(home / "later" / f"conversations-{number:03}.json", [conversation])
    yield


def claude_ai_message(number: int, sender: str, text: str, **extra: Any) -> dict[str, Any]:
    """A message of Claude.ai whose parent is the one before."""
    return {
        "uuid": f"uuid-{number:03}",
        "sender": sender,
        "created_at": stamp(number),
        "text": text,
        "content": [{"type": "text", "text": text}],
        "attachments": [{"extracted_content": "HIDDEN"}],
        "parent_message_uuid": f"uuid-{number - 1:03}" if number > 1 else _ROOT,
        **extra,
    }


def claude_ai_conversation(id_: str, messages: Records) -> dict[str, Any]:
    """A conversation of Claude.ai."""
    return {
        "uuid": id_,
        "name": "Queues",
        "summary": "HIDDEN",
        "created_at": stamp(0),
        "chat_messages": messages,
    }


def claude_ai_conversations() -> Records:
    """Conversations in which everything happens that may happen."""
    blocks = [
        {"type": "thinking", "thinking": "HIDDEN"},
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "name": "repl", "input": {"code": "HIDDEN"}},
        {"type": "tool_result", "content": [{"type": "text", "text": "HIDDEN"}]},
        {"type": "token_budget", "remaining": 5},
        {"type": "text", "text": "In the database."},
    ]
    messages = [
        claude_ai_message(1, "human", CLAUDE_AI_TOLD[0][0]),
        claude_ai_message(2, "assistant", "HIDDEN flattened", content=blocks),
        claude_ai_message(3, "human", "ABANDONED?"),
        claude_ai_message(4, "assistant", "ABANDONED."),
        claude_ai_message(5, "human", CLAUDE_AI_TOLD[1][0], parent_message_uuid="uuid-002"),
        claude_ai_message(6, "assistant", CLAUDE_AI_TOLD[1][1]),
    ]
    older = [
        claude_ai_message(11, "human", CLAUDE_AI_TOLD[2][0], content=[]),
        claude_ai_message(12, "assistant", " FastAPI.", content=[]),
    ]
    for message in older:
        del message["parent_message_uuid"]
    return [
        claude_ai_conversation("talk-1", messages),
        claude_ai_conversation("talk-2", older),
        claude_ai_conversation("talk-3", []),
    ]


def claude_ai_steps(home: Path) -> Iterator[None]:
    """Write an export, and later ones over it."""
    path = home / "export" / "conversations.json"
    conversations = claude_ai_conversations()
    begun = claude_ai_conversation("talk-1", conversations[0]["chat_messages"][:4])
    for state in ([], [begun], [begun, *conversations[1:]], conversations):
        write_object(path, state)
        yield
