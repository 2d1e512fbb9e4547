"""The background task that reads what agents wrote since the last time, and nothing else.

Every agent is a source. What is read is redacted before anything else happens to it. A log that is
gone leaves its turns behind, unless the settings say otherwise.
"""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hunch.errors import HunchError, InvalidSetting
from hunch.sources.paths import exists
from hunch.store import conversations as stored
from hunch.store import documents, sources

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from hunch.config import Settings
    from hunch.indexing.log_reading import LogReading, Outcome
    from hunch.indexing.looking import Tell
    from hunch.model import Source
    from hunch.ranking.terms import Terms
    from hunch.sources.conversations.base import Log, Reader
    from hunch.sources.conversations.places import Places
    from hunch.sources.watch import Watcher
    from hunch.store.database import Database
    from hunch.store.leases import Leases

log = logging.getLogger(__name__)

LOOK_SECONDS = 30.0
"""Seconds between two looks for logs that no watch tells of."""
_BUSY_SECONDS = 2.0
"""Seconds before a log that is being written is tried again."""
_EXPORTS = ("chatgpt", "claude-ai")
_STAMP_OF_ONE = 2
"""Numbers in the stamp of a log that is one file: its size and its time."""


@dataclass(eq=False)
class _Agent:
    """What is known of one agent's logs."""

    reader: Reader
    source: Source | None = None
    is_ours: bool | None = None
    message: str = ""
    watched: tuple[Path, frozenset[str]] | None = None
    logs: Mapping[str, Log] = field(default_factory=dict[str, "Log"])
    """Those that the last whole look found, by path."""


