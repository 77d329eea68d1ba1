"""Secrets go, everything else stays, and what was JSON stays JSON."""

from __future__ import annotations

import base64
import json
import os
import random
import string
import time
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.store.command_secrets import COMMANDS, command_search, handed_over
from assay.store.named_secrets import named_secrets
from assay.store.redaction import _of_shape, _shape_search, _shapes, redacted, redacted_each
from assay.store.secret_names import name_search
from assay.store.secret_rules import MASK, NAMES, SHAPES, Name

HEX = "0123456789abcdef"
LETTERS = string.ascii_letters + string.digits


def noise(length: int, alphabet: str = LETTERS) -> str:
    """The same random text each time, with a digit and a letter in it."""
    return "a7" + "".join(random.Random(length).choices(alphabet, k=length - 2))


JWT = ".".join(
    base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
    for part in ('{"alg":"HS256","typ":"JWT"}', '{"sub":"1234567890","name":"Ada"}', noise(32))
)
PEM_BODY = "\n".join(noise(64) for _ in range(12))
BASIC = base64.b64encode(b"ada:hunter2 and more").decode()
BACKSLASHED = "ab\\cd\\Xyz7"

# kind of secret: a text that holds it, and the secret
BY_SHAPE: dict[str, tuple[str, str]] = {
    "sk-": ("OPENAI sk-proj-{}", noise(48)),
    "stripe": ("charge with sk_live_{} now", noise(24)),
    "github": ("git clone with ghp_{}", noise(36)),
    "github_pat": ("github_pat_{}", noise(60)),
    "gitlab": ("token glpat-{}.", noise(20)),
    "aws": ("id AKIA{} in us-east-1", noise(16, string.ascii_uppercase + string.digits).upper()),
    "google": ("https://maps.example.com/?key=AIza{}&q=x", noise(35)),
    "google_oauth": ("ya29.{}", noise(60)),
    "google_client": ("GOCSPX-{}", noise(28)),
    "slack": ("xoxb-{}", "123456789012-" + noise(24)),
    "slack_app": ("xapp-1-{}", noise(40)),
    "slack_hook": (
        "POST https://hooks.slack.com/services/{}",
        f"T0{noise(8)}/B0{noise(8)}/{noise(24)}",
    ),
    "discord_hook": (
        "POST https://discord.com/api/webhooks/123456789012345678/{}",
        noise(68),
    ),
    "hugging_face": ("login hf_{}", noise(34)),
    "npm": ("//registry/:_authToken npm_{}", noise(36)),
    "pypi": ("pypi-AgE{}", noise(80)),
    "groq": ("gsk_{}", noise(52)),
    "xai": ("xai-{}", noise(80)),
    "perplexity": ("pplx-{}", noise(48)),
    "tavily": ("tvly-dev-{}", noise(32)),
    "firecrawl": ("fc-{}", noise(32, HEX)),
    "nvidia": ("nvapi-{}", noise(64)),
    "replicate": ("r8_{}", noise(37)),
    "linear": ("lin_api_{}", noise(40)),
    "notion": ("ntn_{}", noise(46)),
    "figma": ("figd_{}", noise(40)),
    "digital_ocean": ("dop_v1_{}", noise(64, HEX)),
    "shopify": ("shpat_{}", noise(32, HEX)),
    "sendgrid": ("SG.{}", f"{noise(22)}.{noise(43)}"),
    "databricks": ("dapi{}", noise(32, HEX)),
    "vault": ("hvs.{}", noise(90)),
    "brevo": ("api-key xkeysib-{}", f"{noise(64, HEX)}-{noise(16)}"),
    "new_relic": ("NRAK-{}", noise(27, string.ascii_uppercase + string.digits).upper()),
    "supabase": ("sbp_{}", noise(40, HEX)),
    "postman": ("PMAK-{}", f"{noise(24, HEX)}-{noise(34, HEX)}"),
    "pinecone": ("pcsk_{}", noise(70)),
    "langsmith": ("LANGSMITH lsv2_pt_{}", f"{noise(32, HEX)}_{noise(10, HEX)}"),
    "e2b": ("e2b_{}", noise(40, HEX)),
    "jina": ("jina_{}", noise(60)),
    "together": ("tgp_v1_{}", noise(43)),
    "cerebras": ("csk-{}", noise(48, string.ascii_lowercase + string.digits)),
    "browserbase": ("bb_live_{}", noise(27)),
    "apify": ("apify_api_{}", noise(36)),
    "atlassian": ("ada@example.com:ATATT3{}", f"{noise(180)}=9A0B1C2D"),
    "notion_secret": ("secret_{}", noise(43)),
    "grafana": ("glsa_{}", f"{noise(32)}_{noise(8, HEX)}"),
    "sentry": ("sntrys_{}", noise(150)),
    "posthog": ("phx_{}", noise(43)),
    "docker": ("docker login with dckr_pat_{}", noise(27)),
    "doppler": ("dp.pt.{}", noise(43)),
    "terraform": ("K3e7mQ2pX9aLzT.atlasv1.{}", noise(67)),
    "fly": ("FlyV1 fm2_{}", noise(200)),
    "heroku": ("HRKU-{}", noise(60)),
    "rubygems": ("rubygems_{}", noise(48, HEX)),
    "square": ("sq0atp-{}", noise(22)),
    "mailgun": ("curl to mailgun as key-{}", noise(32, HEX)),
    "okta": ("SSWS {}", f"00{noise(40)}"),
    "age": ("AGE-SECRET-KEY-1{}", noise(58, string.ascii_uppercase + string.digits).upper()),
    "telegram": ("https://api.telegram.org/bot7654321:{}/sendMessage", "AA" + noise(33)),
    "jwt": ("session {} opened", JWT),
    "private_key": ("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", PEM_BODY),
    "bearer": ("curl -H 'X: Bearer {}' https://example.com", noise(40)),
    "basic": ("> Proxy: Basic {}", BASIC),
    "url_password": ("postgres://ada:{}@db.example.com:5432/shop", "hunter2"),
}

