"""Redaction takes every secret out of a text and leaves everything else as it was.

Secrets are put together when the tests run, so that nothing in this file looks like one.
"""

from __future__ import annotations

import base64
import random
import re
import string
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.errors import InvalidSetting
from hunch.sources.redaction import Redactor, is_excluded

_DICE = random.Random(7)
_WORD = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + "234567"


def _roll(length: int, characters: str = _WORD) -> str:
    """Return random characters that surely have a capital, a small letter and a digit if they may."""
    while True:
        rolled = "".join(_DICE.choice(characters) for _ in range(length))
        if length < 6 or all(any(map(kind, rolled)) for kind in _kinds(characters)):
            return rolled


def _kinds(characters: str):
    return [kind for kind in (str.isupper, str.islower, str.isdigit) if any(map(kind, characters))]


def _key_lines(count: int, end: str = "\n") -> str:
    return end.join(_roll(64, _WORD + "+/") for _ in range(count))


def _armour(edge: str, name: str) -> str:
    return "-" * 5 + f"{edge} {name}" + "-" * 5


def _jwt() -> str:
    parts = ('{"alg":"HS256","typ":"JWT"}', '{"sub":"1234567890","iat":1516239022}')
    head, body = (base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts)
    return f"{head}.{body}.{_roll(43)}"


