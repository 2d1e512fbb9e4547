"""A small project in three languages, with one file for each thing that a test looks for."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

RETRY = '''\
"""Talking to the payment gateway."""

import random
import time


class Client:
    """Sends requests over HTTP."""

    def send_with_retry(self, request, attempts=5):
        """Send a request again after a failure, waiting twice as long each time."""
        delay = 0.5
        for attempt in range(attempts):
            try:
                return self.send(request)
            except ConnectionError:
                time.sleep(delay + random.random())
                delay *= 2
        raise TimeoutError(request)

    def send(self, request):
        """Send a request once."""
        return self.transport.post(request.url, request.body)
'''
RESEND = '''\
"""Delivering mail."""

import time


def deliver_with_backoff(message, tries=4):
    """Deliver a message, and after a failure wait twice as long before the next try."""
    pause = 1.0
    for number in range(tries):
        try:
            return transport.post(message.url, message.body)
        except ConnectionError:
            time.sleep(pause)
            pause *= 2
    raise TimeoutError(message)
'''
CART = """\
export interface Item {
  price: number;
  quantity: number;
}

/** Add up the shopping cart and take the discount off. */
export function totalPrice(items: Item[], discount: number): number {
  const sum = items.reduce((all, item) => all + item.price * item.quantity, 0);
  return sum * (1 - discount);
}
"""
LOGIN = """\
import { hash } from "./hash";

/** Check a person's password against the stored hash when they sign in. */
export async function verifyPassword(user: User, password: string): Promise<boolean> {
  const digest = await hash(password, user.salt);
  return digest === user.digest;
}
"""
GUIDE = """\
# Operating the service

## Backups

Every night the database is copied to cold storage and the copy is checked by restoring it.

## Upgrades

Drain the queue first, then replace one machine after the other.
"""
CACHE = '''\
"""Keeping what was computed."""

from collections import OrderedDict


class LeastRecentlyUsed:
    """Forgets the entry that nobody has asked for the longest."""

    def __init__(self, capacity):
        self.entries = OrderedDict()
        self.capacity = capacity

    def get(self, key):
        """Return an entry and make it the youngest."""
        self.entries.move_to_end(key)
        return self.entries[key]
'''
FILES = {
    "src/net/retry.py": RETRY,
    "src/mail/resend.py": RESEND,
    "web/cart.ts": CART,
    "web/login.ts": LOGIN,
    "src/cache.py": CACHE,
    "docs/guide.md": GUIDE,
}


def make_workspace(root: Path) -> Path:
    """Write the project into `root`, put it under git, and return its real path."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    # Larger than what is indexed, so that there is a problem to list.
    (root / "src/huge.py").write_text("x = 1\n" * 200_000, "utf-8")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root.resolve()
