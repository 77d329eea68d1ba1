"""What a secret looks like: tables, one row a kind, read by `redaction`.

Patterns are written for two engines, Python's and a linear-time one: no lookaround and no
backreference. None of them takes a quote or a lone backslash in, so that JSON with a secret
masked is still JSON.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MASK = "[redacted]"


def is_mixed(text: str) -> bool:
    """Whether letters and digits are mixed, as in a key and not in a word."""
    return _DIGIT.search(text) is not None and _LETTER.search(text) is not None


def is_drawn(text: str) -> bool:
    """Whether the letters look drawn at random: mixed with digits, or capitals anywhere."""
    return is_mixed(text) or (len(text) >= 16 and len(_CASE_CHANGE.findall(text)) > len(text) / 4)


def is_random(text: str) -> bool:
    """Whether a word is drawn at random and has no familiar form."""
    return is_drawn(text) and is_unfamiliar(text)


def is_unfamiliar(text: str) -> bool:
    """Whether a word is long enough for a secret, and nothing that is known by its form."""
    return len(text) >= 8 and not _FAMILIAR.fullmatch(text.strip("`*")) and is_no_placeholder(text)


def is_password_pair(text: str) -> bool:
    """Whether the text is base64 of `user:password`."""
    try:
        plain = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and plain.isascii() and all(byte >= 0x20 for byte in plain)


def is_password_in_address(text: str) -> bool:
    """Whether what stands between a colon and an `@` is no port with a query behind it."""
    return is_no_placeholder(text) and not _PORT_AND_MORE.match(text)


def is_no_placeholder(text: str) -> bool:
    """Whether the text stands for itself and not for what a user should put there."""
    return len(text) > _LONGEST_PLACEHOLDER or not _PLACEHOLDER.fullmatch(text.strip().lower())


def is_told_apart(text: str) -> bool:
    """Whether one word under a telling name is itself a secret, and not the name of one.

    Nor its type, its place or its state: `apiKey: params.apiKey`, `api_key="disabled"`.
    """
    return not _ELSEWHERE.fullmatch(text) and not (
        len(text) <= _LONGEST_PLACEHOLDER
        # What base64 is filled up with ends no name.
        and _STAND_IN.fullmatch(_PART_END.sub("_", text.rstrip("=")).lower())
    )


def is_name_of_a_thing(text: str) -> bool:
    """Whether words are joined to a name, as of a column: `created_at`."""
    return _JOINED.fullmatch(text) is not None


_LONGEST_PLACEHOLDER = 100
_PORT_AND_MORE = re.compile(r"[0-9]{2,5}[?#,]")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_CASE_CHANGE = re.compile(r"[a-z](?=[A-Z])|[A-Z](?=[a-z])")
# Sentences and code, dates, versions, numbers, paths, hosts, addresses, keys to press, files.
_THINGS = (
    r".*[\s()\[\]{}<>|*].*|[\d.,:tTzZ+/-]+|v?\d+(?:\.\w+)+|[~.]{0,2}/.*|[A-Za-z]:\\.*"
    r"|https?://.*|[\w.-]+@[\w.-]+|0x[0-9a-fA-F]{40}|(?:Ctrl|Alt|Shift|Cmd|Option|Meta)\+.*"
    r"|[\w-]+\.(?:json|ya?ml|txt|py|js|ts|env|pem|csv|md|html?|com|org|net|io|dev)"
    r"|(?:(?:[A-Za-z]{2,20}|\d{1,4})[-_/.])+(?:json|ya?ml|xml|txt|csv|md|html?|pdf|png|jpe?g|zip)"
)
_NAME_OF_A_THING = r"[a-z]{2,}(?:[-_/.](?:[a-z]{2,}|[a-z]{0,3}\d{1,2}[a-z]?))+"
_JOINED = re.compile(_NAME_OF_A_THING)
_NUMBER_OF_A_THING = r"[A-Z]{2,10}-\d{1,6}"
_FAMILIAR = re.compile(f"{_THINGS}|{_NAME_OF_A_THING}|{_NUMBER_OF_A_THING}", re.DOTALL)
_ELSEWHERE = re.compile(rf"{_THINGS}|[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+", re.DOTALL)
_PART_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")
# What a word ends with that only names a secret, its type or its place; what is only a state.
_STAND_IN = re.compile(
    r"_?(?:.*_)?(?:keys?|tokens?|secrets?|pass|passw(?:or)?ds?|pwd|auth|authorization|credentials?"
    r"|creds?|jwt|hash|hashed|value|val|name|field|param|parameter|header|query|cookie|env"
    r"|variable|var|id|str|string|text|char|varchar|bytes?|buffer|int|integer|number|bool|boolean"
    r"|object|any|needed|example|placeholder|x{3,})_?"
    r"|_?(?:bearer|basic|digest|negotiate|oauth|schemes?|realm|authentication|environment|default"
    r"|unset|not_set|unknown|enabled|disabled|provided|present|absent|available|unavailable"
    r"|configured|active|inactive|valid|revoked|denied|forbidden|unauthorized|failed|error|dummy"
    r"|fake|test|testing|demo|sample|ollama|granted|accepted|rejected|found|unused|ignored|pending"
    r"|sent|done|changed|updated|completed|success|anything)(?:_.*)?"
    r"|await|new|this|async|typeof|function|.*x{4,}.*|.*_",
    re.DOTALL,
)
_PLACEHOLDER = re.compile(
    r"|\[redacted\]|[*•.x_#-]+|…|<[^>]*>?|\$\{?[\w.-]*(?::(?:-|\?.*))?\}?|\{\{?[\w. -]*\}?\}?"
    r"|%\(?\w*\)?s?|\[[\w .-]*\]?"
    r"|(?:string|str|text|varchar|password|passwd|pwd|secret|token|api[_-]?key|key|none|null|nil"
    r"|undefined|true|false|yes|no|on|off|required|optional|hidden|masked|empty|missing|invalid"
    r"|incorrect|wrong|expired|basic|bearer|oauth2?|jwt|n/a)"
    r"|(?:your|insert|enter|replace)[ _-].*|.*[ _-](?:here|goes[ _-]here)"
    # "my dog has fleas" is a passphrase, and "my secret key" stands for one.
    r"|(?:my|the|an?|some)[ _-](?:.*[ _-])?(?:pass\w*|pwd|secrets?|tokens?|keys?|api\w*|auth\w*"
    r"|credentials?|creds?|value|string|text|word|jwt|bearer)(?:[ _-].*)?"
    r"|(?:os|process|env|self|config|settings|args|secrets|kwargs|opts|options|request|ctx)\..*"
    r"|[a-z_][\w.:]*\(.*",
    re.DOTALL,
)


class Shape(NamedTuple):
    """A secret known by how it begins and goes on.

    `starts` are the literals a pattern begins with; group 1 is masked, or all where there is no
    group. `check` has the last word; `sk-xxxx` and `sk-your-key-here` are nobody's keys. A
    `loose` shape may begin in the middle of a word.
    """

    kind: str
    starts: tuple[str, ...]
    pattern: str
    check: Callable[[str], bool] = is_drawn
    loose: bool = False


_WORD = "[A-Za-z0-9_-]"
SHAPES: tuple[Shape, ...] = (
    Shape("sk-", ("sk-",), rf"sk-{_WORD}{{20,250}}"),
    Shape(
        "stripe",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
        r"(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9+/]{16,250}",
    ),
    Shape("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    Shape("github_pat", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{30,255}"),
    Shape(
        "gitlab",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "gloas-", "glft-", "glimt-", "glagent-"),
        rf"gl(?:pat|dt|rt|ptt|cbt|oas|ft|imt|agent)-{_WORD}{{18,100}}",
    ),
    Shape("aws", ("AKIA", "ASIA"), r"A(?:KIA|SIA)[A-Z0-9]{16}"),
    Shape("google", ("AIza",), rf"AIza{_WORD}{{35}}"),
    Shape("google_oauth", ("ya29.",), rf"ya29\.{_WORD}{{20,500}}"),
    Shape("google_client", ("GOCSPX-",), rf"GOCSPX-{_WORD}{{20,60}}"),
    Shape("slack", ("xox",), r"xox[abeoprs]-[A-Za-z0-9-]{10,250}"),
    Shape("slack_app", ("xapp-",), r"xapp-[0-9]-[A-Za-z0-9-]{20,250}"),
    Shape(
        "slack_hook",
        ("hooks.slack.com/services/",),
        r"hooks\.slack\.com/services/(T[A-Za-z0-9_]{6,20}/B[A-Za-z0-9_]{6,20}/[A-Za-z0-9_]{16,40})",
    ),
    Shape(
        "discord_hook",
        ("discord.com/api/", "discordapp.com/api/"),
        rf"discord(?:app)?\.com/api/(?:v[0-9]{{1,2}}/)?webhooks/[0-9]{{15,22}}/({_WORD}{{50,90}})",
        loose=True,
    ),
    Shape("hugging_face", ("hf_",), r"hf_[A-Za-z0-9]{30,60}"),
    Shape("npm", ("npm_",), r"npm_[A-Za-z0-9]{36}"),
    Shape("pypi", ("pypi-AgE",), rf"pypi-AgE{_WORD}{{50,300}}"),
    Shape("groq", ("gsk_",), r"gsk_[A-Za-z0-9]{40,80}"),
    Shape("xai", ("xai-",), r"xai-[A-Za-z0-9]{40,120}"),
    Shape("perplexity", ("pplx-",), r"pplx-[A-Za-z0-9]{30,80}"),
    Shape("tavily", ("tvly-",), rf"tvly-{_WORD}{{20,80}}"),
    Shape("firecrawl", ("fc-",), r"fc-[0-9a-f]{32}"),
    Shape("nvidia", ("nvapi-",), rf"nvapi-{_WORD}{{40,120}}"),
    Shape("replicate", ("r8_",), r"r8_[A-Za-z0-9]{30,60}"),
    Shape("linear", ("lin_api_",), r"lin_api_[A-Za-z0-9]{30,60}"),
    Shape("notion", ("ntn_",), r"ntn_[A-Za-z0-9]{30,60}"),
    Shape("figma", ("figd_",), rf"figd_{_WORD}{{30,60}}"),
    Shape("digital_ocean", ("dop_v1_",), r"dop_v1_[a-f0-9]{64}"),
    Shape(
        "shopify", ("shpat_", "shpss_", "shpca_", "shppa_"), r"shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}"
    ),
    Shape("sendgrid", ("SG.",), rf"SG\.{_WORD}{{16,32}}\.{_WORD}{{16,64}}"),
    Shape("databricks", ("dapi",), r"dapi[a-f0-9]{32}"),
    Shape("vault", ("hvs.", "hvb.", "hvr."), rf"hv[sbr]\.{_WORD}{{24,300}}"),
    Shape("brevo", ("xkeysib-",), r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    Shape("new_relic", ("NRAK-",), r"NRAK-[A-Z0-9]{27}"),
    Shape("supabase", ("sbp_",), r"sbp_[a-f0-9]{40}"),
    Shape("postman", ("PMAK-",), r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    Shape("pinecone", ("pcsk_",), r"pcsk_[A-Za-z0-9_]{40,100}"),
    Shape("langsmith", ("lsv2_",), r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    Shape("e2b", ("e2b_",), r"e2b_[a-f0-9]{40}"),
    Shape("jina", ("jina_",), rf"jina_{_WORD}{{50,80}}"),
    Shape("together", ("tgp_v1_",), rf"tgp_v1_{_WORD}{{30,80}}"),
    Shape("cerebras", ("csk-",), r"csk-[a-z0-9]{40,60}"),
    Shape("browserbase", ("bb_live_",), rf"bb_live_{_WORD}{{20,60}}"),
    Shape("apify", ("apify_api_",), r"apify_api_[A-Za-z0-9]{30,50}"),
    Shape("atlassian", ("ATATT3",), r"ATATT3[A-Za-z0-9_=-]{60,300}"),
    Shape("notion_secret", ("secret_",), r"secret_[A-Za-z0-9]{43}"),
    Shape("grafana", ("glsa_",), r"glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}"),
    Shape("sentry", ("sntrys_", "sntryu_"), r"sntry[su]_[A-Za-z0-9+/=_-]{40,400}"),
    Shape("posthog", ("phx_",), r"phx_[A-Za-z0-9]{30,60}"),
    Shape("docker", ("dckr_pat_",), rf"dckr_pat_{_WORD}{{20,60}}"),
    Shape("doppler", ("dp.",), r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.]{40,60}"),
    Shape("terraform", (".atlasv1.",), rf"\.atlasv1\.({_WORD}{{60,80}})", loose=True),
    Shape("fly", ("fm2_",), r"fm2_[A-Za-z0-9+/=_-]{40,1000}"),
    Shape("heroku", ("HRKU-",), rf"HRKU-{_WORD}{{36,80}}"),
    Shape("rubygems", ("rubygems_",), r"rubygems_[a-f0-9]{48}"),
    Shape("square", ("sq0",), rf"sq0(?:atp|csp)-{_WORD}{{22,60}}"),
    Shape("mailgun", ("key-",), r"key-[a-f0-9]{32}"),
    Shape("okta", ("SSWS ",), rf"SSWS (00{_WORD}{{38,44}})"),
    Shape("age", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}"),
    Shape("telegram", (":AA",), rf":(AA{_WORD}{{32,40}})", loose=True),
    Shape("jwt", ("eyJ",), rf"eyJ{_WORD}{{8,1000}}\.eyJ{_WORD}{{8,4000}}\.{_WORD}{{0,1000}}"),
    Shape(
        "private_key",
        ("-----BEGIN ",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\\+[nrt]|[A-Za-z0-9+/=:,. \n\r\t]|-[A-Za-z0-9 ]){0,16000}"
        r"(?:-----END [A-Z0-9 ]{0,40}KEY(?: BLOCK)?-----)?",
        loose=True,
    ),
    Shape(
        "bearer", ("earer ",), r"earer ([A-Za-z0-9._~+/-]{16,4000}={0,2})", is_random, loose=True
    ),
    Shape("basic", ("asic ",), r"asic ([A-Za-z0-9+/]{8,1000}={0,2})", is_password_pair, loose=True),
    Shape(
        "url_password",
        ("://",),
        r"://([^\s:@/\"'\\<>()]{0,100}:[^\s/\"'\\<>()]{1,200})@",
        lambda pair: is_password_in_address(pair.partition(":")[2]),
        loose=True,
    ),
)


class Name(NamedTuple):
    """The words that the name of a field ends with, if its value is a secret.

    More may stand in front (`db_password`), digits behind. Under a `strict` name every value
    is a secret that is no placeholder; under a `telling` one every word that is not known to
    stand for another; under the others it must look random. A header's value has more than one
    word. A name that only counts where it is `assigned` (`sig=...` in the query of a link) means
    something else in a field; so does one that only counts in the query of an `address`. A value
    that is `sought` is masked wherever else it stands.
    """

    words: str
    hint: str
    strict: bool = False
    telling: bool = False
    header: bool = False
    assigned: bool = False
    address: bool = False
    sought: bool = True


NAMES: tuple[Name, ...] = (
    Name("passwords?", "pass", strict=True),
    Name("passwd", "pass", strict=True),
    Name("passphrases?", "pass", strict=True),
    Name("passcodes?", "pass", strict=True),
    Name("pass", "pass"),
    Name("pwd?", "pw"),
    Name("secret", "secret", strict=True),
    Name("secrets", "secret"),
    Name("secret keys?", "key", strict=True),
    Name("secret access keys?", "key", strict=True),
    Name("private keys?", "key", telling=True),
    Name("api keys?", "key", telling=True),
    Name("access keys?", "key", telling=True),
    Name("account keys?", "key"),
    Name("auth keys?", "key", telling=True),
    Name("encryption keys?", "key", telling=True),
    Name("master keys?", "key", telling=True),
    Name("service keys?", "key"),
    Name("signing keys?", "key", telling=True),
    Name("storage keys?", "key"),
    Name("apim subscription keys?", "key", telling=True),
    Name("subscription keys?", "key"),
    Name("access token", "token", telling=True),
    Name("api token", "token", telling=True),
    Name("auth token", "token", telling=True),
    Name("bearer token", "token", telling=True),
    Name("bot token", "token", telling=True),
    Name("csrf token", "token", telling=True),
    Name("deploy token", "token", telling=True),
    Name("hf token", "token", telling=True),
    Name("hub token", "token", telling=True),
    Name("id token", "token", telling=True),
    Name("job token", "token", telling=True),
    Name("lab token", "token", telling=True),
    Name("private token", "token", telling=True),
    Name("refresh token", "token", telling=True),
    Name("secret token", "token", telling=True),
    Name("security token", "token", telling=True),
    Name("session token", "token", telling=True),
    Name("xsrf token", "token", telling=True),
    Name("token", "token"),
    Name("credentials?", "credential"),
    Name("auth", "auth"),
    Name("bearer", "bearer"),
    Name("jwt", "jwt"),
    # It opens one link and nothing else.
    Name("signature", "sig", assigned=True, sought=False),
    Name("sig", "sig", assigned=True, sought=False),
    Name("authorization", "auth", header=True),
    Name("cookie", "cookie", header=True),
)

# Two words that are one name in a field, as a sentence has them: `Your API key: …`.
IN_WORDS = Name("key", "key")
# A header that somebody made up for a token of their own, `X-Vault-Token`, behind an escape or not.
OWN_HEADER = re.compile(r"(?:[nrt]|u[0-9a-f]{4}|[0-9]{1,3}m)?x-[a-z0-9-]{0,40}token")
IN_HEADERS = Name("token", "token", telling=True)
# Whole names that mean anything in a field, and one who is let in in the query of an address.
# A key there may be what to sort by as well.
IN_ADDRESSES = {
    name.words: name
    for name in (
        Name("key", "key", address=True),
        Name("token", "token", telling=True, address=True),
        Name("auth", "auth", telling=True, address=True),
        Name("appid", "appid", telling=True, address=True),
        Name("pass", "pass", telling=True, address=True),
        Name("pwd", "pw", telling=True, address=True),
        Name("pw", "pw", telling=True, address=True),
    )
}
# In a connection string no folder one is in has this name.
IN_CONNECTIONS = {"pwd": Name("pwd", "pw", strict=True)}

# A token of these names leads to the next page or counts words; a public key is no secret.
HARMLESS_NAMES = re.compile(
    r".*(?:page|next|prev|previous|continuation|continue|sync|cursor|delta|change|resume|skip|stop"
    r"|start|end|eos|bos|sep|pad|unk|mask|max|min|total|input|output|prompt|completion|word|sub"
    r"|public|primary|foreign|partition|sort|cache|idempotency|paging|pagination)[_-]?(?:token|key)s?"
    r"|.*public[_-]?(?:access[_-]?)?key.*",
    re.DOTALL,
)
# Words of a sentence about a password, as in the answer of a server that refused one.
SENTENCE = re.compile(
    r"\b(?:is|are|was|must|should|cannot|can't|required|invalid|incorrect|wrong|too|short|long|least"
    r"|characters?|field|please|enter|provide|missing|match|blank|empty|the|your|for|of|to)\b",
    re.IGNORECASE,
)
