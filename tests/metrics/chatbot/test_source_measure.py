"""Source folders measured: counted by hand, never run."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from assay.errors import InvalidRecord
from assay.metrics.chatbot import ChatbotEvaluator, SourceMeasure, measure_source
from assay.metrics.chatbot.install_size import (
    Installed,
    _records,
    installed_for,
    package_of,
    requirements_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AGENT = '''
    """What the agent does."""
    import os
    import wanted.parts
    from tools.weather import current
    raise SystemExit("this must never run")


    def answer(question):
        """Two ifs and an and: four paths."""
        if question and os.name:
            return current(
                question,
            )
        if not question:
            return None

        def inner():  # has its own path
            return 1

        return inner()
'''
TOOL = """
    import missing

    current = missing.get
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, text in {"agent.py": AGENT, "tools/weather.py": TOOL, "broken.py": "def"}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    hidden = tmp_path / ".venv"
    hidden.mkdir()
    (hidden / "big.py").write_text("x = 1\n")
    return tmp_path


def test_counts_by_hand(source: Path) -> None:
    assert measure_source(source) == SourceMeasure(
        files=2,
        lines=16,
        functions=2,
        imports=4,
        complexity=2.5,
        most_complex=4,
        dependencies=("missing", "wanted"),
        unread=1,
        installed=None,
    )


def test_an_empty_folder_has_no_complexity(tmp_path: Path) -> None:
    nothing = Installed((), packages=0, bytes=0)
    assert measure_source(tmp_path) == SourceMeasure(0, 0, 0, 0, None, None, (), 0, nothing)


def test_a_folder_is_needed(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecord, match="expected a folder of Python source"):
        measure_source(tmp_path / "none")


def test_what_was_measured_stands_in_place_of_what_was_asserted(source: Path) -> None:
    evaluator = ChatbotEvaluator(sources={"GADK": source, "mine": source})
    # Two files, two packages, 2.5 paths a function: low, low. 1 - (0.5 - 0.2 - 0.15 - 0.15)
    assert evaluator._evaluate_implementation_effort("GADK")["score"] == 1.0
    assert evaluator._evaluate_implementation_effort("mine")["score"] == 1.0
    # What cannot be counted stays as the seed asserts it, or unknown.
    assert evaluator._evaluate_integration_simplicity("GADK")["score"] == 0.8
    assert evaluator._evaluate_integration_simplicity("mine")["applicable"] is False
    assert evaluator._evaluate_implementation_effort("GADK")["measured"] == [
        "files",
        "setup",
        "code",
    ]
    assert evaluator._evaluate_integration_simplicity("GADK")["asserted"] == [
        "tool_files",
        "memory",
    ]


# Name, what it requires, its files with their sizes.
PACKAGES = {
    "Wanted_Kit": (
        ["base>=1", 'tool[fast] ; python_version > "3"', 'never; sys_platform == "amiga"'],
        {"wanted/parts/__init__.py": "700", "wanted/parts/__pycache__/x.pyc": ""},
    ),
    "base": ([], {"base.py": "20"}),
    "tool": (['rocket; extra == "fast"', 'snail; extra == "slow"'], {"tool/__init__.py": "5"}),
    "rocket": (["wanted-kit"], {"rocket.py": "1000"}),
    "snail": ([], {"snail.py": "9"}),
    "wanted-other": ([], {"wanted/other.py": "3"}),
}


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Packages as an installer leaves them: metadata and a list of files, and no files."""
    for name, (requires, files) in PACKAGES.items():
        info = tmp_path / "site" / f"{name.lower().replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        needs = "".join(f"Requires-Dist: {line}\n" for line in requires)
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        (info / "METADATA").write_text(head + needs)
        lines = (f"{path},sha256=x,{size}\n" for path, size in files.items())
        (info / "RECORD").write_text("".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    _records.cache_clear()
    yield
    _records.cache_clear()


@pytest.mark.usefixtures("packages")
def test_what_is_needed_is_counted_once_with_all_it_needs() -> None:
    # The kit 700, base 20, tool 5, and rocket 1000 by the extra; a snail is not asked for.
    assert installed_for(["wanted.parts.inside"]) == Installed(("wanted-kit",), 4, 1725)
    assert installed_for(["base"], ["tool[slow]>=1,<2"]) == Installed(("base", "tool"), 3, 34)


@pytest.mark.usefixtures("packages")
def test_packages_under_one_roof_are_told_apart() -> None:
    assert package_of("wanted.parts") == "wanted-kit"
    assert package_of("wanted.other") == "wanted-other"
    assert package_of("wanted.elsewhere") is None


@pytest.mark.usefixtures("packages")
def test_what_is_not_installed_has_no_size() -> None:
    assert installed_for(["base", "nowhere.to.be.found"]) is None
    assert installed_for(["base"], ["never"]) is None


@pytest.mark.usefixtures("packages")
def test_an_extra_tells_what_it_brings() -> None:
    assert requirements_of("tool", "fast") == ["rocket"]
    assert requirements_of("nobody", "fast") == []


def test_modules_asked_for_by_name_are_imports(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        'import importlib\nagents = require("google.adk.agents", extra="adk")\n'
        'other = importlib.import_module("httpx")\nname = import_module(agents)\n'
        'words = require("no module at all")\n'
    )
    assert measure_source(tmp_path).dependencies == ("google", "httpx")


def test_the_package_around_a_folder_is_no_dependency(tmp_path: Path) -> None:
    inner = tmp_path / "product" / "agents"
    inner.mkdir(parents=True)
    (tmp_path / "product" / "__init__.py").touch()
    (inner / "agent.py").write_text("import product.tools\nimport agents.other\n")
    assert measure_source(inner).dependencies == ()


@pytest.mark.parametrize(
    ("framework", "simplicity"),
    [
        ("GADK", 0.8),
        ("adk", 0.8),
        ("weather-adk=some-model", 0.8),
        ("google-adk", 0.8),
        ("MS", 0.7),
        ("agent-framework=some-model", 0.7),
        ("weather-agent-framework", 0.7),
    ],
)
def test_adapters_have_the_seeds_traits_where_the_source_does_not_tell(
    framework: str, simplicity: float, source: Path
) -> None:
    evaluator = ChatbotEvaluator(sources={framework: source})
    found = evaluator._evaluate_integration_simplicity(framework)
    assert found["score"] == simplicity
    assert found["details"].endswith("(asserted)")
    effort = evaluator._evaluate_implementation_effort(framework)
    assert effort["counted"]["lines"] == 16
    assert "counted: 16 lines, 2.5 paths each" in effort["details"]