# a text that gives its secret away by name, and the secret
BY_NAME: tuple[tuple[str, str], ...] = (
    ("password=hunter2", "hunter2"),
    ("DB_PASSWORD=letmein\nDB_HOST=db", "letmein"),
    ("export PGPASSWORD='correct horse'", "correct horse"),
    ("password: hunter2", "hunter2"),
    ("password：hunter2", "hunter2"),
    ('PASSWORD = "tr0ub4dor&3"', "tr0ub4dor&3"),
    ("CREATE USER ada WITH PASSWORD 'hunter2';", "hunter2"),
    ("mysql --password hunter2 shop", "hunter2"),
    ("mysql --password=hunter2 shop", "hunter2"),
    ("<password>hunter2</password>", "hunter2"),
    ("{'user': 'ada', 'password': 'hunter2'}", "hunter2"),
    ("{'password': 'it\\'s me'}", "s me"),
    ('{"password": "hunter2", "user": "ada"}', "hunter2"),
    ('{"password": "say \\"friend\\" and enter7"}', "enter7"),
    ('{"password": 12345678}', "12345678"),
    ('{"passwords": ["hunter2", "letmein"]}', "letmein"),
    ('{"name": "DB_PASSWORD", "value": "hunter2"}', "hunter2"),
    ('["--password", "hunter2"]', "hunter2"),
    ('{"passphrase": "correct horse battery staple"}', "horse battery"),
    ("client_secret=abc", "abc"),
    ('{"clientSecret": "zyx-wvu"}', "zyx-wvu"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY"),
    ("AccountName=shop;AccountKey=Zm9vYmFyMTIz+/==;EndpointSuffix=x", "Zm9vYmFyMTIz+/"),
    ("https://api.example.com/v1?api_key=9f8e7d6c5b4a&q=1", "9f8e7d6c5b4a"),
    ('{"apiKey": "9f8e7d6c5b4a3210"}', "9f8e7d6c5b4a3210"),
    ("X-Api-Key: 9f8e7d6c5b4a3210", "9f8e7d6c5b4a3210"),
    ('{"access_token": "2YotnFZFEjr1zCsicMWpAA"}', "2YotnFZFEjr1zCsicMWpAA"),
    ('{"refreshToken": "tGzv3JOkF0XG5Qx2TlKWIA"}', "tGzv3JOkF0XG5Qx2TlKWIA"),
    ("token=8f14e45fceea167a", "8f14e45fceea167a"),
    ("Authorization: Token 9944b09199c62bcf", "9944b09199c62bcf"),
    ('{"Authorization": "Digest 9944b09199c62bcf"}', "9944b09199c62bcf"),
    ("Cookie: theme=dark; sid=38afes7a8f9b2c", "38afes7a8f9b2c"),
    ('{"set-cookie": "sid=38afes7a8f9b2c; Path=/"}', "38afes7a8f9b2c"),
    ('{"Authorization": "9f8e7d6c5b4a39281706"}', "9f8e7d6c5b4a39281706"),
    ("Cookie: __Host-sid=38afes7a8f9b2c", "38afes7a8f9b2c"),
    ("Set-Cookie: 1P_JAR=38afes7a8f9b2c; Path=/", "38afes7a8f9b2c"),
    ("password = }k9Qz7pLmW3xTv8Rb", "k9Qz7pLmW3xTv8Rb"),
    ("The password is Tr0ub4dor-3x.", "Tr0ub4dor-3x"),
    ("My API key is 8f7d6a5b4c3d2e1f0a9b8c7d, use it.", "8f7d6a5b4c3d2e1f0a9b8c7d"),
    ("the access key is now Zx81kQpL3m", "Zx81kQpL3m"),
    ("API_KEY was set to 'Zx81kQpL3m'", "Zx81kQpL3m"),
    ("Your passphrase is now Tr0ub4dor-3x", "Tr0ub4dor-3x"),
    ("The password is 'Tr0ub4dor-3x'.", "Tr0ub4dor-3x"),
    ('The password was set to "Tr0ub4dor-3x".', "Tr0ub4dor-3x"),
    ("The password is `Tr0ub4dor-3x`", "Tr0ub4dor-3x"),
    ("The client secret is 9f8e7d6c5b4a3210", "9f8e7d6c5b4a3210"),
    ("The client secret is abc123-def456-ghi789", "abc123-def456-ghi789"),
    ("**Password:** hunter2", "hunter2"),
    ("- **Password**: `hunter2`", "hunter2"),
    ("**Password:** swordfish", "swordfish"),
    ("* **API key:** `9f8e7d6c5b4a3210`", "9f8e7d6c5b4a3210"),
    ("password = b'hunter2'", "hunter2"),
    ('api_key = b"swordfish"', "swordfish"),
    ("CREATE LOGIN ada WITH PASSWORD = N'hunter2'", "hunter2"),
    ('def connect(password: str = "hunter2", port: int = 5432)', "hunter2"),
    ("const apiKey: string = 'swordfish'", "swordfish"),
    ('const DB_PASSWORD: &str = "hunter2";', "hunter2"),
    ('{"element": "Password textbox", "ref": "e12", "text": "swordfish"}', "swordfish"),
    ('{"name": "Password", "type": "textbox", "ref": "e1", "value": "swordfish"}', "swordfish"),
    ('<add key="password" value="swordfish"/>', "swordfish"),
    ('<input type="password" value="swordfish">', "swordfish"),
    ("PASS: s3cr3tpw99", "s3cr3tpw99"),
    ("PASS: test1234", "test1234"),
    ("PASS: s3cr3t:pw99", "s3cr3t:pw99"),
    ('{"passphrase": "my dog has fleas"}', "my dog has fleas"),
    ("data:\n  password: aHVudGVyMjI=\n", "aHVudGVyMjI="),
    ("machine localhost login ada password s3cr3tword", "s3cr3tword"),
    ('{"x-api-key": ",k9Qz7pLmW3xTv8Rb"}', "k9Qz7pLmW3xTv8Rb"),
    ('{"private_key": "5Kb8kLf9zgWQnogidDA76MzPL6TsZZ"}', "5Kb8kLf9zgWQnogidDA76MzPL6TsZZ"),
    ('{"encryption-key": "0f1e2d3c4b5a6978"}', "0f1e2d3c4b5a6978"),
    ("PWD: s3cr3tpw99", "s3cr3tpw99"),
    (f"PASSWORD={BACKSLASHED}", BACKSLASHED),
    ("?X-Amz-Signature=fe5f80f77d5fa3beca038a248ff027", "fe5f80f77d5fa3beca038a248ff027"),
    ("_auth=YWRhOmh1bnRlcjI5OTk", "YWRhOmh1bnRlcjI5OTk"),
    ('{"user": "ada", "pass": "hunter2hunter3"}', "hunter2hunter3"),
    ("smtp_pw = hunter2hunter3", "hunter2hunter3"),
    ('{"passcode": "open sesame"}', "open sesame"),
    ('{"jwt": "9f8e7d6c5b4a3210"}', "9f8e7d6c5b4a3210"),
    ('{"api_key": "BODYSECRET", "q": "x"}', "BODYSECRET"),
    ('{"apiKeys": ["swordfish", "opensesame"]}', "opensesame"),
    ("OPENAI_API_KEY=swordfish", "swordfish"),
    ("client = Client(api_key='swordfish')", "swordfish"),
    ("X-Api-Key: swordfish", "swordfish"),
    ("serve --api-key swordfish --port 80", "swordfish"),
    ('{"access_token": "swordfish", "refreshToken": "swordfish"}', "swordfish"),
    ("GITHUB_TOKEN=swordfish", "swordfish"),
    ("password: hunter", "hunter"),
    ("db:\n    user: ada\n    password: hunter\n", "hunter"),
    ("- password: correct-horse", "correct-horse"),
    ("user: ada, password: hunter, host: db", "hunter"),
    ("sign in as ada and password: hunter", "hunter"),
    ("Use password: hunter", "hunter"),
    ("Sign in as ada with password: hunter, then look", "hunter"),
    ("Authorization: Bearer abcdef", "abcdef"),
    ('{"Authorization": "Bearer abcdef"}', "abcdef"),
    ('{"headers": {"proxy-authorization": "Basic abcdefgh"}}', "abcdefgh"),
    ("curl -H 'Authorization: Token swordfish' https://example.com", "swordfish"),
    ("https://api.example.com/v1?key=b3JkZmlzaDEyMzQ1&q=1", "b3JkZmlzaDEyMzQ1"),
    ("https://api.example.com/v1?q=1&token=SWORDFISH", "SWORDFISH"),
    ("GET /data/2.5/weather?q=Oslo&amp;appid=swordfish HTTP/1.1", "swordfish"),
    ('{"url": "https://api.example.com/?q=1\\u0026token=swordfish"}', "swordfish"),
    ("https://example.com/?user=ada&auth=swordfish", "swordfish"),
    ("https://example.com/?user=ada&pass=swordfish", "swordfish"),
    ("https://example.com/?user=ada&pwd=swordfish", "swordfish"),
    ("https://example.com/?user=ada&pw=swordfish#top", "swordfish"),
    ("Your API key: 9f8e7d6c5b4a3210 (keep it)", "9f8e7d6c5b4a3210"),
    ('{"API Key": "9f8e7d6c5b4a3210"}', "9f8e7d6c5b4a3210"),
    ("the secret access key = 9f8e7d6c5b4a3210", "9f8e7d6c5b4a3210"),
    ("curl -H 'PRIVATE-TOKEN: swordfish' https://gitlab.example.com", "swordfish"),
    ('{"headers": {"JOB-TOKEN": "swordfish", "Deploy-Token": "swordfish"}}', "swordfish"),
    ("X-Vault-Token: swordfish", "swordfish"),
    ('{"headers": {"X-Figma-Token": "swordfish"}}', "swordfish"),
    ("Ocp-Apim-Subscription-Key: swordfish", "swordfish"),
    ("Driver={ODBC Driver 18};Server=db;UID=ada;PWD=letmein;Encrypt=yes", "letmein"),
    ("jdbc:sqlserver://db:1433;databaseName=shop;user=ada;password=swordfish;", "swordfish"),
    ("machine api.example.com login ada password swordfish", "swordfish"),
    ("machine api.example.com\nlogin ada\npassword swordfish\n", "swordfish"),
    ("DB_PASSWORD=prod.token", "prod.token"),
    ("export API_KEY=live.swordfish", "live.swordfish"),
    ("services:\n  - DB_PASSWORD=prod.token\n", "prod.token"),
    ("docker run -e DB_PASSWORD=prod.token app", "prod.token"),
    ("echo 'default login ada password swordfish' > ~/.netrc", "swordfish"),
)

# the word a command is known by: texts in which it hands a secret over, and the secret
BY_COMMAND: dict[str, tuple[tuple[str, str], ...]] = {
    "curl": (
        ("curl -u ada:swordfish https://example.com", "swordfish"),
        ("curl -sSu 'ada:correcthorse' https://example.com", "correcthorse"),
        ('curl -u "ada:correct horse" https://example.com', "correct horse"),
        ("curl -uada:swordfish https://example.com", "swordfish"),
        ("curl --user=ada:swordfish https://example.com", "swordfish"),
        ("curl -x proxy:3128 --proxy-user ada:swordfish https://example.com", "swordfish"),
        ("curl -X POST https://example.com \\\n  -u ada:swordfish", "swordfish"),
        ("curl -u ada:12345678 https://example.com", "12345678"),
        ('["curl", "-u", "ada:swordfish", "https://example.com"]', "swordfish"),
    ),
    "identified ": (
        ("CREATE USER 'ada'@'%' IDENTIFIED BY 'swordfish';", "swordfish"),
        ("alter user ada identified with caching_sha2_password by 'swordfish'", "swordfish"),
        ("CREATE USER ada IDENTIFIED BY swordfish;", "swordfish"),
        ("GRANT ALL ON *.* TO 'ada'@'%' IDENTIFIED BY 'swordfish'", "swordfish"),
    ),
    "set password": (
        ("SET PASSWORD FOR 'ada'@'%' = 'swordfish';", "swordfish"),
        ("SET PASSWORD = PASSWORD('swordfish');", "swordfish"),
    ),
    "http ": (("http -a ada:swordfish GET https://example.com/me", "swordfish"),),
    "mysql": (
        ("mysql -u root -pswordfish shop", "swordfish"),
        ("mysqldump -h db -u root -p'correct horse' shop > dump.sql", "correct horse"),
    ),
    "mariadb": (("mariadb-dump -uroot -pswordfish shop", "swordfish"),),
    "login": (
        ("docker login -u ada -p swordfish registry.example.com", "swordfish"),
        ("helm registry login -u ada -p swordfish registry.example.com", "swordfish"),
        ('["docker", "login", "-u", "ada", "-p", "swordfish"]', "swordfish"),
        ('{"command": "docker", "args": ["login", "-p", "swordfish"]}', "swordfish"),
    ),
    "sshpass": (
        ("sshpass -p swordfish ssh ada@db.example.com", "swordfish"),
        ("sshpass -pswordfish scp dump.sql ada@db.example.com:", "swordfish"),
    ),
    "redis-cli": (("redis-cli -h cache -a swordfish PING", "swordfish"),),
    "mongo": (("mongosh --host db -u ada -p swordfish", "swordfish"),),
    "ldap": (("ldapsearch -x -D cn=admin,dc=example -w swordfish -b dc=example", "swordfish"),),
    "sqlcmd": (("sqlcmd -S db -U sa -P swordfish -Q 'SELECT 1'", "swordfish"),),
    "smbclient": (("smbclient //files/share -U ada%swordfish", "swordfish"),),
    "sqlplus": (("sqlplus ada/swordfish@//db:1521/shop", "swordfish"),),
    ":thin:": (("jdbc:oracle:thin:ada/swordfish@//db.example.com:1521/shop", "swordfish"),),
    "auth=(": (("requests.get(url, auth=('ada', 'swordfish'))", "swordfish"),),
    "auth = (": (("session.auth = ('ada', 'swordfish')", "swordfish"),),
    "auth(": (
        ('requests.get(url, auth=HTTPBasicAuth("ada", "swordfish"))', "swordfish"),
        ("aiohttp.BasicAuth('ada','swordfish')", "swordfish"),
        ("auth('ada','hunter2')", "hunter2"),
    ),
    "login(": (
        ('smtp.login("ada@example.com", "swordfish")', "swordfish"),
        ("login('ada','swordfish')", "swordfish"),
    ),
    "xh ": (("xh -a ada:swordfish GET https://example.com/me", "swordfish"),),
}
TOLD = (*BY_NAME, *(example for examples in BY_COMMAND.values() for example in examples))

STAYS: tuple[str, ...] = (
    "token count: 512",
    "the password reset page",
    "Password: must be at least 8 characters",
    "max_tokens=4096, total_tokens: 12345678",
    '{"usage": {"input_tokens": 1024, "token_count": 99999999}}',
    '{"next_page_token": "CAUQAAzz19288", "nextToken": "a1b2c3d4e5f6"}',
    '{"password": {"type": "string", "description": "The password"}}',
    '{"properties": {"api_key": {"type": "string"}}, "required": ["password", "token"]}',
    '{"errors": {"password": "is too short (minimum is 8 characters)"}}',
    '{"password": "Password is required"}',
    '{"password": null, "secret": true, "token": ""}',
    '{"password": "string", "api_key": "YOUR_API_KEY_HERE"}',
    '{"password": "********", "token": "<your token>"}',
    "password=$DB_PASSWORD token=${GITHUB_TOKEN}",
    'connect(password=os.environ["DB_PASSWORD"], token=None)',
    "client = Client(api_key=api_key, password=args.password)",
    "PWD=/home/ada/project OLDPWD=/home/ada",
    '{"token": "ETH", "key": "8f14e45fceea167a"}',
    '{"token": "0x6b175474e89094c44da98b954eedeac495271d0f"}',
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "run 123e4567-e89b-12d3-a456-426614174000 done",
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 4).decode(),
    "the disk-usage-report-for-2024-and-beyond-x",
    "scikit: sk-learn-based-classification-models",
    "https://example.com:8080/path?page=2#token",
    "see https://example.com/@scope/package@1.2.3",
    "ssh git@github.com:ada/repo.git",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----",
    "Bearer authentication-is-required here",
    "Basic understanding of authentication",
    "the bearer of this letter",
    '{"authorization": "required", "cookie": "chocolate chip"}',
    '{"password": "my-secret-password", "passphrase": "the passphrase you chose"}',
    "the customer identified by 'ada-lovelace' is gone",
    "The password is incorrect, and the old password was expired.",
    "secret santa: bring a gift; the secret: patience",
    '{"token_type": "Bearer", "public_key": "AAAAB3NzaC1yc2EAAAADAQAB"}',
    '{"signature": "def login(user, password2)"}',
    "SELECT token, password FROM users WHERE id = 7",
    '["password", "email", "hunter2"]',
    "keyword: a1b2c3d4e5, primary_key=a1b2c3d4e5",
    "eyJ is how a token begins",
    '{"pass": "3 of 4", "author": "ada1815lovelace", "bypass": true}',
    "12 tests pass: 9f8e7d6 and more",
    "Fast-pass: `distilbert-base-uncased-finetuned-sst-2-english`",
    "access-token = 1*VSCHAR, OAuth: `ya29.[alphanumeric-_]{100,}`",
    '{"type": "thinking", "signature": "EvkLCkgICxABGAIqQGvScM60keq3yzKQXUNx1BIR"}',
    "new Client({apiKey: params.litellmApiKey, token: Environment.GetVariable()})",
    "token = Base.url_encode64(:crypto.strong_rand_bytes(24), padding: false)",
    "send `Authorization: Bearer` in the header, never in URLs of 2019",
    "Authorization: Bearer hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    'he bypassed the password "Philips1" of the TV',
    '{"scripts": {"validate:secrets": "node scripts/validate-secrets.js"}}',
    "monkey=banana12345",
    '{"token": "word", "key": "name", "tokens": ["Hello", "world"]}',
    '{"token": "swordfish", "logprob": -0.1}',
    '{"eos_token": "endoftext", "max_tokens": 4096}',
    '{"key": "swordfish", "sort_key": "created"}',
    '{"api_key": "header", "access_token": "provided", "apiKey": "disabled"}',
    '{"api_key": "OPENAI_API_KEY", "auth_key": "x-api-key", "apiKey": "openaiApiKey"}',
    '{"api_key": "The key of your account", "access_key": "k"}',
    '{"api_key": "/run/secrets/openai", "private_key": "server.pem"}',
    '{"api_key": "not-needed", "apiKey": "proxy-handled", "api_key2": "EMPTY"}',
    '{"access_token": {"type": "string"}, "required": ["access_token", "password"]}',
    "const apiKey = await askUser(); const api_key = 'sk-ant-' + rest",
    "new Client({apiKey: params.key, password: hashedPassword, access_token: authToken})",
    "interface User { password: string; apiKey: String, passphrase: SecretStr }",
    "def login(user: str, password: str, api_key: bytes) -> bool:",
    "Password: incorrect",
    "Use a password: twelve letters, please",
    "Check your password: it must be longer",
    "password: disabled",
    "could not verify the password: mismatch",
    "API key: see the settings",
    "Authorization: Bearer token",
    "Authorization: Bearer ACCESS_TOKEN",
    "Authorization: Bearer sk-...",
    "Authorization: Bearer eyJ...",
    '{"Authorization": "Bearer eyJ..."}',
    '{"account_key": "checking", "service_key": "electricity", "subscription_key": "premium"}',
    '{"access_token": "granted", "apiKey": "unused", "auth_token": "found"}',
    "reset_password: done",
    "API keys: 12345678, created 2026-01-01",
    "primary key: CUST-00042, foreign key: ORD-00042",
    "Authorization: Bearer flows are described there",
    '{"Authorization": "Bearer realm=example"}',
    '{"www-authenticate": "Bearer"}',
    "https://example.com/?key=value&token=ETH&sort=asc",
    "https://example.com/?key=created_at&token=0&page=2",
    "https://example.com/keys?monkey=swordfish&turkey=swordfish",
    "if a &&token==swordfish: pass",
    "https://hr.example.com/groups?key=department&sort=asc",
    "https://example.com/stats?key=customerName",
    "https://jira.example.com/browse?key=PROJECT-1234",
    "https://jira.example.com/browse?key=ONBOARDING",
    "https://example.com/files?key=reports/2024/summary.pdf",
    "docker run -p 8080:80 -u 1000:1000 nginx",
    "docker run -u node:node app",
    "docker exec -u postgres:postgres db psql",
    "docker compose -p shop up -d && git push -u origin main:main",
    "mkdir -p build/output; ssh -p 2222 ada@db.example.com",
    "psql -h db -p 5432 -U ada shop",
    "mysql -u root -p shop",
    "mysql -h db -P 3306 -u root -p",
    '["mysql", "-u", "root", "-p", "shop"]',
    "apt-get install mysql-client -preserve",
    "pip install mysql-connector -python",
    "mysql-pod-7d -policy strict",
    "systemctl status mysql; ps -proc",
    "ldap users -w wide output",
    "grep -rnw ldap src -w config",
    "curl -u ada https://example.com",
    "curl -u $USER:$PASSWORD https://example.com",
    "curl -u user:password https://example.com",
    "curl -u <user>:<password> https://example.com",
    "curl -u '{user}:{password}' https://example.com",
    "curl --user-agent Mozilla:compatible https://example.com",
    "curl https://example.com && docker run -u node:nodes app",
    "curl https://example.com\ndocker run -u node:nodes app",
    "docker login -u ada -p $DOCKER_PASSWORD registry.example.com",
    "docker login --password-stdin -u ada registry.example.com",
    'sshpass -p "$PASS" ssh ada@db',
    "redis-cli -p 6379 ping",
    "Set the X-Vault-Token: header, then retry",
    "PRIVATE-TOKEN: <your_access_token>",
    "machine learning login page password reset",
    "the default login page password reset",
    "--password string      Password for the registry",
    "PWD=/srv/app; cd $PWD; echo done",
    "The password is base64-encoded and 12-characters long",
    "The API key is invalid, is missing-or-expired, is required_field_42x",
    "The API key is OPENAI_API_KEY, and the access key is in config/settings_v2.py",
    "The primary key is 8f7d6a5b4c3d2e1f0a9b8c7d",
    "The password is SHA-256-hashed",
    "The secret is 3-day-old rice",
    "the secret is GPT-4-turbo",
    "--- PASS: TestParseV2 (0.00s)",
    "PASS: gcc.dg/pr12345.c",
    "PASS: check_hash2x (1 of 20)",
    "PASS: suite1::check_hash2x",
    "if password == user.password: return True",
    "password = account.password",
    "genes of the set identified by 'RNA-seq7'",
    "Set the rows identified by 'order_no' to 0",
    "The grant applications identified by committee members were strong",
    "We grant access to those identified by regulators",
    "CREATE USER ada IDENTIFIED BY RANDOM PASSWORD",
    "require_auth('admin', 'editor')",
    "router.get('/', auth('admin', 'editor'), show)",
    "require_login('admin', 'editor')",
    "def login(user, password): pass",
    'login("ada", "<password>") or login(user, password)',
    'login("ada", os.environ["PASSWORD"])',
    "DB_PASSWORD=user.password",
    "DB_PASSWORD=os.environ.production",
    "Client(API_KEY=config.live_key, PASSWORD=account.password)",
    "    API_KEY=cfg.live,\n    PORT=80,",
    "api_key=settings_of.production",
    "https://example.com:443?mail=ada@example.com",
    "**Password:** required",
    "password: str = '', token: str = \"\"",
    '<input type="password" value="">',
    '{"element": "Password textbox", "ref": "e12", "text": ""}',
    '{"label": "Password", "type": "string", "text": "Enter your password"}',
    '<input name="password" placeholder="Password">',
    "DB_PASSWORD=${DB_PASSWORD:-} API_TOKEN=${API_TOKEN:?not set}",
    "message Login { string user = 1; string password = 2; }",
    "struct Config { password: Option<String>, token: Option<String> }",
    "<user>,<password>,admin",
    '{"access_key": "Alt+Shift+K"}',
)

