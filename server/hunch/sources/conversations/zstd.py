"""The one place that knows which package reads zstd: the standard library does from Python 3.14 on."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
    from compression.zstd import open as open_zstd
else:
    from backports.zstd import ZstdDecompressor, ZstdError
    from backports.zstd import open as open_zstd

__all__ = ["ZstdError", "decompress", "open_zstd"]


def decompress(data: bytes, limit: int) -> bytes:
    """Return what a frame holds.

    Raises:
        ValueError: it is no complete frame, or holds more than `limit` bytes.
    """
    decompressor = ZstdDecompressor()
    try:
        content = decompressor.decompress(data, limit + 1)
    except ZstdError as error:
        raise ValueError(str(error)) from None
    if len(content) > limit or not decompressor.eof:
        message = "not one complete frame of bounded size"
        raise ValueError(message)
    return content
