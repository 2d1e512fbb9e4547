"""Reading JSON lines that another program writes, whatever they look like."""

from __future__ import annotations

import io
import json
from hashlib import blake2b
from typing import TYPE_CHECKING

import pytest

from hunch.errors import LogUnavailable
from hunch.sources.conversations.jsonl import JsonLines, Row
from hunch.sources.conversations.zstd import decompress, open_zstd

if TYPE_CHECKING:
    from pathlib import Path


def rows(data: bytes, limit: int = 1 << 30) -> list[Row]:
    """Read lines of bytes."""
    return list(JsonLines(lambda: io.BytesIO(data), limit=limit).scan(0))


def zstd(path: Path, data: bytes) -> Path:
    """Write a compressed file."""
    with open_zstd(path, "wb") as file:
        file.write(data)
    return path


CASES: dict[str, tuple[bytes, list[object]]] = {
    "nothing": (b"", []),
    "two lines": (b'{"a":1}\n{"a":2}\n', [{"a": 1}, {"a": 2}]),
    "half a line": (b'{"a":1}\n{"a":2}', [{"a": 1}]),
    "byte order mark": (b'\xef\xbb\xbf{"a":1}\n', [{"a": 1}]),
    "CRLF": (b'{"a":1}\r\n{"a":2}\r\n', [{"a": 1}, {"a": 2}]),
    "empty lines": (b'\n  \n{"a":1}\n\n', [{"a": 1}]),
    "a run of NUL bytes": (b'{"a":1}\n\x00\x00\x00\n{"a":2}\n', [{"a": 1}, {"a": 2}]),
    "NUL bytes before a record": (b'\x00\x00{"a":1}\n', [{"a": 1}]),
    "a word": (b'undefined\n{"a":1}\n', [None, {"a": 1}]),
    "no object": (b"[1,2]\n3\nnull\n", [None, None, None]),
    "cut in the middle": (b'{"a":{"b":\n{"a":1}\n', [None, {"a": 1}]),
    "raw control characters": (b'{"a":"x\x01\ty"}\n', [{"a": "x\x01\ty"}]),
    "invalid UTF-8": (b'{"a":"x\xff\xfey"}\n', [{"a": "x\ufffd\ufffdy"}]),
    "half a surrogate pair": (
        b'{"a":"x\\ud83d","\\uDE42":"\\\\ud83d \\uD83D\\ude42"}\n',
        [{"a": "x\ufffd", "\ufffd": "\\ud83d \U0001f642"}],
    ),
    "UTF-8 surrogates": (b'{"a":"\xed\xa0\x80"}\n', [{"a": "\ufffd\ufffd\ufffd"}]),
    "deep nesting": (b"[" * 100_000 + b'\n{"a":1}\n', [None, {"a": 1}]),
    "a number of many digits": (b'{"a":' + b"9" * 5000 + b'}\n{"a":1}\n', [None, {"a": 1}]),
    "a line of 5 MB": (
        b'{"a":"' + b"x" * 5_000_000 + b'"}\n{"a":1}\n',
        [{"a": "x" * 5_000_000}, {"a": 1}],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lines_are_read_tolerantly(name: str) -> None:
    """What is no JSON object is reported as broken, and all that follows is read."""
    data, expected = CASES[name]
    assert [row.record for row in rows(data)] == expected


@pytest.mark.parametrize("name", CASES)
def test_positions_lead_back_to_the_same_rows(name: str) -> None:
    """A row is found again at its position, and a scan may start at any row's end."""
    data, _ = CASES[name]
    lines = JsonLines(lambda: io.BytesIO(data))
    found = list(lines.scan(0))
    assert list(lines.fetch([row.position for row in found])) == found
    for number, row in enumerate(found):
        assert list(lines.scan(row.end)) == found[number + 1 :]


@pytest.mark.parametrize("length", [99, 100, 101, 3_000_000])
def test_lines_over_the_limit_are_broken_and_skipped(length: int) -> None:
    """A line longer than the limit is not parsed; the next one is."""
    line = b'"' + b"x" * (length - 3) + b'"\n'
    data = line + b'{"a":1}\n'
    assert [row.record for row in rows(data, limit=100)] == [None, {"a": 1}]
    assert rows(data, limit=100)[1].position == length


def test_a_line_at_the_limit_is_read() -> None:
    """The limit counts the line end."""
    line = json.dumps({"a": "x" * 91}).encode() + b"\n"
    assert rows(line, limit=len(line))[0].record == {"a": "x" * 91}


def test_a_long_line_that_is_not_finished_is_left_for_later() -> None:
    """Half a line is never consumed, however long it is."""
    assert rows(b'{"a":1}\n' + b"x" * 5000, limit=100)[-1].record == {"a": 1}


def test_compressed_lines_are_read_by_their_unpacked_positions(tmp_path: Path) -> None:
    """A `.zst` file gives the rows of what was packed."""
    data = b'{"a":1}\n{"b":2}\n{"c":3}\nhalf'
    lines = JsonLines.of_path(zstd(tmp_path / "log.jsonl.zst", data))
    assert list(lines.scan(0)) == rows(data)
    assert [row.record for row in lines.fetch([0, 16])] == [{"a": 1}, {"c": 3}]
    assert list(lines.scan(8)) == rows(data)[1:]


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.99])
def test_a_damaged_archive_gives_what_comes_before_the_damage(tmp_path: Path, share: float) -> None:
    """A compressed file that was cut off ends in one broken row instead of an error."""
    numbers = [blake2b(str(number).encode()).hexdigest() for number in range(5_000)]
    data = b"".join(json.dumps({"a": number}).encode() + b"\n" for number in numbers)
    path = zstd(tmp_path / "log.jsonl.zst", data)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    found = [row.record for row in JsonLines.of_path(path).scan(0)]
    assert found[:-1] == [{"a": number} for number in numbers[: len(found) - 1]]
    assert found[-1] is None
    assert len(found) > 1_000 or share < 0.5