Wrap = Callable[[str], str]


def plain_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


WRAPPINGS: dict[str, Wrap] = {
    "in a field": lambda text: json.dumps({"result": text}),
    "in JSON in a field": lambda text: json.dumps({"result": json.dumps({"out": text, "n": 1})}),
    "after another script": lambda text: plain_json({"result": f"密钥是{text}。"}),
    "after another script, escaped": lambda text: json.dumps([json.dumps(f"密钥是{text}。")]),
    "on a line of its own": lambda text: json.dumps({"result": f"one\n{text}\ntwo"}),
    "in JSON on a line of its own": lambda text: json.dumps([json.dumps([f"one\n\t{text}\r\n"])]),
    "in colour": lambda text: json.dumps({"result": f"\x1b[1;31m{text}\x1b[0m"}),
    "three deep": lambda text: json.dumps([json.dumps([json.dumps([text, "end"]), "end"]), "end"]),
}


def unwrapped(value: object) -> object:
    """The value with all JSON inside its texts undone."""
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            return unwrapped(json.loads(value))
        except ValueError:
            return value
    if isinstance(value, list):
        return [unwrapped(item) for item in value]
    if isinstance(value, dict):
        return {key: unwrapped(item) for key, item in value.items()}
    return value


def test_every_shape_and_every_name_has_an_example() -> None:
    assert set(BY_SHAPE) == {shape.kind for shape in SHAPES}
    assert set(BY_COMMAND) == {command.word for command in COMMANDS}
    assert len(BY_SHAPE) + len(BY_NAME) + len(STAYS) >= 60


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=list(WRAPPINGS))
@pytest.mark.parametrize("kind", BY_SHAPE)
def test_a_secret_known_by_its_shape_goes(kind: str, wrap: Wrap) -> None:
    template, secret = BY_SHAPE[kind]
    found, count = redacted(wrap(template.format(secret)))
    assert count == 1
    inner = json.dumps(unwrapped(json.loads(found)))
    assert MASK in inner
    assert not any(part in inner for part in secret.split("\n"))
    assert found.count(MASK) == 1


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=list(WRAPPINGS))
@pytest.mark.parametrize(("text", "secret"), TOLD, ids=[text for text, _ in TOLD])
def test_a_secret_given_away_by_a_name_or_a_command_goes(
    text: str, secret: str, wrap: Wrap
) -> None:
    found, count = redacted(wrap(text))
    assert count >= 1
    json.loads(found)
    assert secret not in json.dumps(unwrapped(json.loads(found)))
    for part in secret.replace("\\", " ").split(" "):
        assert len(part) < 4 or part not in found


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=list(WRAPPINGS))
@pytest.mark.parametrize("text", STAYS)
def test_what_is_no_secret_stays(text: str, wrap: Wrap) -> None:
    assert redacted(wrap(text)) == (wrap(text), 0)


