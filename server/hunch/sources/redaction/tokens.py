"""Tokens that can be told by their form alone, each with the public document that describes it.

A rule costs nothing in a text that has none of its literals.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from hunch.sources.redaction.base import Probe, Secret
from hunch.sources.redaction.values import is_repetitive

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEFORE = r"(?<![A-Za-z0-9_])"
_AFTER = r"(?![A-Za-z0-9_])"
_SHORTEST = 20
"""Characters of the shortest token, the key of AWS."""


class _Form(NamedTuple):
    kind: str
    literals: tuple[str, ...]
    """One of them is in every token of this form."""
    pattern: str
    """Bounded below, and linear: no part can be read in two ways."""


_FORMS = (
    # GitHub docs, "About authentication to GitHub": token formats.
    _Form(
        "github token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9_.-]{36,}"
    ),
    # GitHub docs, "Managing your personal access tokens": fine-grained tokens.
    _Form("github token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{36,}"),
    # GitLab docs, "Token overview": token prefixes (personal, deploy, runner, trigger, CI job, feed, …).
    _Form(
        "gitlab token",
        ("glpat-", "gldt-", "glrt-", "glrtr-", "glptt-"),
        r"gl(?:pat|dt|rtr?|ptt)-[A-Za-z0-9_.-]{20,}",
    ),
    _Form(
        "gitlab token",
        ("glcbt-", "glimt-", "glft-", "glsoat-"),
        r"gl(?:cbt|imt|ft|soat)-[A-Za-z0-9_.-]{20,}",
    ),
    _Form(
        "gitlab token",
        ("glagent-", "gloas-", "glffct-", "glwt-"),
        r"gl(?:agent|oas|ffct|wt)-[A-Za-z0-9_.-]{20,}",
    ),
    # AWS IAM User Guide, "IAM identifiers": unique ID prefixes of access keys.
    _Form("aws key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),
    # Amazon Bedrock User Guide, "API keys".
    _Form("aws key", ("ABSKQmVkcm9ja0FQSUtleS",), r"ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/=]{40,}"),
    # Google Cloud docs, "Manage API keys": 39 characters that begin with AIza.
    _Form("google key", ("AIza",), r"AIza[A-Za-z0-9_-]{35}"),
    # Google Identity docs, "OAuth 2.0": client secrets, access and refresh tokens.
    _Form("google secret", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{28}"),
    _Form("google token", ("ya29.",), r"ya29\.[A-Za-z0-9_-]{20,}"),
    # Microsoft Entra docs: client secrets have "8Q~" after their first three characters.
    _Form("azure secret", ("8Q~",), r"[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{34}"),
    # Microsoft Security Utilities, "Identifiable keys": a signature of the service near the end.
    _Form(
        "azure key",
        (
            "+ASt",
            "+ABa",
            "+AMl",
            "+ASb",
            "+AEh",
            "+ARm",
            "+ACR",
            "ACDb",
            "AzCa",
            "AzFu",
            "AzSe",
            "AIoT",
        ),
        r"(?<![+/])[A-Za-z0-9+/]{33,76}(?:\+A(?:St|Ba|Ml|Sb|Eh|Rm|CR)|ACDb|AzCa|AzFu|AzSe|AIoT)"
        r"[A-Za-z0-9+/]{5,8}={0,2}",
    ),
    # Azure DevOps docs, "Use personal access tokens": 84 characters with the signature AZDO.
    _Form("azure token", ("AZDO",), r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    # Azure Storage docs, "Shared access signatures": the parameter sig.
    _Form("azure signature", ("sig=",), r"(?<=sig=)[A-Za-z0-9%+/-]{42,}(?:%3D|=){0,2}"),
    # Slack API docs, "Token types".
    _Form("slack token", ("xox",), r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{15,}"),
    _Form("slack token", ("xapp-",), r"xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    # Slack API docs, "Incoming webhooks".
    _Form(
        "slack webhook",
        ("hooks.slack.com/",),
        r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[A-Za-z0-9/]{30,}",
    ),
    # Discord docs, "Webhook resource".
    _Form(
        "discord webhook",
        ("/api/webhooks/",),
        r"(?<=/api/webhooks/)[0-9]{17,20}/[A-Za-z0-9_-]{60,}",
    ),
    # Discord docs, "Authentication": base64 of the bot's id, time, signature.
    _Form(
        "discord token",
        (".",),
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}",
    ),
    # Telegram Bot API, "Authorizing your bot".
    _Form("telegram token", (":AA",), r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    # Stripe docs, "API keys" and "Webhook signatures".
    _Form("stripe key", ("k_live_", "k_test_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{20,}"),
    _Form("stripe secret", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{32,}"),
    # Anthropic API docs: keys begin with sk-ant-.
    _Form("anthropic key", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{32,}"),
    # OpenAI API reference, "Authentication": user, project, service account and admin keys.
    _Form("openai key", ("sk-",), r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{32,}"),
    _Form("openai key", ("T3BlbkFJ",), r"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
    # OpenRouter docs, "API authentication".
    _Form("openrouter key", ("sk-or-",), r"sk-or-(?:v1-)?[A-Za-z0-9]{32,}"),
    # DeepSeek, Moonshot and others follow the older form of OpenAI: sk- and letters and digits.
    _Form("api key", ("sk-",), r"sk-[A-Za-z0-9]{32,64}"),
    # Hugging Face docs, "User access tokens".
    _Form("hugging face token", ("hf_",), r"hf_[A-Za-z0-9]{34,40}"),
    # Groq, xAI, Perplexity, Replicate and Tavily docs: keys and their prefixes.
    _Form("api key", ("gsk_",), r"gsk_[A-Za-z0-9]{40,}"),
    _Form("api key", ("xai-",), r"xai-[A-Za-z0-9]{60,}"),
    _Form("api key", ("pplx-",), r"pplx-[A-Za-z0-9]{40,}"),
    _Form("api key", ("r8_",), r"r8_[A-Za-z0-9]{37}"),
    _Form("api key", ("tvly-",), r"tvly-[A-Za-z0-9_-]{30,}"),
    # npm docs, "About access tokens".
    _Form("npm token", ("npm_",), r"npm_[A-Za-z0-9]{36}"),
    # npm docs, ".npmrc": the older tokens are UUIDs.
    _Form("npm token", ("_authToken",), r"(?<=_authToken=)[A-Za-z0-9-]{32,}"),
    # PyPI docs, "API tokens": a macaroon.
    _Form("pypi token", ("pypi-AgE",), r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    # RubyGems guides, crates.io docs (cio), NuGet docs (oy2), Docker Hub docs (dckr_pat_, dckr_oat_).
    _Form("rubygems key", ("rubygems_",), r"rubygems_[a-f0-9]{48}"),
    _Form("crates token", ("cio",), r"cio(?=[A-Za-z]{0,31}[0-9])[A-Za-z0-9]{32}"),
    _Form("nuget key", ("oy2",), r"oy2[a-z0-9]{43}"),
    _Form("docker token", ("dckr_",), r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
    # Twilio docs, "API keys": SK and 32 hexadecimal digits; the account's SID is no secret.
    _Form("twilio key", ("SK",), r"SK[0-9a-f]{32}"),
    # SendGrid docs, "API keys".
    _Form("sendgrid key", ("SG.",), r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    # Mailgun docs (key-), Mailchimp docs (-us and a data centre), Brevo docs (xkeysib-).
    _Form("mailgun key", ("key-",), r"key-[0-9a-f]{32}"),
    _Form("mailchimp key", ("-us",), r"[0-9a-f]{32}-us[0-9]{1,2}"),
    _Form("brevo key", ("xkeysib-",), r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    # DigitalOcean docs, "Personal access tokens".
    _Form("digitalocean token", ("_v1_",), r"do[opr]_v1_[a-f0-9]{64}"),
    # Cloudflare docs: origin CA keys; Fly.io docs (FlyV1); Heroku docs (HRKU-).
    _Form("cloudflare key", ("v1.0-",), r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    _Form("fly token", ("fm1r_", "fm2_", "fm1a_"), r"fm(?:1r|1a|2)_[A-Za-z0-9+/=]{60,}"),
    _Form("heroku key", ("HRKU-",), r"HRKU-[A-Za-z0-9_-]{36,}"),
    # Shopify docs, "Access tokens"; Square docs (sq0, EAAA); Atlassian docs (ATATT3x, ATBB, ATCTT3x).
    _Form("shopify token", ("shp",), r"shp(?:at|ca|pa|ss|tka|ua)_[a-fA-F0-9]{32}"),
    _Form("square token", ("sq0",), r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,43}"),
    _Form("atlassian token", ("ATATT3x", "ATCTT3x", "ATSTT3x"), r"AT[ACS]TT3x[A-Za-z0-9_=-]{60,}"),
    # Linear (lin_api_), Notion (ntn_), Figma (figd_), Postman (PMAK-), Airtable (pat….) docs.
    _Form("linear key", ("lin_api_", "lin_oauth_"), r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _Form("notion token", ("ntn_",), r"ntn_[A-Za-z0-9]{40,}"),
    _Form("figma token", ("figd_",), r"figd_[A-Za-z0-9_-]{38,}"),
    _Form("postman key", ("PMAK-",), r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _Form("airtable token", ("pat",), r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    # Sentry (sntrys_, sntryu_), Grafana (glsa_, glc_), New Relic (NRAK-), Datadog's have no form.
    _Form("sentry token", ("sntry",), r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    _Form("grafana token", ("glsa_", "glc_"), r"(?:glsa|glc)_[A-Za-z0-9+/=_]{32,}"),
    _Form("new relic key", ("NRAK-",), r"NRAK-[A-Z0-9]{27}"),
    # HashiCorp docs: Vault tokens (hvs, hvb, hvr) and Terraform Cloud tokens (.atlasv1.).
    _Form("vault token", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    _Form("terraform token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}"),
    # Doppler docs (dp.), Pulumi docs (pul-), Databricks docs (dapi), PlanetScale docs (pscale_).
    _Form("doppler token", ("dp.",), r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}"),
    _Form("pulumi token", ("pul-",), r"pul-[a-f0-9]{40}"),
    _Form("databricks token", ("dapi",), r"dapi[a-f0-9]{32}(?:-[0-9])?"),
    _Form("planetscale token", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    # Supabase docs (sbp_, sb_secret_), Tailscale docs (tskey-), 1Password docs (ops_), LangSmith (lsv2_).
    _Form(
        "supabase key", ("sbp_", "sb_secret_"), r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{31,})"
    ),
    _Form("tailscale key", ("tskey-",), r"tskey-[a-z]{3,12}-[A-Za-z0-9-]{20,}"),
    _Form("service token", ("ops_eyJ",), r"ops_eyJ[A-Za-z0-9_-]{100,}={0,2}"),
    _Form("api key", ("lsv2_",), r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    # RFC 7519, RFC 7515 section 7.1: three base64url parts; the first two are JSON objects.
    _Form("jwt", ("eyJ",), r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}"),
    # age specification, section "X25519 recipient": Bech32 with the prefix AGE-SECRET-KEY-.
    _Form(
        "age key",
        ("AGE-SECRET-KEY-", "AGE-PLUGIN-"),
        r"AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,20})-[A-Z0-9-]{50,}",
    ),
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a form when a text first has its literal; few of them are ever met."""
    return re.compile(f"{_BEFORE}{pattern}{_AFTER}")


def find_tokens(probe: Probe) -> Iterator[Secret]:
    """Find tokens of known services by their form; an obvious filler is none."""
    # Most words are shorter than any token, and a token is in one word.
    long_words = "\n".join(word for word in probe.text.split() if len(word) >= _SHORTEST)
    for kind, literals, form in _FORMS:
        if _has_one(literals, long_words) and _compiled(form).search(long_words):
            for match in _compiled(form).finditer(probe.text):
                if not is_repetitive(match[0]):
                    yield Secret(*match.span(), kind)


def _has_one(literals: tuple[str, ...], text: str) -> bool:
    for literal in literals:  # noqa: SIM110  a generator takes longer than the search
        if literal in text:
            return True
    return False
