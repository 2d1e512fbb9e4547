"""The background task that reads what agents wrote since the last time, and nothing else.

Every agent is a source. What is read is redacted before anything else happens to it. A log that is
gone leaves its turns behind, unless the settings say otherwise.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hunch.errors import HunchError, InvalidSetting, LogUnavailable
from hunch.indexing.turns import hash_of_turn, plan_turns
from hunch.model import Problem
from hunch.sources import git
from hunch.sources.conversations.base import Step
from hunch.sources.conversations.readers import READERS
from hunch.sources.paths import exists
from hunch.sources.redaction import Redactor, is_excluded
from hunch.store import conversations as stored
from hunch.store import documents, postings, sources

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from hunch.config import Settings
    from hunch.indexing.looking import Tell
    from hunch.model import Source
    from hunch.ranking.terms import Terms
    from hunch.sources.conversations.base import Conversation, Log, Reader, Reading, Turn
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
_ENDED: Any = object()


@dataclass(eq=False)
class _Agent:
    """What is known of one agent's logs."""

    reader: Reader
    source: Source | None = None
    wanted: bool = False
    is_ours: bool | None = None
    message: str = ""
    watched: tuple[Path, frozenset[str]] | None = None


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
        self._agents = {reader.agent: _Agent(reader) for reader in READERS}
        self._wanted = asyncio.Event()
        self._current: _Agent | None = None
        self.watcher: Watcher | None = None
        """Watches where logs are; None when nobody does."""
        self.is_open = False
        """Whether conversations are wanted at all in this process."""
        self._failure = ""
        self._take(settings)

    def _take(self, settings: Settings) -> None:
        self._settings = settings
        extra: dict[str, tuple[Path, ...]] = {}
        for entry in settings.conversations_folders:
            agent, _, folder = entry.partition("=")
            extra[agent] = (*extra.get(agent, ()), Path(folder).expanduser())
        for agent in _EXPORTS:
            named = (Path(folder).expanduser() for folder in settings.conversations_exports)
            extra[agent] = (*extra.get(agent, ()), *named)
        self._places = replace(self._base, extra=extra)
        try:
            self._redactor, self._refusal = Redactor(settings.conversations_redact), ""
        except InvalidSetting as error:
            # Without every pattern that the user wants, nothing may be written.
            self._redactor, self._refusal = Redactor(), f"{error}; no conversation is read."
        self._excluded = [Path(p).expanduser() for p in settings.conversations_exclude]

    # What is wanted

    def open(self) -> None:
        """Read what is new soon."""
        self.is_open = True
        self.want()

    def want(self, agents: Iterable[str] | None = None) -> None:
        """Look for new turns of some agents soon, or of all."""
        if self.is_open:
            for name in self._agents if agents is None else agents:
                self._agents[name].wanted = True
            self._wanted.set()
            self._tell.moved()

    def hint(self, root: Path) -> None:
        """Look at the agent whose logs lie below a watched root."""
        found = [
            n for n, agent in self._agents.items() if agent.watched and agent.watched[0] == root
        ]
        self.want(found)

    async def reconfigure(self, settings: Settings) -> None:
        """Take other settings; what they exclude is taken away."""
        before, self._settings = self._settings, settings
        if _what_is_read(before) == _what_is_read(settings):
            return
        self._take(settings)
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
    def failure(self) -> str:
        """A sentence about what keeps conversations from being read; else empty."""
        return self._refusal or self._failure

    @property
    def has_work(self) -> bool:
        """Whether logs are to be read or are being read."""
        return self._current is not None or any(a.wanted for a in self._agents.values())

    async def tick(self) -> None:
        """Take over agents that another process has read until now."""
        for name, agent in self._agents.items():
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
            self._wanted.clear()
            for agent in self._agents.values():
                if agent.wanted:
                    await self._running.wait()
                    agent.wanted, self._current = False, agent
                    try:
                        await self._try(agent)
                    finally:
                        self._current = None
                        self._tell.moved()

    async def clock_loop(self) -> None:
        """Look for new logs now and then until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if self.watcher is not None:
                self.want()

    async def _try(self, agent: _Agent) -> None:
        try:
            if self._is_off(agent):
                await self._forget(agent)
            elif not self._refusal:
                await self._read_all(agent)
            self._failure = ""
        except HunchError as error:
            self._failure = str(error)
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

    async def _read_all(self, agent: _Agent) -> None:
        """Read the logs of an agent that changed since they were read."""
        logs = await asyncio.to_thread(self._discover, agent.reader)
        found = {str(each.path): each for each in logs}
        source = await self._source_of(agent, make=bool(found))
        if source is None:
            return
        agent.is_ours = await asyncio.to_thread(self._leases.take, _lease(agent.reader))
        if not agent.is_ours:
            return
        known = await self._database.read(stored.list_logs, source.id)
        await self._part_with(source, known, found)
        fresh = [each for each in logs if _is_news(each, known.get(str(each.path)))]
        if fresh:
            self._tell.started()
            self._tell.found(len(fresh))
        outcome = Counter[str]()
        for each in sorted(fresh, key=lambda each: (each.rank, str(each.path))):
            outcome += await self._read(agent, source, each, known.get(str(each.path)))
            self._tell.written(1, each.path.name)
        agent.message = _judgement(outcome, agent.reader.label) if fresh else agent.message
        await self._database.maintain(sources.finish_look, source.id, 0)
        if fresh:
            self._tell.looked()
        await self._watch(agent, found.values())

    def _discover(self, reader: Reader) -> list[Log]:
        # Aider keeps its logs in the projects themselves.
        here = {"aider": (*self._places.extra.get("aider", ()), *self._roots)}
        return [*reader.discover(replace(self._places, extra={**self._places.extra, **here}))]

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

    async def _read(
        self, agent: _Agent, source: Source, found: Log, known: stored.StoredLog | None
    ) -> Counter[str]:
        """Read one log to its end; returns what came of it."""
        log_id = await self._database.write(stored.open_log, source.id, str(found.path))
        outcome, unknown = Counter[str](), Counter[str]()
        readings = agent.reader.read(found, known.cursors if known else {})
        problem: Problem | None = None
        try:
            while (reading := await asyncio.to_thread(next, readings, _ENDED)) is not _ENDED:
                await self._running.wait()
                written = await self._store(agent.reader, source, found, log_id, reading)
                outcome["turns"] += written
                unknown.update(reading.unknown)
                unknown["broken lines"] += reading.broken
        except LogUnavailable as error:
            if error.reason == "busy":
                self._later(agent, _BUSY_SECONDS)
            elif error.reason != "gone":
                problem = Problem(str(found.path), str(error), "failed")
        else:
            await self._database.write(stored.close_log, log_id, found.stamp)
        outcome["unknown"] += unknown.total()
        if unknown.total():
            problem = Problem(str(found.path), _clause(unknown), "not understood")
        if problem is not None:
            unread = documents.UnreadFile(problem, None)
            await self._database.write(documents.write_unread, source.id, [unread])
        return outcome

    async def _store(
        self, reader: Reader, source: Source, found: Log, log_id: int, reading: Reading
    ) -> int:
        """Store one reading; returns how many turns were new or changed."""
        conversation = replace(
            reading.conversation, title=self._redactor.redact(reading.conversation.title)
        )
        head = _head(conversation)
        turns = await asyncio.to_thread(self._redacted, reading.turns)
        if await self._is_unwanted(source, head, turns):
            turns = []
        known = await self._database.read(stored.known_turns, source.id, [t.id for t in turns])
        ours = _Holder(log_id, found, conversation)
        wanted = [
            turn
            for turn in turns
            if ours.may_write(turn, known.get(turn.id), replace=reading.replace)
        ]
        planned, terms = await asyncio.to_thread(
            plan_turns, wanted, conversation, reader.label, self._terms
        )
        await self._database.write(
            stored.write_reading,
            source.id,
            stored.NewReading(
                log_id=log_id,
                rank=found.rank,
                head=head,
                turns=planned,
                terms=terms,
                key=reading.key,
                cursor=reading.cursor,
                replace=reading.replace,
            ),
        )
        while segments := await self._database.read(postings.mergeable):
            await self._database.write(postings.merge, segments)
        return len(wanted)

    async def _is_unwanted(
        self, source: Source, head: stored.ConversationHead, turns: Iterable[Turn]
    ) -> bool:
        """Tell whether a conversation is to be left out; what there was of it goes."""
        place = head.directory
        if place and any(Path(place).is_relative_to(folder) for folder in self._excluded):
            await self._database.write(stored.drop_conversation, source.id, head.name)
            return True
        if any(map(_is_marked, turns)):
            await self._database.write(stored.exclude_conversation, source.id, head)
            return True
        return await self._database.read(stored.is_excluded, source.id, head.name)

    def _redacted(self, turns: Iterable[Turn]) -> list[Turn]:
        redact = self._redactor.redact
        return [
            replace(
                turn,
                question=redact(turn.question),
                steps=tuple(Step(redact(step.text), step.is_tool) for step in turn.steps),
            )
            for turn in turns
        ]

    async def _watch(self, agent: _Agent, found: Iterable[Log]) -> None:
        if self.watcher is None:
            return
        folders = {str(each.path.parent) for each in found}
        if not folders:
            return
        root = Path(os.path.commonpath(folders)).parent
        inside = {Path(folder).relative_to(root) for folder in folders}
        places = {above.as_posix() for place in inside for above in (place, *place.parents)}
        watched = root, frozenset("" if place == "." else place for place in places)
        if watched != agent.watched:
            agent.watched = watched
            await self.watcher.watch(*watched)
            self.want([agent.reader.agent])


@dataclass(frozen=True, slots=True)
class _Holder:
    """A log that gives a turn, which other logs may hold as well."""

    log_id: int
    log: Log
    conversation: Conversation

    def may_write(self, turn: Turn, known: stored.KnownTurn | None, *, replace: bool) -> bool:
        """Tell whether the turn is news, and this log the one that should hold it."""
        if known is None:
            return True
        if known.log_id == self.log_id:
            return replace or known.hash != hash_of_turn(turn)
        started = self.conversation.started
        ours = self.log.rank, started.timestamp() if started else 0.0, str(self.log.path)
        return ours < (known.rank, known.conversation_started, known.log_path)


def _lease(reader: Reader) -> str:
    return f"agent-{reader.agent}"


def _is_news(found: Log, known: stored.StoredLog | None) -> bool:
    return known is None or known.is_gone or known.stamp != tuple(found.stamp)


def _is_marked(turn: Turn) -> bool:
    return is_excluded(turn.question) or any(is_excluded(step.text) for step in turn.steps)


def _head(conversation: Conversation) -> stored.ConversationHead:
    return stored.ConversationHead(
        name=conversation.id,
        title=conversation.title,
        directory=conversation.directory,
        remote=git.remote_name(conversation.remote),
        branch=conversation.branch,
        parent=conversation.parent,
        is_subagent=conversation.is_subagent,
        started=conversation.started,
    )


def _clause(unknown: Counter[str]) -> str:
    kinds = ", ".join(f"{count} × {kind}" for kind, count in unknown.most_common(5) if count)
    return f"not understood: {kinds}"


def _judgement(outcome: Counter[str], label: str) -> str:
    if outcome["turns"] or not outcome["unknown"]:
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