@pytest.mark.parametrize("start", ["gloas-", "glft-", "glimt-", "glagent-", "hvb.", "hvr."])
def test_the_same_service_has_keys_of_several_starts(start: str) -> None:
    assert redacted(f'"key {start}{noise(40)}"') == (f'"key {MASK}"', 1)


@pytest.mark.parametrize("version", ["", "v9/", "v10/"])
def test_a_webhook_of_discord_goes_whatever_its_version(version: str) -> None:
    address = f"https://canary.discord.com/api/{version}webhooks/123456789012345678/"
    assert redacted(json.dumps(address + noise(68))) == (json.dumps(address + MASK), 1)


def test_a_list_after_an_option_holds_its_values_and_one_after_a_word_does_not() -> None:
    given = '["--password", ["hunter2x9", "hunter3x9"], "password", "email"]'
    assert redacted(given) == (f'["--password", ["{MASK}", "{MASK}"], "password", "email"]', 2)


@pytest.mark.parametrize("emails", [False, True])
def test_several_texts_are_masked_as_each_would_be(*, emails: bool) -> None:
    secret = msgspec.json.encode({"password": "hunter2 and more"})
    mail = msgspec.json.encode({"to": "ada@example.org"})
    plain = [msgspec.json.encode({"query": text}) for text in ("Ångström", 'the key "figures"', "")]
    masked = (msgspec.json.encode({"password": MASK}), 1)
    sent = (msgspec.json.encode({"to": MASK}), 1) if emails else (mail, 0)
    untouched = [(text, 0) for text in plain]
    assert redacted_each([], emails=emails) == []
    assert redacted_each(plain, emails=emails) == untouched
    assert redacted_each([mail, *plain], emails=emails) == [sent, *untouched]
    assert redacted_each([*plain, secret, b""], emails=emails) == [*untouched, masked, (b"", 0)]


