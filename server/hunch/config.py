"""Settings: what they are called, what they default to, and how layers of them are merged.

The wire names are dotted and camel-cased (`ollama.batchSize`), as editors write them. Later layers
win: defaults, the user's `config.toml`, what the client sends, the environment (`HUNCH_DB`,
`OLLAMA_HOST`).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import platformdirs

from hunch.errors import InvalidSetting


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user can change. Every field has one entry in the README's table."""

    embedder: str = field(default="auto", metadata={"one_of": ("auto", "ollama", "builtin")})
    """`auto` takes Ollama when it answers and has the model, else the built-in embedder."""
    ollama_url: str = ""
    """Base URL of Ollama; empty means `OLLAMA_HOST`, read as Ollama itself reads it."""
    ollama_model: str = "nomic-embed-text"
    ollama_batch_size: int = field(default=32, metadata={"range": (1, 512)})
    """Texts in one request."""
    ollama_concurrency: int = field(default=2, metadata={"range": (1, 16)})
    """Requests in flight while indexing."""
    index_max_file_bytes: int = field(default=1_048_576, metadata={"range": (1_024, 104_857_600)})
    """Larger files are skipped."""
    conversations_off: tuple[str, ...] = ()
    """Agents whose conversations are not indexed, by name; `all` for every one."""
    conversations_folders: tuple[str, ...] = ()
    """Further places to look for logs, each as `agent=folder`."""
    conversations_exports: tuple[str, ...] = ()
    """Folders with account exports of ChatGPT and Claude.ai."""
    conversations_exclude: tuple[str, ...] = ()
    """Project folders whose conversations are not indexed."""
    conversations_redact: tuple[str, ...] = ()
    """Regular expressions of what is to be redacted besides known secrets."""
    conversations_forget_deleted: bool = False
    """Forget the conversations of deleted logs, which stay searchable else."""
    conversations_half_life_days: int = field(default=30, metadata={"range": (1, 36_500)})
    """Age at which a conversation has lost half of what being recent gives it."""
    database: str = ""
    """Path of the index database; empty means the platform's data directory."""


DEFAULTS = Settings()


def wire_name(attribute: str) -> str:
    """Return the dotted, camel-cased name of a setting: `ollama_batch_size` → `ollama.batchSize`."""
    group, _, rest = attribute.partition("_")
    if not rest:
        return group
    head, *tail = rest.split("_")
    return f"{group}.{head}{''.join(word.title() for word in tail)}"


_BY_WIRE_NAME = {wire_name(name): name for name in Settings.__dataclass_fields__}


def merge(settings: Settings, layer: Mapping[str, Any]) -> tuple[Settings, list[str]]:
    """Lay one layer of options over `settings`.

    Options may be nested (`{"ollama": {"model": …}}`) or dotted. A value of `None` means the
    default. Unknown keys and bad values change nothing.

    Returns:
        The merged settings, and one sentence for every option that was not understood.
    """
    changes: dict[str, Any] = {}
    complaints: list[str] = []
    for key, value in _flatten(layer):
        attribute = _BY_WIRE_NAME.get(key)
        if attribute is None:
            complaints.append(f"setting {key} is not known and was ignored")
            continue
        try:
            changes[attribute] = _checked(attribute, key, value)
        except InvalidSetting as error:
            complaints.append(f"{error}; using {getattr(settings, attribute)!r}")
    return replace(settings, **changes), complaints


def _flatten(layer: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for key, value in layer.items():
        if isinstance(value, Mapping):
            flat += _flatten(cast("Mapping[str, Any]", value), f"{prefix}{key}.")
        else:
            flat.append((f"{prefix}{key}", value))
    return flat


def _checked(attribute: str, key: str, value: Any) -> Any:
    default = getattr(DEFAULTS, attribute)
    meta = Settings.__dataclass_fields__[attribute].metadata
    if value is None:
        return default
    if isinstance(default, tuple):
        return _checked_list(key, value)
    if type(value) is not type(default):
        raise InvalidSetting(key, f"must be a {type(default).__name__}")
    if "one_of" in meta and value not in meta["one_of"]:
        raise InvalidSetting(key, f"must be one of {', '.join(meta['one_of'])}")
    if "range" in meta and not meta["range"][0] <= value <= meta["range"][1]:
        raise InvalidSetting(key, f"must be from {meta['range'][0]} to {meta['range'][1]}")
    return value


def _checked_list(key: str, value: Any) -> tuple[str, ...]:
    entries = cast("list[Any]", value) if isinstance(value, list | tuple) else None
    if entries is None or not all(isinstance(entry, str) and entry for entry in entries):
        raise InvalidSetting(key, "must be a list of strings that are not empty")
    return tuple(entries)


def load(options: Mapping[str, Any] | None = None) -> tuple[Settings, list[str]]:
    """Read the user's file and lay `options` over it.

    Returns:
        The settings, and one sentence for everything that was not understood.
    """
    settings, complaints = DEFAULTS, list[str]()
    path = config_path()
    try:
        user = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        user = {}
    except (OSError, ValueError) as error:
        user = {}
        complaints.append(f"{path.name} cannot be read ({type(error).__name__}) and was ignored")
    for layer in (user, options or {}):
        settings, more = merge(settings, layer)
        complaints += more
    return settings, complaints


def config_path() -> Path:
    """Return where the user's settings file is looked for."""
    return Path(platformdirs.user_config_dir("hunch", appauthor=False)) / "config.toml"


def database_path(settings: Settings) -> Path:
    """Return where the index lives: `HUNCH_DB`, else the setting, else the data directory."""
    chosen = os.environ.get("HUNCH_DB") or settings.database
    if chosen:
        return Path(chosen).expanduser().absolute()
    return Path(platformdirs.user_data_dir("hunch", appauthor=False)) / "index.db"
