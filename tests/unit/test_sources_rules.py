"""Passing over files for their name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.sources.rules import (
    BINARY,
    CONVERSATION,
    LOCK_FILE,
    MINIFIED,
    SECRET,
    larger_than,
    reason_to_skip,
)

_NAMES = {
    SECRET: """
        .env a/.env .env.local .env.production prod.env .envrc .ENV
        id_rsa deep/down/id_ed25519 id_rsa.bak server.pem private.key example.pem cert.p12 a.jks
        .netrc .npmrc .pypirc .pgpass .git-credentials .htpasswd
        credentials.json credentials-prod.json google_credentials.json client_secret_1.json
        my-service-account.json .aws/credentials home/.docker/config.json .kube/config
        terraform.tfstate terraform.tfstate.backup secrets.yaml secrets.prod.yml .zsh_history
    """,
    CONVERSATION: ".aider.chat.history.md src/.aider.input.history",
    LOCK_FILE: """
        package-lock.json a/yarn.lock pnpm-lock.yaml Cargo.lock poetry.lock uv.lock go.sum
        Gemfile.lock composer.lock flake.lock Podfile.lock
    """,
    MINIFIED: "jquery.min.js a/b/site.min.css app.js.map",
    BINARY: "logo.PNG a/font.woff2 lib.so model.onnx x.pyc index.db archive.tar.gz report.pdf",
    None: """
        .env.example .env.sample .env.template example.env .env.dist id_rsa.pub
        credentials.py secrets.go secret.rs src/secrets/vault.py credentials.ts secrets.md
        credentials.example.json secrets.template.yaml env.py .environment key.py pem.rs keys.json
        a/credentials docker/config.json config.json kube/config aws/credentials.md
        lock.py yarn.lock.md flock.c admin.js mapping.map.md bin/run README Makefile data.csv
        .gitignore .hunchignore tokenizer.json passwords.test.js
        .env.d/load.py id_rsa_tests/parse.py
    """,
}


@pytest.mark.parametrize(
    ("path", "reason"),
    [(path, reason) for reason, paths in _NAMES.items() for path in paths.split()],
)
def test_a_name_decides_what_is_passed_over(path: str, reason: str | None) -> None:
    """Keys and credentials, lock files, build output and media are out; code about them is in."""
    assert reason_to_skip(path) == reason


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=40))
def test_any_name_can_be_judged(path: str) -> None:
    """No path raises, and the case of its letters does not matter."""
    assert reason_to_skip(path) in {None, SECRET, CONVERSATION, LOCK_FILE, MINIFIED, BINARY}
    if path.isascii():
        assert reason_to_skip(path.upper()) == reason_to_skip(path.lower())


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (1_048_576, "larger than 1 MB"),
        (1_572_864, "larger than 1.5 MB"),
        (2_048, "larger than 2 KB"),
        (100, "larger than 100 bytes"),
    ],
)
def test_limits_are_said_in_round_units(limit: int, text: str) -> None:
    """The reason names the limit as a person would."""
    assert larger_than(limit) == text