@pytest.mark.parametrize(
    "text",
    [*(text for text, _ in TOLD), *(text.format(secret) for text, secret in BY_SHAPE.values())],
)
def test_a_secret_among_other_texts_goes(text: str) -> None:
    alone, count = redacted(json.dumps(text))
    among_others = redacted_each([b"{}", json.dumps(text).encode(), b"{}"])
    assert among_others == [(b"{}", 0), (alone.encode(), count), (b"{}", 0)]


def test_a_secret_in_a_field_of_the_case_itself_goes() -> None:
    text = json.dumps({"parameters": {"user": "ada", "password": 'it\'s "me"\n', "n": 1}})
    found, count = redacted(text)
    assert (json.loads(found), count) == (
        {"parameters": {"user": "ada", "password": MASK, "n": 1}},
        1,
    )


def test_what_stands_around_a_secret_stays() -> None:
    found, _ = redacted(json.dumps({"a": "x", "log": "user=ada password=hunter2, host=db"}))
    assert json.loads(found) == {"a": "x", "log": f"user=ada password={MASK}, host=db"}


def test_mail_addresses_go_only_when_asked_for() -> None:
    text = json.dumps({"to": "Ada <ada.l+news@mail.example.co.uk>, bob@x and @carol"})
    assert redacted(text) == (text, 0)
    found, count = redacted(text, emails=True)
    assert json.loads(found) == {"to": f"Ada <{MASK}>, bob@x and @carol"}
    assert count == 1


