"""Where logs are looked for: default places of each platform, environment, folders of the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hunch.sources.conversations.places import Places, current_places, files_below, found
from hunch.sources.conversations.readers import READERS
from support.conversations.claude import long_conversation
from support.conversations.codex import long_rollout
from support.conversations.openclaw import OpenClawStore, long_session

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.sources.conversations.places import Platform

BY_AGENT = {reader.agent: reader for reader in READERS}
PLATFORMS: list[Platform] = ["linux", "darwin", "win32"]


def fill(home: Path) -> None:
    """Write a log of each agent into the default places of a home folder."""
    long_conversation().write(home / ".claude" / "projects")
    long_rollout().write(home / ".codex")
    OpenClawStore(home / ".openclaw")
    long_session().write(home / ".openclaw")


def names(agent: str, places: Places) -> list[str]:
    """Return what is found of an agent, relative to the home folder."""
    home = places.home.resolve()
    return [log.path.relative_to(home).as_posix() for log in BY_AGENT[agent].discover(places)]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_default_places_are_the_same_everywhere(platform: Platform, tmp_path: Path) -> None:
    """These three keep their logs below the home folder on every platform."""
    fill(tmp_path)
    places = Places(tmp_path, {"APPDATA": "x", "XDG_CONFIG_HOME": "y"}, platform)
    assert [len(names(agent, places)) for agent in ("openclaw", "claude-code", "codex")] == [
        2,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("agent", "variable", "folder"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude"),
        ("codex", "CODEX_HOME", ".codex"),
        ("openclaw", "OPENCLAW_STATE_DIR", ".openclaw"),
        ("openclaw", "OPENCLAW_HOME", ""),
    ],
)
def test_variables_replace_the_default(
    agent: str, variable: str, folder: str, tmp_path: Path
) -> None:
    """An agent that was told another folder is looked for there and nowhere else."""
    fill(tmp_path / "elsewhere")
    fill(tmp_path)
    place = str(tmp_path / "elsewhere" / folder)
    for value in (place, f" {place} ", f"~/elsewhere/{folder}"):
        inside = names(agent, Places(tmp_path, {variable: value}))
        assert inside
        assert all(name.startswith("elsewhere/") for name in inside)
    assert not any(
        name.startswith("elsewhere") for name in names(agent, Places(tmp_path, {variable: ""}))
    )


@pytest.mark.parametrize("agent", BY_AGENT)
def test_nothing_is_found_where_nothing_is(agent: str, tmp_path: Path) -> None:
    """A home without agents gives no logs and no errors, whatever the variables say."""
    environment = {"CLAUDE_CONFIG_DIR": "/none", "CODEX_HOME": "", "OPENCLAW_PROFILE": "x"}
    assert not list(BY_AGENT[agent].discover(Places(tmp_path, environment)))


@pytest.mark.parametrize(
    ("agent", "folder"),
    [("claude-code", ".claude"), ("codex", ".codex"), ("openclaw", ".openclaw")],
)
def test_folders_of_the_user_are_looked_into_too(agent: str, folder: str, tmp_path: Path) -> None:
    """Extra folders stand beside the default ones."""
    fill(tmp_path)
    fill(tmp_path / "backup")
    places = Places(tmp_path, extra={agent: (tmp_path / "backup" / folder,)})
    inside = names(agent, places)
    assert len([name for name in inside if name.startswith("backup/")]) == len(inside) // 2 > 0


def test_openclaw_under_its_former_name(tmp_path: Path) -> None:
    """The old folder counts only while the new one does not exist; a link to it counts once."""
    long_session().write(tmp_path / ".clawdbot")
    assert len(names("openclaw", Places(tmp_path))) == 1
    (tmp_path / ".clawdbot").rename(tmp_path / ".openclaw")
    (tmp_path / ".clawdbot").symlink_to(tmp_path / ".openclaw")
    assert len(names("openclaw", Places(tmp_path))) == 1
    assert names("openclaw", Places(tmp_path))[0].startswith(".openclaw/")


def test_openclaw_profiles(tmp_path: Path) -> None:
    """All profiles are read, or the one that the environment names."""
    long_session().write(tmp_path / ".openclaw")
    long_session().write(tmp_path / ".openclaw-work")
    assert len(names("openclaw", Places(tmp_path))) == 2
    (name,) = names("openclaw", Places(tmp_path, {"OPENCLAW_PROFILE": "work"}))
    assert name.startswith(".openclaw-work/")


def test_openclaw_agents_that_were_moved(tmp_path: Path) -> None:
    """A database in a folder that the settings name is found."""
    state = tmp_path / ".openclaw"
    moved = OpenClawStore(state).path.parent.rename(tmp_path / "far")
    settings = '{agents: {list: [{id: "main", agentDir: "~/far"}, {agentDir: "/none"}]}}'
    (state / "openclaw.json").write_text(settings)
    (log,) = BY_AGENT["openclaw"].discover(Places(tmp_path))
    assert log.path == (moved / "openclaw-agent.sqlite").resolve()


def test_the_oldest_layout_of_openclaw(tmp_path: Path) -> None:
    """Before there were agents, sessions lay at the root of the state folder."""
    path = long_session().write(tmp_path / "old")
    (tmp_path / ".openclaw" / "sessions").mkdir(parents=True)
    path.rename(tmp_path / ".openclaw" / "sessions" / path.name)
    assert names("openclaw", Places(tmp_path)) == [f".openclaw/sessions/{path.name}"]


def test_a_stamp_changes_with_the_file_and_its_sidecar(tmp_path: Path) -> None:
    """Growth of the write-ahead log alone is seen."""
    store = OpenClawStore(tmp_path / ".openclaw")
    places = Places(tmp_path)
    stamps = [next(iter(BY_AGENT["openclaw"].discover(places))).stamp]
    for content in (b"", b"x"):
        store.path.with_name(store.path.name + "-wal").write_bytes(content)
        stamps.append(next(iter(BY_AGENT["openclaw"].discover(places))).stamp)
    assert len(set(stamps)) == 3


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A link inside of a folder is left out; the folder itself may be one."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.jsonl").write_text("")
    (tmp_path / "real" / "b.jsonl").symlink_to(tmp_path / "real" / "a.jsonl")
    (tmp_path / "real" / "loop").symlink_to(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    expected = [(tmp_path / "real" / "a.jsonl").resolve()]
    assert list(files_below(tmp_path / "link")) == expected
    assert not list(found("x", tmp_path / "none"))


@pytest.mark.parametrize(
    ("platform", "environment", "config", "data"),
    [
        ("linux", {}, ".config", ".local/share"),
        ("linux", {"XDG_CONFIG_HOME": "~/c", "XDG_DATA_HOME": "~/d"}, "c", "d"),
        ("darwin", {"XDG_CONFIG_HOME": "~/c"}, "Library/Application Support", "Library/Application Support"),
        ("win32", {}, "AppData/Roaming", "AppData/Local"),
        ("win32", {"APPDATA": "~/r", "LOCALAPPDATA": "~/l"}, "r", "l"),
    ],
)  # fmt: skip
def test_folders_of_applications(
    platform: Platform, environment: dict[str, str], config: str, data: str, tmp_path: Path
) -> None:
    """Settings and data of desktop applications lie where each platform wants them."""
    places = Places(tmp_path, environment, platform)
    assert (places.config(), places.data()) == (tmp_path / config, tmp_path / data)


def test_current_places_are_those_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The home folder and the environment are taken from the process."""
    monkeypatch.setenv("CODEX_HOME", "/x")
    places = current_places()
    assert places.environment["CODEX_HOME"] == "/x"
    assert places.home.is_absolute()
