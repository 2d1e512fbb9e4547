"""Who does what when several processes share one index: work that is leased is left alone.

A lease is a lock of the operating system on a small file beside the database. It ends with its
process, however that ends, so that there is no heartbeat to miss and no dead owner to find out.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)


class Leases:
    """The leases of this process. Methods touch the disk; none of them waits for another process."""

    def __init__(self, database: Path) -> None:
        """Prepare for the index at `database`; nothing is leased yet."""
        self._folder = database.with_name(f"{database.name}.leases")
        self._held: dict[str, FileLock] = {}

    def take(self, name: str) -> bool:
        """Lease a piece of work, and tell whether it is leased to this process now.

        Where the file system knows no locks, everything is: work that is done twice is only wasted.
        """
        if name in self._held:
            return True
        lock = FileLock(
            self._folder / name,
            blocking=False,
            thread_local=False,
            fallback_to_soft=False,
            preserve_lock_file=True,
            on_acquired=_sign,
        )
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            lock.acquire()
        except Timeout:
            return False
        except (OSError, NotImplementedError) as error:
            log.debug("no leases here: %s", type(error).__name__)
            return True
        self._held[name] = lock
        return True

    def give_back(self, name: str) -> None:
        """End a lease; does nothing without one."""
        lock = self._held.pop(name, None)
        if lock is not None:
            with suppress(OSError):
                lock.release()

    def holder(self, name: str) -> int | None:
        """Return the process id that signed a lease last; None when that cannot be told."""
        try:
            return int((self._folder / name).read_text("ascii"))
        except (OSError, ValueError):
            return None

    def close(self) -> None:
        """End all leases."""
        for name in [*self._held]:
            self.give_back(name)


def _sign(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.write(descriptor, str(os.getpid()).encode())