def test_redacting_twice_changes_nothing_more() -> None:
    texts = [template.format(secret) for template, secret in BY_SHAPE.values()]
    once, _ = redacted(json.dumps(texts + [text for text, _ in TOLD]), emails=True)
    assert redacted(once, emails=True) == (once, 0)


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.words)
def test_every_name_is_looked_for_and_found(name: Name) -> None:
    words = name.words.replace("wd?", "wd").replace("?", "")
    for separator in "_-":
        field = words.replace(" ", separator)
        text = f"{field}={noise(20)}" if name.assigned else json.dumps({field: noise(20)})
        found, count = redacted(json.dumps(text))
        assert (count, noise(20) in found) == (1, False)


json_texts = st.text(alphabet="{}[]\":,=\\' \nnpasword: tken0123Akey-_x.@/é", max_size=120)
seeds = st.sampled_from(
    [text for text, _ in TOLD] + [t.format(s) for t, s in BY_SHAPE.values()] + list(STAYS)
)
leaves = st.one_of(
    st.none(), st.integers(), st.booleans(), json_texts, seeds, json_texts.map(json.dumps)
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["password", "api_key", "token", "authorization", "text", "value"]),
            inner,
            max_size=4,
        )
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)


def is_framed_alike(before: object, after: object) -> bool:
    """Whether lists and keys are the same wherever nothing was masked."""
    if isinstance(after, str) and MASK in after:
        return True
    if isinstance(before, list):
        return isinstance(after, list) and all(
            is_framed_alike(*pair) for pair in zip(before, after, strict=True)
        )
    if isinstance(before, dict):
        assert isinstance(after, dict)
        return before.keys() == after.keys() and all(
            is_framed_alike(before[key], after[key]) for key in before
        )
    return before == after


