/** A small project in three languages, and a home with one conversation about it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FILES: Record<string, string> = {
  "src/net/gateway.py": `"""Talking to the payment gateway."""

import random
import time


class Gateway:
    """Sends requests over HTTP and signs them."""

    def __init__(self, transport, key):
        """Keep the connection and the key that requests are signed with."""
        self.transport = transport
        self.key = key
        self.open_requests = {}
        self.last_failure = None

    def sign(self, request):
        """Put a signature over the body into the headers, so that nobody can change it on its way."""
        digest = hmac.new(self.key, request.body, "sha256")
        request.headers["X-Signature"] = digest.hexdigest()
        request.headers["X-Signed-At"] = str(int(time.time()))
        for name in sorted(request.headers):
            if name.lower().startswith("x-internal"):
                del request.headers[name]
        return request

    def send_with_retry(self, request, attempts=5):
        """Send a request again after a failure, waiting twice as long each time."""
        delay = 0.5
        for attempt in range(attempts):
            try:
                return self.send(request)
            except ConnectionError as failure:
                self.last_failure = failure
                time.sleep(delay + random.random())
                delay *= 2
        self.open_requests.pop(request.id, None)
        raise TimeoutError(request)

    def refund(self, payment, amount):
        """Give back some of the money of a payment, at most what is left of it."""
        left = payment.amount - sum(refund.amount for refund in payment.refunds)
        if amount > left:
            raise ValueError("more than was paid")
        request = self.sign(Request("POST", f"/payments/{payment.id}/refunds"))
        request.body = json.dumps({"amount": amount, "currency": payment.currency})
        answer = self.send(request)
        payment.refunds.append(Refund(answer["id"], amount))
        return answer

    def read_webhook(self, headers, body):
        """Check who sent a webhook, and return the event that it tells of."""
        signed_at = int(headers["X-Signed-At"])
        if abs(time.time() - signed_at) > 300:
            raise PermissionError("the webhook is too old, or its clock is wrong")
        expected = hmac.new(self.key, body, "sha256").hexdigest()
        if not hmac.compare_digest(expected, headers["X-Signature"]):
            raise PermissionError("the webhook was signed with another key")
        event = json.loads(body)
        if event["kind"] not in {"paid", "refunded", "disputed", "expired"}:
            raise ValueError("an event of a kind that nobody has heard of")
        return Event(event["id"], event["kind"], event["payment"])

    def statement(self, account, month):
        """Write the statement of an account for a month, one line for each payment and refund."""
        lines = [f"Statement of {account.name} for {month:%B %Y}", ""]
        balance = account.balance_before(month)
        lines.append(f"{'carried over':<40}{balance:>12.2f}")
        for entry in account.entries(month):
            balance += entry.amount
            lines.append(f"{entry.day:%d %b}  {entry.text:<32}{entry.amount:>12.2f}{balance:>12.2f}")
        lines.append("")
        lines.append(f"{'to be carried over':<40}{balance:>12.2f}")
        return "\\n".join(lines)

    def close(self):
        """Wait for what is still under way, then hang up."""
        for request in list(self.open_requests.values()):
            request.wait(timeout=5)
        self.transport.close()
`,
  "src/mail/resend.py": `"""Delivering mail."""

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
`,
  "src/cache.py": `"""Keeping what was computed."""

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
`,
  "web/cart.go": `package web

// Item is one line of a shopping cart.
type Item struct {
	Price    float64
	Quantity float64
}

// TotalPrice adds up the shopping cart and takes the discount off.
func TotalPrice(items []Item, discount float64) float64 {
	sum := 0.0
	for _, item := range items {
		sum += item.Price * item.Quantity
	}
	return sum * (1 - discount)
}
`,
  "web/login.go": `package web

// VerifyPassword checks a person's password against the stored hash when they sign in.
func VerifyPassword(user User, password string) bool {
	digest := hash(password, user.Salt)
	return digest == user.Digest
}
`,
  "docs/guide.md": `# Operating the service

## Backups

Every night the database is copied to cold storage and the copy is checked by restoring it.

## Upgrades

Drain the queue first, then replace one machine after the other.
`,
};

/** Write files below a folder. */
export function write(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** Write the project and put it under git; one file is too large to be indexed. */
export function makeWorkspace(root: string): void {
  write(root, { ...FILES, "src/huge.py": "x = 1\n".repeat(200_000) });
  execFileSync("git", ["init", "-q", root]);
}

/** A second folder, about something else. */
export function makeSecondFolder(root: string): void {
  write(root, {
    "weather.py": `def dew_point(temperature, humidity):
    """Return the temperature at which the air's moisture condenses."""
    return temperature - (100 - humidity) / 5
`,
  });
  execFileSync("git", ["init", "-q", root]);
}

/** A folder that takes some seconds to index. */
export function makeLargeFolder(root: string): void {
  const body =
    "    total = sum(entry.amount for entry in entries if entry.day.month == month)\n".repeat(12);
  const files = Array.from({ length: 1_500 }, (_, number) => [
    `part${number % 40}/module${number}.py`,
    `def total_${number}(entries, month):\n    """Add up number ${number}."""\n${body}`,
  ]);
  write(root, Object.fromEntries(files) as Record<string, string>);
}

/** Write a conversation of Codex with two turns, as Codex does. */
export function makeConversation(home: string, cwd: string): void {
  const id = "019b1c2d-0000-7a10-8000-0000000000aa";
  const filler = Array.from(
    { length: 40 },
    (_, number) => `${number + 1}. Step ${number + 1} of the list.`,
  );
  const records = [
    { type: "session_meta", payload: { id, cwd } },
    ...turn("Please list the steps of the release.", filler.join("\n")),
    ...turn(
      "How many times should the gateway be asked again before we give up?",
      "Five attempts, **doubling the pause** each time, because the gateway throttles bursts.\n\n" +
        "```python\ndelay *= 2\n```",
    ),
  ].map((record, index) => ({
    timestamp: new Date(Date.UTC(2026, 10, 20, 9, index)).toISOString(),
    ...record,
  }));
  write(home, {
    [`.codex/sessions/2026/11/20/rollout-2026-11-20T09-00-00-${id}.jsonl`]: records
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(""),
  });
}

function turn(question: string, answer: string): { type: string; payload: object }[] {
  return [
    { type: "event_msg", payload: { type: "user_message", message: question, images: [] } },
    { type: "event_msg", payload: { type: "agent_message", message: answer } },
  ];
}
