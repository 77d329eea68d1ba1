"""A report on paper, printed by the browser that the machine has."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from assay.errors import BrowserFailed

_BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "brave-browser"),
)
_FLAGS = (
    *("--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-extensions"),
    *("--no-pdf-header-footer", "--host-resolver-rules=MAP * ~NOTFOUND"),
)
_PATIENCE_SECONDS = 180


def browser() -> str:
    """The browser of this machine; an error that says what is looked for if there is none."""
    found = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        raise BrowserFailed(
            "A PDF is printed by Chromium or a relative of it, and there is none here: install "
            f"one of {', '.join(_BROWSERS)}, or print the HTML report from any browser"
        )
    return found


def report_pdf(html: str) -> bytes:
    """The report as PDF; the browser asks nobody, and leaves nothing behind."""
    program = browser()
    with tempfile.TemporaryDirectory(prefix="assay-") as name:
        folder = Path(name)
        page, paper = folder / "report.html", folder / "report.pdf"
        page.write_text(html, encoding="utf-8")
        command = [program, *_FLAGS, f"--user-data-dir={folder / 'profile'}"]
        # The browser's own sandbox does not start as root, as in a container.
        command += ["--no-sandbox"] if os.geteuid() == 0 else []
        command += [f"--print-to-pdf={paper}", page.as_uri()]
        return _printed(command, paper)


def _printed(command: list[str], paper: Path) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - our own words and a browser found by its name
            command, capture_output=True, text=True, timeout=_PATIENCE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise BrowserFailed(f"{command[0]} did not print the report: {exc}") from exc
    if not paper.exists():
        said = done.stderr.strip().splitlines()
        last = said[-1] if said else "it said nothing"
        raise BrowserFailed(f"{command[0]} did not print the report: {last}")
    return paper.read_bytes()