_TOKENS = (
    ("github token", "ghp" + "_" + _roll(36)),
    ("github token", "github" + "_pat_" + _roll(22) + "_" + _roll(59)),
    ("gitlab token", "glpat" + "-" + _roll(20)),
    ("gitlab token", "glrt" + "-" + _roll(20)),
    ("aws key", "AKI" + "A" + _roll(16, _UPPER)),
    ("google key", "AIz" + "a" + _roll(35)),
    ("google secret", "GOCSP" + "X-" + _roll(28)),
    ("google token", "ya2" + "9." + _roll(60)),
    ("azure secret", _roll(3) + "8Q" + "~" + _roll(34)),
    ("azure key", _roll(76) + "+AS" + "t" + _roll(6) + "=="),
    ("azure token", _roll(76) + "AZD" + "O" + _roll(4)),
    ("slack token", "xox" + "b-" + _roll(12, "123456789") + "-" + _roll(24)),
    ("slack token", "xap" + "p-1-" + _roll(11, _UPPER) + "-" + _roll(64, _HEX)),
    ("discord token", "M" + _roll(23) + "." + _roll(6) + "." + _roll(38)),
    ("telegram token", "1" + _roll(9, "0123456789") + ":A" + "A" + _roll(33)),
    ("stripe key", "sk" + "_live_" + _roll(24)),
    ("stripe secret", "whse" + "c_" + _roll(32)),
    ("anthropic key", "sk-an" + "t-api03-" + _roll(93) + "AA"),
    ("openai key", "sk-pro" + "j-" + _roll(74) + "T3Blbk" + "FJ" + _roll(74)),
    ("openai key", "sk" + "-" + _roll(20) + "T3Blbk" + "FJ" + _roll(20)),
    ("openrouter key", "sk-o" + "r-v1-" + _roll(64, _HEX)),
    ("api key", "sk" + "-" + _roll(48)),
    ("hugging face token", "hf" + "_" + _roll(34)),
    ("npm token", "npm" + "_" + _roll(36)),
    ("pypi token", "pypi-A" + "gE" + _roll(150)),
    ("crates token", "ci" + "o" + _roll(32)),
    ("docker token", "dckr" + "_pat_" + _roll(27)),
    ("twilio key", "S" + "K" + _roll(32, _HEX)),
    ("sendgrid key", "S" + "G." + _roll(22) + "." + _roll(43)),
    ("mailgun key", "ke" + "y-" + _roll(32, _HEX)),
    ("digitalocean token", "dop" + "_v1_" + _roll(64, _HEX)),
    ("shopify token", "shpa" + "t_" + _roll(32, _HEX)),
    ("atlassian token", "ATAT" + "T3x" + _roll(180)),
    ("vault token", "hv" + "s." + _roll(90)),
    ("databricks token", "dap" + "i" + _roll(32, _HEX)),
    ("age key", "AGE-SECRET" + "-KEY-1" + _roll(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")),
    ("jwt", _jwt()),
)


@pytest.mark.parametrize("around", ["{}", "Here it is: {}, use it.", '{{"value": "{}"}}', "`{}`"])
@pytest.mark.parametrize(("kind", "token"), _TOKENS, ids=[kind for kind, _ in _TOKENS])
def test_tokens_of_known_services_go(kind: str, token: str, around: str) -> None:
    """A token of a known form is replaced wherever it stands, and nothing around it."""
    assert Redactor().redact(around.format(token)) == around.format(f"[redacted: {kind}]")


_P = "Tr0ub4dor" + "&3"
_T = _roll(24)
_B = base64.b64encode(f"ann:{_P}".encode()).decode()
_GIVEN = (
    ("postgres://ann:{}@db.example.org:5432/shop", _P, "password"),
    ("redis://:{}@cache:6379/0", _P, "password"),
    ("https://ann:{}@host/path", "p@ss" + "-wor7", "password"),
    ("ann:{}@tcp(db:3306)/shop", _P, "password"),
    ("curl -s -u ann:{} https://host/", _P, "password"),
    ("Server=db;User Id=sa;Password={};Encrypt=true", _P.replace("&", "!"), "password"),
    ("AccountName=shop;AccountKey={};EndpointSuffix=x", _roll(86) + "==", "key"),
    ("Authorization: Bearer {}", _T, "authorization"),
    ("Proxy-Authorization: Basic {}", _B, "authorization"),
    ('curl -H "Authorization: token {}" https://host', _T, "authorization"),
    ('{{"Authorization": "Bearer {}"}}', _T, "authorization"),
    ('headers["authorization"] = f"Bearer {}"', _T, "authorization"),
    ('.header("Authorization", "Bearer {}")', _T, "authorization"),
    ("it sent bearer {} again", _T, "authorization"),
    ("Cookie: {}", f"theme=light; session={_T}", "cookie"),
    ("Set-Cookie: {}", f"sid={_T}; Path=/; HttpOnly", "cookie"),
    ("X-Api-Key: {}", _T, "key"),
    ("curl -H 'X-Auth-Token: {}' https://host", _T, "token"),
    ("export FOO_TOKEN={}", _T, "token"),
    ('FOO_SECRET="{}"', _T, "secret"),
    ("DB_PASSWORD={}", "swordfish", "password"),
    ("AWS_SECRET_ACCESS_KEY={}", _roll(40), "secret"),
    ("docker run -e API_KEY={} image", _T, "key"),
    ("password: {}", "hunter" + "2", "password"),
    ("  password: '{}'", _P, "password"),
    ('"password": "{}",', _P, "password"),
    ('"{{\\"apiKey\\": \\"{}\\"}}"', _T, "key"),
    ("client_secret = '{}'", _T, "secret"),
    ('clientSecret: "{}",', _T, "secret"),
    ("config['token'] = '{}'", _T, "token"),
    ("token := `{}`", _T, "token"),
    ("tool --password {} --verbose", _P, "password"),
    ("tool --api-key={}", _T, "key"),
    ("<password>{}</password>", _P, "password"),
    ("https://host/path?access_token={}&page=2", _T, "token"),
    ("**Password:** {}", _P, "password"),
)


@pytest.mark.parametrize(("around", "secret", "kind"), _GIVEN, ids=[each[0] for each in _GIVEN])
def test_what_is_said_to_be_secret_goes(around: str, secret: str, kind: str) -> None:
    """The literal value of a header, a URL's password or a name for secrets is replaced; the rest stays."""
    redacted = Redactor().redact(around.format(secret))
    assert redacted == around.format(f"[redacted: {kind}]")


_RSA = "RSA PRIVATE" + " KEY"
_PLAIN = "PRIVATE" + " KEY"
_PGP = "PGP PRIVATE" + " KEY BLOCK"
_DEK = f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,{_roll(32, _HEX)}"
_LAST = _roll(20) + "=="
_KEYS = {
    "whole": (f"{_armour('BEGIN', _RSA)}\n{_key_lines(9)}\n{_LAST}\n{_armour('END', _RSA)}", ""),
    "crlf": (
        f"{_armour('BEGIN', _PLAIN)}\r\n{_key_lines(3, chr(13) + chr(10))}\r\n{_armour('END', _PLAIN)}",
        "",
    ),
    "encrypted": (
        f"{_armour('BEGIN', _RSA)}\n{_DEK}\n\n{_key_lines(4)}\n{_armour('END', _RSA)}",
        "",
    ),
    "openpgp": (
        f"{_armour('BEGIN', _PGP)}\nVersion: 2\n\n{_key_lines(4)}\n={_roll(4)}\n{_armour('END', _PGP)}",
        "",
    ),
    "quoted": (
        f"> {_armour('BEGIN', _PLAIN)}\n> {_key_lines(2, chr(10) + '> ')}\n> {_armour('END', _PLAIN)}",
        "> ",
    ),
    "without its end": (f"{_armour('BEGIN', _PLAIN)}\n{_key_lines(3)}", ""),
    "without its start": (f"{_key_lines(3)}\n{_LAST}\n{_armour('END', _RSA)}", ""),
    "naked": ("MIIE" + "vQIB" + "ADAN" + _roll(52) + "\n" + _key_lines(5), ""),
}


@pytest.mark.parametrize(("key", "kept"), _KEYS.values(), ids=_KEYS)
def test_private_keys_become_one_placeholder(key: str, kept: str) -> None:
    """A private key goes with all of its lines, also if its beginning or its end is missing."""
    text = f"My key:\n{key}\n\nDoes it work now?\n"
    assert (
        Redactor().redact(text) == f"My key:\n{kept}[redacted: private key]\n\nDoes it work now?\n"
    )


def test_a_private_key_inside_json_goes() -> None:
    """A key with escaped line ends, as in service account files, leaves valid JSON behind."""
    key = f"{_armour('BEGIN', _PLAIN)}\\n{_key_lines(5, chr(92) + 'n')}\\n{_armour('END', _PLAIN)}"
    text = f'{{"private_key": "{key}\\n", "client_id": "1"}}'
    expected = '{"private_key": "[redacted: private key]\\n", "client_id": "1"}'
    assert Redactor().redact(text) == expected


_SURVIVES = (
    'password = os.environ["PASSWORD"]',
    "password=config.password",
    "token = get_token()",
    "token = self.tokens[0]",
    "const apiKey = process.env.API_KEY;",
    "api_key: str | None = None",
    "password: string;",
    "the password is checked by the server",
    "Password: it must have 12 characters",
    "token: ${TOKEN}",
    "API_KEY=$OTHER_KEY",
    "API_KEY=${API_KEY:-none1}",
    "api_key: {{ vault_api_key_1 }}",
    "password = '<password>'",
    "API_KEY=xxx",
    "TOKEN=xxxxxxxxxxxxxxxxxxxx",
    "TOKEN=your-token-1-here",
    "password: changeme",
    'password="password123"',
    "PASSWORD=********",
    "SECRET_KEY=change-me-2024",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    'f"Authorization: Bearer {token}"',
    "Authorization: Basic authentication is used",
    "The Authorization header carries bearer authentication tokens",
    "Cookie: theme=light",
    "postgres://user:password@localhost/db",
    "postgres://user:${DB_PASS}@localhost/db",
    "https://example.org:8080/a@b",
    "git@github.com:owner/repository.git",
    "see http://host:80 and mail ann@example.org",
    "max_tokens: 4096",
    "token_count = 123456789",
    '"tokenizer.json": "0a1b2c3d4e5f60718293a4b5c6d7e8f9"',
    "PWDEBUG=console1",
    "primary_key: a81bc81b-dead-4e5d-abff-90865d1e13b1",
    "cache_key = 'v1-deps-3fa85f64'",
    "public_key = 'ed25519-AAAAC3NzaC1lZDI1'",
    "password_hash = compute2(x1)",
    "keyboard = 'qwertz105layout'",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "a81bc81b-dead-4e5d-abff-90865d1e13b1",
    '"integrity": "sha512-' + base64.b64encode(bytes(range(64))).decode() + '"',
    "![](data:image/png;base64," + base64.b64encode(bytes(range(256))).decode() + ")",
    "sha256:" + "0123456789abcdef" * 4,
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx0Zk3Vn1 ann@host",
    _armour("BEGIN", "PUBLIC KEY") + "\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n",
    "It starts with " + _armour("BEGIN", _PLAIN) + " and ends with " + _armour("END", _PLAIN) + ".",
    "ghp" + "_" + "x" * 36,
    "AKI" + "A" + "X" * 16,
    "sk-... and ghp_<token> and eyJ...",
    "my-super-long-css-class-name__with-modifier--active",
    "getElementsByClassNameAndTokenKindOfTheDocument",
)


@pytest.mark.parametrize("text", _SURVIVES)
def test_text_about_secrets_survives(text: str) -> None:
    """References, placeholders, hashes, identifiers and prose are left as they are."""
    assert Redactor().redact(text) == text


def test_several_secrets_in_one_text_go_and_the_lines_between_stay() -> None:
    """Every secret of a text is replaced, and its other lines keep their order and their ends."""
    text = f"one\r\nexport A_TOKEN={_T}\r\n\r\ntwo {_TOKENS[0][1]} three\n\tpassword: {_P}\n"
    assert Redactor().redact(text) == (
        "one\r\nexport A_TOKEN=[redacted: token]\r\n\r\n"
        "two [redacted: github token] three\n\tpassword: [redacted: password]\n"
    )


def test_the_users_own_patterns_are_redacted_too() -> None:
    """What a pattern of the settings matches is replaced as `custom`, beside what is known."""
    redactor = Redactor([r"ACME-\d+", r"(?i)project blue \w+"])
    text = f"ACME-17 for Project Blue Moon, {_TOKENS[0][1]}"
    assert (
        redactor.redact(text)
        == "[redacted: custom] for [redacted: custom], [redacted: github token]"
    )


@pytest.mark.parametrize("pattern", ["", "x*", "redacted", ".+", "^.", r"\[", "custom"])
def test_patterns_that_match_anything_end(pattern: str) -> None:
    """A pattern that matches nothing, everything or a placeholder does not redact for ever."""
    redactor = Redactor([pattern])
    once = redactor.redact("a [ redacted b\ncustom xx")
    assert redactor.redact(once) == once


def test_an_invalid_pattern_names_its_index() -> None:
    """A pattern that is no regular expression is refused, with its place and without its text."""
    with pytest.raises(InvalidSetting, match=r"conversations\.redact\[1\]") as error:
        Redactor(["fine", "(secret"])
    assert "(secret" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hunch: do not index", True),
        ("Please:\n  <!-- hunch: do not index -->\nthanks", True),
        ("# hunch: do not index", True),
        ("> hunch: do not index\r\n", True),
        ("write 'hunch: do not index' in it to exclude it", False),
        ("hunch: do not index this", False),
        ("", False),
    ],
)
def test_the_marker_line_excludes(text: str, expected: bool) -> None:
    """The marker counts if it has a line of its own, not if it is talked about."""
    assert is_excluded(text) is expected


