"""All pages together: each can be found, every link leads somewhere, and every page is run."""

from __future__ import annotations

import re

from tests.docs import test_analyses_and_formats, test_how_to, test_other_pages, test_reference
from tests.docs.pages import PAGES, PROJECT

from assay.cli import COMMANDS
from assay.readers import format_names


def test_every_page_is_run() -> None:
    sections = (test_analyses_and_formats, test_how_to, test_other_pages, test_reference)
    run = [page for section in sections for page in section.PAGES]
    assert sorted(run) == sorted(PAGES)


def test_every_link_leads_somewhere() -> None:
    broken = [
        f"{page.relative_to(PROJECT)}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_page_can_be_found() -> None:
    index = (PROJECT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = [p.relative_to(PROJECT / "docs").as_posix() for p in PAGES[1:]]
    lost = [p for p in pages if p != "index.md" and "decisions/" not in p and p not in index]
    assert lost == []


def test_the_formats_are_counted_as_they_are() -> None:
    changes = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"in {len(format_names())} formats" in changes
    # README names ten of them; how many more there are it says in tens.
    named = 10
    tens = {30: "thirty", 40: "forty", 50: "fifty", 60: "sixty"}
    word = tens[(len(format_names()) - named) // 10 * 10]
    assert f"over {word} more formats" in (PROJECT / "README.md").read_text(encoding="utf-8")


def test_settings_name_only_commands_there_are() -> None:
    settings = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    named = set(re.findall(r"`assay (\w+)", settings))
    assert named <= set(COMMANDS)
    assert "arena" in named
