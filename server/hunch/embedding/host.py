"""Where Ollama listens, read from `OLLAMA_HOST` as Ollama itself reads it.

The variable may lack a scheme, a port or a host, may hold an address to listen on that no client can
connect to (`0.0.0.0`), and may carry quotes (`envconfig/config.go` in Ollama's sources).
"""

from __future__ import annotations

import os
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

    from hunch.config import Settings

_LOOPBACK = "127.0.0.1"
_PORT = "11434"
_PORTS = {"http": "80", "https": "443"}


def endpoint(settings: Settings) -> str:
    """Return Ollama's base URL: the setting, else `OLLAMA_HOST`, else the default."""
    return base_url(settings.ollama_url or os.environ.get("OLLAMA_HOST", ""))


def base_url(value: str) -> str:
    """Return the URL that a value of `OLLAMA_HOST` means, with a port and no slash at its end."""
    value = value.strip().strip("\"'").strip()
    scheme, has_scheme, rest = value.partition("://")
    if not has_scheme:
        scheme, rest = ("https", "ollama.com:443") if value == "ollama.com" else ("http", value)
    place, _, path = rest.partition("/")
    default_port = _PORTS.get(scheme, _PORT) if has_scheme else _PORT
    host, port = _split(place) or (_bare(place), default_port)
    if not (port.isascii() and port.isdigit() and int(port) <= 65_535):
        port = default_port
    return f"{scheme}://{_connectable(host)}:{port}/{path}".rstrip("/")


def is_loopback(url: str) -> bool:
    """Say whether the URL leads to this machine, where no proxy has a place."""
    host = urlsplit(url).hostname or ""
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _split(place: str) -> tuple[str, str] | None:
    """Split `host:port`; `None` when there is no port or too many colons."""
    host, colon, port = place.rpartition(":")
    if not colon:
        return None
    if host.startswith("[") and host.endswith("]"):
        return host[1:-1], port
    return None if any(sign in host for sign in ":[]") else (host, port)


def _bare(place: str) -> str:
    inner = place.strip("[]")
    return inner if _address(inner) else place


def _connectable(host: str) -> str:
    """Return the host as a client must write it in a URL."""
    address = _address(host)
    if address is not None and address.is_unspecified:
        host = _LOOPBACK if address.version == 4 else "::1"
    return f"[{host}]" if ":" in host else host or _LOOPBACK


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
