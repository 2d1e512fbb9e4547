"""Everything Hunch raises on purpose.

HunchError
├── InvalidQuery          a parameter of a request is wrong; names the field
├── InvalidSetting        a setting is wrong; names the key
├── IndexUnavailable      the index cannot be opened, read or written
│   ├── IndexBusy         another program holds it; trying again helps
│   ├── IndexFull         the disk has no room for a change; what is there can be searched
│   ├── IndexReadOnly     it may not be changed; what is there can be searched
│   └── IndexReplaced     the file is another one than before; everything is looked at again
├── EmbedderUnavailable   no vector can be had at the moment
│   ├── ModelMissing      the endpoint answers, but lacks the model
│   └── ModelChanged      the endpoint has another model under the same name
├── RefusedFolder         the folder is too wide to index without being told to, or cannot be opened
└── LogUnavailable        a conversation log cannot be read (at the moment, or at all)

The message of each is a sentence for a person, says what to do where something can be done, and
holds no document text and no query text.
"""

from __future__ import annotations

from typing import Literal


class HunchError(Exception):
    """The root of the tree; `kind` names the error on the wire."""

    kind = "error"


class InvalidQuery(HunchError):
    """A parameter of a request is wrong."""

    kind = "invalid-query"

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field


class InvalidSetting(HunchError):
    """A setting has a value that is not allowed."""

    kind = "invalid-setting"

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"setting {key}: {problem}")
        self.key = key


class IndexUnavailable(HunchError):
    """The index database cannot be opened, read or written."""

    kind = "index-unavailable"


class IndexBusy(IndexUnavailable):
    """Another program holds the index for longer than one wants to wait."""


class IndexFull(IndexUnavailable):
    """The disk has no room for a change of the index; nothing is damaged."""


class IndexReadOnly(IndexUnavailable):
    """The index, its folder or its file system may not be changed."""


class IndexReplaced(IndexUnavailable):
    """The index was damaged, deleted or replaced, and what was known of it is void."""


class EmbedderUnavailable(HunchError):
    """The embedder does not answer; keyword search goes on."""

    kind = "embedder-unavailable"


class ModelMissing(EmbedderUnavailable):
    """The embedding endpoint answers but does not have the model."""

    kind = "model-missing"


class ModelChanged(EmbedderUnavailable):
    """The model is not the one that the embedder was opened with; its vectors fit no others."""


class RefusedFolder(HunchError):
    """A home directory or a file-system root is not indexed by accident; what is gone, not at all."""

    kind = "refused-folder"


class LogUnavailable(HunchError):
    """A conversation log cannot be read; what was read of it before still holds."""

    kind = "log-unavailable"

    def __init__(self, reason: Literal["gone", "busy", "unreadable", "damaged"]) -> None:
        super().__init__(f"the conversation log is {reason}")
        self.reason = reason
        """`busy` asks to come back later; `gone` says that the file was deleted meanwhile."""