class ConversationWork:
    """Reads the logs of all agents; what it finds wrong becomes part of the state."""

    def __init__(
        self,
        settings: Settings,
        places: Places,
        database: Database,
        leases: Leases,
        terms: Terms,
        *,
        roots: Collection[Path],
        running: asyncio.Event,
        tell: Tell,
    ) -> None:
        """Prepare the task.

        Args:
            settings: which agents and folders.
            places: where agents keep their logs.
            database: where the index is.
            leases: of this process.
            terms: splits words.
            roots: the open folders, as they change.
            running: while it is not set, nothing is read.
            tell: who wants to know how it goes.
        """
        self._base = places
        self._database = database
        self._leases = leases
        self._terms = terms
        self._roots = roots
        self._running = running
        self._tell = tell
        self._agents: dict[str, _Agent] = {}
        """By name; none before they are wanted."""
        self._reading: LogReading | None = None
        self._asked: dict[str, frozenset[str] | None] = {}
        """The agents to look at, each with the logs that may have changed; None for all of them."""
        self._all_asked = False
        """Whether to look at every agent."""
        self._wanted = asyncio.Event()
        self._is_working = False
        self.watcher: Watcher | None = None
        """Watches where logs are; None when nobody does."""
        self.is_open = False
        """Whether conversations are wanted at all in this process."""
        self.failure = ""
        """A sentence about what keeps conversations from being read; else empty."""
        self._settings = settings

    def _places(self) -> Places:
        """Return where logs are looked for at the moment."""
        settings = self._settings
        extra: dict[str, tuple[Path, ...]] = {}
        for entry in settings.conversations_folders:
            agent, _, folder = entry.partition("=")
            extra[agent] = (*extra.get(agent, ()), Path(folder).expanduser())
        for agent in _EXPORTS:
            named = (Path(folder).expanduser() for folder in settings.conversations_exports)
            extra[agent] = (*extra.get(agent, ()), *named)
        # Aider keeps its logs in the projects themselves.
        extra["aider"] = (*extra.get("aider", ()), *self._roots)
        return replace(self._base, extra=extra)

    # What is wanted

    def open(self) -> None:
        """Read what is new soon."""
        self.is_open = True
        self.want()

    def want(self, agents: Iterable[str] | None = None) -> None:
        """Look for new turns of some agents soon, or of all."""
        if self.is_open:
            self._all_asked |= agents is None
            self._asked |= dict.fromkeys(agents or ())
            self._wanted.set()
            self._tell.moved()

    def hint(self, root: Path, paths: AbstractSet[str] | None) -> None:
        """Look at the agents whose logs lie below a watched root, at some paths or at all of it."""
        for name, agent in self._agents.items():
            if agent.watched and agent.watched[0] == root:
                before = self._asked.get(name, frozenset[str]())
                if paths is None or before is None:
                    self.want([name])
                else:
                    asked = before.union(str(root / path) for path in paths)
                    self.want([name])
                    self._asked[name] = asked

    async def reconfigure(self, settings: Settings) -> None:
        """Take other settings; what they exclude is taken away."""
        before, self._settings = self._settings, settings
        if _what_is_read(before) == _what_is_read(settings):
            return
        self._reading = None
        for agent in self._agents.values():
            source = await self._source_of(agent, make=False)
            if source is not None:
                await self._database.write(stored.read_again, source.id)
        self.want()

    def forget_index(self) -> None:
        """Take note that nothing is known any more of what the index holds."""
        for agent in self._agents.values():
            agent.source = None

    @property
    def has_work(self) -> bool:
        """Whether logs are to be read or are being read."""
        return self._wanted.is_set() or self._is_working

    async def tick(self) -> None:
        """Take over agents that another process has read until now."""
        for name, agent in [*self._agents.items()]:
            if agent.is_ours is False and await asyncio.to_thread(
                self._leases.take, _lease(agent.reader)
            ):
                self.want([name])

    def messages(self) -> dict[Path, str]:
        """Return a sentence about each agent's source of which there is something to say."""
        return {a.source.root: a.message for a in self._agents.values() if a.source and a.message}

    # Work

    async def loop(self) -> None:
        """Work until cancelled."""
        while True:
            await self._wanted.wait()
            self._is_working = True
            self._wanted.clear()
            asked, self._asked = self._asked, {}
            everything, self._all_asked = self._all_asked, False
            try:
                await self._look(None if everything else asked)
            finally:
                self._is_working = False
                self._tell.moved()

    async def _look(self, asked: Mapping[str, frozenset[str] | None] | None) -> None:
        """Look at some agents (and of each at some logs), or at all, with the present settings."""
        # Readers and redaction take a while to be imported, and are not needed by every search.
        readers, make = await asyncio.to_thread(_import_reading)
        for reader in () if self._agents else readers:
            self._agents[reader.agent] = _Agent(reader)
        try:
            arguments = self._settings, self._database, self._terms, self._running
            reading = self._reading = self._reading or make(*arguments)
        except InvalidSetting as error:
            # Without every pattern that the user wants, nothing may be written.
            self.failure = f"{error}; no conversation is read."
            return
        for name, agent in self._agents.items():
            if asked is None or name in asked:
                await self._running.wait()
                await self._try(agent, reading, None if asked is None else asked[name])

    async def clock_loop(self) -> None:
        """Look for new logs now and then until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if self.watcher is not None:
                self.want()

    async def _try(
        self, agent: _Agent, reading: LogReading, paths: AbstractSet[str] | None
    ) -> None:
        try:
            if self._is_off(agent):
                await self._forget(agent)
            else:
                await self._read_new(agent, reading, paths)
            self.failure = ""
        except HunchError as error:
            self.failure = str(error)
            self._later(agent, LOOK_SECONDS)
        except Exception:
            log.exception("the conversations of an agent could not be read")
            agent.message = "Its logs could not be read because of a fault in Hunch; see the log."

    def _later(self, agent: _Agent, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self.want, [agent.reader.agent])

    def _is_off(self, agent: _Agent) -> bool:
        return not {"all", agent.reader.agent}.isdisjoint(self._settings.conversations_off)

    async def _forget(self, agent: _Agent) -> None:
        source = await self._source_of(agent, make=False)
        agent.source = None
        if source is not None:
            await self._database.write(sources.forget, source.id)

    async def _read_new(
        self, agent: _Agent, reading: LogReading, paths: AbstractSet[str] | None
    ) -> None:
        """Read the logs of an agent that changed since they were read."""
        listed = await asyncio.to_thread(_restamped, agent.logs, paths)
        is_whole = listed is None
        logs = listed or await asyncio.to_thread(self._discover, agent.reader)
        found = {str(each.path): each for each in logs}
        source = await self._source_of(agent, make=bool(found))
        if source is None:
            return
        agent.is_ours = await asyncio.to_thread(self._leases.take, _lease(agent.reader))
        if not agent.is_ours:
            return
        known = await self._database.read(
            stored.list_logs, source.id, None if is_whole else [*found]
        )
        if is_whole:
            agent.logs = found
            await self._part_with(source, known, found)
        fresh = [each for each in logs if _is_news(each, known.get(str(each.path)))]
        if fresh:
            self._tell.started()
            self._tell.found(len(fresh))
        outcomes = await self._read_logs(agent.reader, source, reading, fresh, known)
        if fresh:
            agent.message = _judgement(outcomes, agent.reader.label)
        if any(outcome.is_busy for outcome in outcomes):
            self._later(agent, _BUSY_SECONDS)
        await self._database.maintain(sources.finish_look, source.id, 0)
        if fresh:
            self._tell.looked()
        if is_whole:
            await self._watch(agent, found.values())

    async def _read_logs(
        self,
        reader: Reader,
        source: Source,
        reading: LogReading,
        logs: Iterable[Log],
        known: Mapping[str, stored.StoredLog],
    ) -> list[Outcome]:
        """Read some logs, the best first."""
        in_order = sorted(logs, key=lambda each: (each.rank, str(each.path)))
        paths = [str(each.path) for each in in_order]
        if not paths:
            return []
        opened = await self._database.write(stored.open_logs, source.id, paths)
        batch = reading.batch(reader, source)
        outcomes: list[Outcome] = []
        unwritten = 0
        for path, each in zip(paths, in_order, strict=True):
            outcomes.append(
                await reading.read(reader, source, batch, each, opened[path], known.get(path))
            )
            unwritten += 1
            if each is in_order[-1]:
                await self._running.wait()
                await batch.write()
            if batch.is_empty:
                self._tell.written(unwritten, each.path.name)
                unwritten = 0
        return outcomes

    def _discover(self, reader: Reader) -> list[Log]:
        return [*reader.discover(self._places())]

    async def _source_of(self, agent: _Agent, *, make: bool) -> Source | None:
        if agent.source is None:
            root = Path(f"hunch-session:{agent.reader.agent}")
            known = await self._database.read(sources.list_sources)
            agent.source = next((source for source, _ in known if source.root == root), None)
            if agent.source is None and make:
                agent.source = await self._database.write(
                    sources.ensure_source, "conversations", root, agent.reader.agent
                )
        return agent.source

    async def _part_with(
        self, source: Source, known: Mapping[str, stored.StoredLog], found: Mapping[str, Log]
    ) -> None:
        missing = [path for path in known if path not in found]
        # What is only not looked for any more, such as a log in a folder that was closed, is not lost.
        gone = await asyncio.to_thread(lambda: [p for p in missing if not exists(Path(p))])
        lost = {path: known[path] for path in gone}
        if self._settings.conversations_forget_deleted:
            for path, entry in lost.items():
                await self._database.write(stored.forget_log, source.id, entry.id)
                await self._database.write(documents.clear_problems, source.id, [path])
        elif news := [entry.id for entry in lost.values() if not entry.is_gone]:
            await self._database.write(stored.mark_gone, news)

    async def _watch(self, agent: _Agent, found: Iterable[Log]) -> None:
        if self.watcher is None:
            return
        folders = {str(each.path.parent) for each in found}
        if not folders:
            return
        try:
            root = Path(os.path.commonpath(folders)).parent
        except ValueError:  # on several drives; the clock will do
            return
        inside = {Path(folder).relative_to(root) for folder in folders}
        places = {above.as_posix() for place in inside for above in (place, *place.parents)}
        watched = root, frozenset("" if place == "." else place for place in places)
        if watched != agent.watched:
            agent.watched = watched
            await self.watcher.watch(*watched)
            self.want([agent.reader.agent])


def _import_reading() -> tuple[tuple[Reader, ...], type[LogReading]]:
    from hunch.indexing.log_reading import READERS, LogReading  # noqa: PLC0415 - see the caller

    return READERS, LogReading


def _lease(reader: Reader) -> str:
    return f"agent-{reader.agent}"


def _restamped(logs: Mapping[str, Log], paths: AbstractSet[str] | None) -> list[Log] | None:
    """Return the logs at some paths as they are now; None if that cannot be told one by one."""
    found: list[Log] = []
    for path in paths or ():
        log = logs.get(path)
        # A stamp of more than one file is the reader's own business.
        if log is None or len(log.stamp) != _STAMP_OF_ONE:
            return None
        try:
            status = log.path.stat()
        except OSError:
            return None
        found.append(replace(log, stamp=(status.st_size, status.st_mtime_ns)))
    return found or None


def _is_news(found: Log, known: stored.StoredLog | None) -> bool:
    return known is None or known.is_gone or known.stamp != tuple(found.stamp)


def _judgement(outcomes: Sequence[Outcome], label: str) -> str:
    if any(outcome.turns for outcome in outcomes) or not any(o.unknown for o in outcomes):
        return ""
    return (
        f"Its logs change, but nothing in them is understood; {label} may have changed its format."
    )


def _what_is_read(settings: Settings) -> tuple[object, ...]:
    return (
        settings.conversations_off,
        settings.conversations_folders,
        settings.conversations_exports,
        settings.conversations_exclude,
        settings.conversations_redact,
        settings.conversations_forget_deleted,
    )
