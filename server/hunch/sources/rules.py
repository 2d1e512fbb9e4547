"""Which files are passed over for their name alone, and why.

Names are compared without case. A rule about secrets must miss code that is merely *about* secrets
(`credentials.py`, `secrets.go`), so it names data formats or whole names, never a word anywhere.
"""

from __future__ import annotations

import re
from fnmatch import translate

SECRET = "may hold secrets"  # noqa: S105 -- a reason, not a password
"""Reason of files that may hold keys, passwords or tokens; they are never opened."""
LOCK_FILE = "lock file"
"""Reason of files that a package manager writes."""
MINIFIED = "minified or generated, by its name"
"""Reason of files that a build writes beside what a person wrote."""
CONVERSATION = "the log of an agent, read as conversations are"
"""Reason of files in a project that an agent writes its conversations to."""
BINARY = "binary"
"""Reason of files that are not text."""

_SECRETS = """
    .env .env.* *.env .envrc
    *.pem *.key *.p8 *.p12 *.pfx *.ppk *.jks *.keystore *.kdbx *.kdb *.gpg *.pgp *.ovpn *.keytab
    *.mobileprovision
    id_rsa* id_dsa* id_ecdsa* id_ed25519*
    .netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .mylogin.cnf .htpasswd .dockercfg
    .git-credentials .s3cfg .boto .vault-token .vault_pass .vault_pass.txt .authinfo .renviron
    .aws/credentials .docker/config.json .kube/config kubeconfig *.kubeconfig
    .gem/credentials .cargo/credentials .cargo/credentials.toml .codex/auth.json
    .composer/auth.json .azure/*.json gcloud/*.json credentials.tfrc.json
    credentials.json credentials-*.json credentials_*.json credentials.*.json
    *-credentials.json *_credentials.json client_secret*.json
    *service-account*.json *service_account*.json *serviceaccount*.json
    secrets.json secrets.yaml secrets.yml secrets.toml secrets.ini secrets.properties
    secret.json secret.toml secrets.*.json secrets.*.yaml secrets.*.yml secrets.*.toml
    secret.tfvars secrets.tfvars *.tfstate *.tfstate.*
    .bash_history .zsh_history .python_history .psql_history .mysql_history .node_repl_history
"""
_NOT_SECRETS = """
    *.pub *example* *sample* *template* *.dist *.defaults *.tpl *.d.ts
"""
_KEY_MATERIAL = "*.pem *.key *.p8 *.p12 *.pfx *.ppk *.jks *.keystore *.kdbx *.kdb *.keytab"
_LOCK_FILES = """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
    cargo.lock poetry.lock uv.lock pdm.lock pipfile.lock pixi.lock conda-lock.yml pylock.toml
    pylock.*.toml composer.lock gemfile.lock go.sum go.work.sum mix.lock flake.lock
    gradle.lockfile packages.lock.json podfile.lock pubspec.lock package.resolved cartfile.resolved
    .terraform.lock.hcl stack.yaml.lock cabal.project.freeze renv.lock module.bazel.lock buf.lock
    chart.lock rebar.lock shard.lock
"""
_MINIFIED = "*.min.js *.min.mjs *.min.css *.min.html *.bundle.js *.js.map *.css.map *.mjs.map"
_BINARY = """
    png jpg jpeg jpe gif bmp ico icns webp avif heic heif tif tiff psd xcf ai eps sketch fig raw cr2
    mp3 m4a aac ogg oga opus wav flac aiff mid mp4 m4v mov avi mkv webm wmv flv mpg mpeg
    ttf otf woff woff2 eot
    zip gz tgz bz2 tbz xz txz zst lz lz4 lzma br 7z rar tar jar war ear apk aab ipa whl egg gem
    nupkg deb rpm dmg pkg msi iso img cab crx xpi vsix
    exe dll so dylib a lib o obj ko class pyc pyo pyd beam elc wasm node pdb ilk exp dex
    pdf doc docx xls xlsx xlsb ppt pptx odt ods odp epub mobi djvu pages numbers keynote
    db db3 sqlite sqlite3 mdb accdb rdb frm myd myi ldb
    npy npz pkl pickle joblib h5 hdf5 parquet feather arrow orc avro onnx pb tflite pt pth ckpt
    safetensors gguf ggml bin dat mat rds rdata sav dta
    blend fbx glb stl 3ds max dwg dxf swf fla unitypackage uasset
    der cer crt crl csr mo gmo
"""


def _matcher(globs: str, *, with_folder: bool = False) -> re.Pattern[str]:
    """Join the globs for bare names, or those that name the folder too, into one pattern."""
    wanted = (glob for glob in globs.split() if ("/" in glob) is with_folder)
    return re.compile("|".join(map(translate, wanted)))


_IS_SECRET = _matcher(_SECRETS)
_IS_SECRET_IN_FOLDER = _matcher(_SECRETS, with_folder=True)
_IS_NOT_SECRET = _matcher(_NOT_SECRETS)
_IS_KEY = _matcher(_KEY_MATERIAL)
_IS_LOCK_FILE = _matcher(_LOCK_FILES)
_IS_MINIFIED = _matcher(_MINIFIED)
_BINARY_EXTENSIONS = frozenset(_BINARY.split())


def reason_to_skip(path: str) -> str | None:
    """Say why a file is passed over for its name; `None` lets it in.

    Args:
        path: relative to the source's root, with forward slashes.
    """
    above, _, name = path.lower().rpartition("/")
    if _is_secret(above.rpartition("/")[2], name):
        return SECRET
    if name.startswith(".aider."):
        return CONVERSATION
    if _IS_LOCK_FILE.match(name):
        return LOCK_FILE
    if _IS_MINIFIED.match(name):
        return MINIFIED
    if name.rpartition(".")[2] in _BINARY_EXTENSIONS and "." in name[1:]:
        return BINARY
    return None


def larger_than(limit: int) -> str:
    """Say that a file has more than `limit` bytes."""
    for size, unit in ((1 << 20, "MB"), (1 << 10, "KB")):
        if limit >= size:
            return f"larger than {limit / size:.3g} {unit}"
    return f"larger than {limit} bytes"


def _is_secret(folder: str, name: str) -> bool:
    if not (_IS_SECRET.match(name) or _IS_SECRET_IN_FOLDER.match(f"{folder}/{name}")):
        return False
    return bool(_IS_KEY.match(name)) or not _IS_NOT_SECRET.match(name)