def test_what_is_no_archive_is_one_broken_row(tmp_path: Path) -> None:
    """A file that only has the name of an archive gives one broken row."""
    path = tmp_path / "log.jsonl.zst"
    path.write_bytes(b"this is no archive")
    assert [row.record for row in JsonLines.of_path(path).scan(0)] == [None]


def test_single_frames_are_unpacked_within_a_limit() -> None:
    """A frame that is cut off, broken, or too large raises."""
    buffer = io.BytesIO()
    with open_zstd(buffer, "wb") as file:
        file.write(b"x" * 1000)
    packed = buffer.getvalue()
    assert decompress(packed, 1000) == b"x" * 1000
    for data, limit in ((packed, 999), (packed[:-1], 1000), (b"no frame", 1000), (b"", 1000)):
        with pytest.raises(ValueError, match=r".+"):
            decompress(data, limit)


def test_fingerprints_change_with_what_comes_before(tmp_path: Path) -> None:
    """Growth keeps the fingerprint; a change near the start or the place, or a cut, does not."""
    path = tmp_path / "log.jsonl"
    data = bytes(range(256)) * 100

    def mark(content: bytes, position: int = 20_000) -> str:
        path.write_bytes(content)
        return JsonLines.of_path(path).fingerprint(position)

    original = mark(data)
    assert mark(data + b"more") == original
    assert mark(data[:10_000]) != original
    assert mark(b"x" + data[1:]) != original
    assert mark(data[:19_999] + b"x" + data[20_000:]) != original
    assert mark(data, 20_001) != original


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    """A file that vanished is told from one that cannot be read."""
    with pytest.raises(LogUnavailable, match="gone") as caught:
        list(JsonLines.of_path(tmp_path / "none.jsonl").scan(0))
    assert caught.value.reason == "gone"


def test_what_cannot_be_opened_says_so(tmp_path: Path) -> None:
    """A path that is no file is unreadable, which is no reason to forget what was read of it."""
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(LogUnavailable) as caught:
        list(JsonLines.of_path(tmp_path / "folder.jsonl").scan(0))
    assert caught.value.reason == "unreadable"