_PIECES = st.sampled_from(
    [
        *(token for _, token in _TOKENS),
        *(around.format(secret) for around, secret, _ in _GIVEN),
        *(key for key, _ in _KEYS.values()),
        *_SURVIVES,
        *(
            "[redacted: token]",
            "[redacted: ",
            "]",
            "password",
            "token",
            "key",
            "=",
            ": ",
            ":",
            "@",
            "://",
        ),
        *(
            '"',
            "'",
            "\\",
            "\n",
            " ",
            ",",
            "Bearer ",
            "authorization: ",
            "cookie: ",
            "curl -u a:",
            "İ",
            "ſ",
        ),
    ]
)
_TEXTS = st.lists(st.one_of(_PIECES, st.text(max_size=8)), max_size=8).map("".join)


@settings(deadline=None, max_examples=400)
@given(_TEXTS)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    """No text makes redaction fail, and a redacted text has nothing left to redact."""
    once = Redactor().redact(text)
    assert Redactor().redact(once) == once


_HARMLESS = st.text(alphabet=st.characters(exclude_categories=("N",)), max_size=300)
_SECRET_WORD = re.compile(
    r"(?i)secret|token|pass|pwd|key|credential|bearer|authorization|cookie|curl|://|@|_|-"
)


@settings(deadline=None, max_examples=300)
@given(_HARMLESS.filter(lambda text: not _SECRET_WORD.search(text)))
def test_text_without_digits_and_words_for_secrets_is_untouched(text: str) -> None:
    """Where nothing is said to be secret and nothing looks random, nothing changes."""
    assert Redactor().redact(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        *("A", "-", "+", "=", "token:", "password=", "token = '", "://a:", "curl -u ", "Version: "),
        *(
            "authorization: ",
            "cookie: a=",
            "> ",
            "M" * 24 + ".",
            "eyJaaaaaaaaaaaa.",
            "A" * 64 + "\n",
        ),
        *(
            _armour("BEGIN", _PLAIN),
            _armour("BEGIN", _PLAIN) + "\n",
            _armour("END", _PLAIN),
            "[redacted: ",
        ),
    ],
)
def test_a_long_line_made_to_be_slow_is_not(piece: str) -> None:
    """Repeating what patterns repeat costs no more than its length: the test's time limit would end it."""
    text = "@tcp( 8Q~ .atlasv1. PRIVATE" + " KEY " + piece * (300_000 // len(piece))
    assert Redactor().redact(text).startswith("@tcp(")


def test_one_redactor_serves_several_threads() -> None:
    """Threads that share a redactor get what each would get alone."""
    redactor = Redactor([r"ACME-\d+"])
    text = "\n".join(token for _, token in _TOKENS)
    expected, results = redactor.redact(text), []
    threads = [
        threading.Thread(target=lambda: results.append(redactor.redact(text))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4