@given(values)
def test_json_stays_json_and_so_does_json_inside_it(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    found, count = redacted(text, emails=True)
    assert is_framed_alike(unwrapped(json.loads(text)), unwrapped(json.loads(found)))
    assert (found == text) == (count == 0)


@given(st.lists(st.one_of(seeds, json_texts), max_size=6).map(json.dumps))
def test_the_quick_look_overlooks_nothing(text: str) -> None:
    for shape, pattern, occurs_in in _shapes():
        if not occurs_in(text) or not _shape_search()(text):
            found = [
                span for start in shape.starts for span in _of_shape(text, shape, pattern, start)
            ]
            assert found == []
    if not name_search()(text.lower()):
        assert list(named_secrets(text, text.lower())) == []
    if not command_search()(text.lower()):
        assert list(handed_over(text, text.lower())) == []


@pytest.mark.parametrize("value", ["k9Qz7pLmW3xTv8Rb", "hunter22"])
@pytest.mark.parametrize("first", ["", "9", *string.punctuation])
def test_the_quick_look_takes_a_value_that_begins_with_any_mark(first: str, value: str) -> None:
    fields = ("password", "api_key", "token", "authorization", "cookie", "pwd", "x-api-key")
    for field in fields:
        secret = f"{first}{value}"
        told = (
            {field: secret},
            {field: [secret]},
            f"{field}={secret}",
            f"{field}: {secret}",
            f"--{field} {secret}",
        )
        for text in (json.dumps(each) for each in told):
            lowered = text.lower()
            assert name_search()(lowered) or list(named_secrets(text, lowered)) == []


MEGABYTES = 10 if os.environ.get("ASSAY_SLOW") else 1
HOSTILE = {
    "backslashes": "\\" * 2000,
    "quotes": '\\"password\\":\\"',
    "open quotes": "password:'the ",
    "names": "password=",
    "equal signs": "token==========",
    "jwt": "-eyJ",
    "jwt with dots": "eyJaaaaaaaaaa.eyJ",
    "key": "-----BEGIN RSA PRIVATE KEY-----\\n",
    "dashes": "-----BEGIN ",
    "at signs": "a@a.",
    "url": "://a:",
    "sk": "sk-",
    "bearer": "Bearer aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "one long word": "a",
    "spaces": "password" + " " * 200,
    "addresses": "?key=aaaa&token=",
    "headers": "authorization: bearer aaaaaa ",
    "telling names": 'api_key: \\"aaaa ',
    "names in words": "api key: aaaa ",
    "items of a list": "- password: ab ",
    "commands": "curl -u a:b ",
    "commands without an end": "mysql",
    "flags": " -uuuuuu",
    "hosts": "machine a.a.a.a.a.a.a login a password ",
    "boxes": 'password\\",\\"ref\\":\\"a\\",',
    "types": "password: a|a|a|a|a ",
    "values": "password value= ",
    "attributes": "password=a.a.a.a.a.a.a.a.a ",
    "descriptions": "password is a1-a1-a1-a1-a1-a1 ",
    "tests": "PASS: a.a-a.a-a ",
    "users": "create user identified by a set password = ",
    "grants": "grant a on a to a identified by ",
}


@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_takes_no_longer_than_its_length(pattern: str) -> None:
    real = BY_SHAPE["github"]
    body = pattern * (MEGABYTES * 1_000_000 // len(pattern))
    text = f'["{real[0].format(real[1])} {body}", "password: hunter2"]'
    began = time.process_time()
    found, count = redacted(text, emails=True)
    # A busy machine takes two seconds; what grows with the square would take hours.
    assert time.process_time() - began < 10 * MEGABYTES
    assert count >= 1
    assert real[1] not in found
