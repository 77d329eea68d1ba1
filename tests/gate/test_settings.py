"""Settings: where they are found, what is refused and how, and the schema that is published."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from assay.errors import InvalidSettings
from assay.gate import find_settings, read_settings, schema_text, settings_schema
from assay.gate.settings import CheckSettings, GateSettings, Settings

PROJECT = Path(__file__).resolve().parents[2]
PUBLISHED = PROJECT / "docs" / "reference" / "assay.schema.json"
WHOLE = """
store: runs.assay
judge: {model: "openai:gpt-5", runs: 3}
gate:
  baseline: baseline.json
  level: 0.9
  bound: value
  undecided: pass
  min_tasks: 10
  max_missing: 0
  missing_tasks: ignore
  checks:
    success: {min: 0.6, margin: 0.1}
    pass^3: {min: 0.2, min_tasks: 3}
    cost_usd: {max: 0.5, margin: 10%, bound: interval, undecided: insufficient, max_missing: 1}
"""


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "assay.yaml").write_text(WHOLE)
    found = find_settings(tmp_path)
    assert found.settings == Settings(
        store="runs.assay",
        judge={"model": "openai:gpt-5", "runs": 3},
        gate=GateSettings(
            baseline="baseline.json",
            level=0.9,
            bound="value",
            undecided="pass",
            min_tasks=10,
            max_missing=0,
            missing_tasks="ignore",
            checks={
                "success": CheckSettings(min=0.6, margin=0.1),
                "pass^3": CheckSettings(min=0.2, min_tasks=3),
                "cost_usd": CheckSettings(
                    max=0.5,
                    margin="10%",
                    bound="interval",
                    undecided="insufficient",
                    max_missing=1,
                ),
            },
        ),
    )
    assert found.place("runs.assay") == tmp_path / "runs.assay"


def test_pyproject_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.assay]\nstore = "r"\njudge = "evidence"\n'
        "[tool.assay.gate.checks]\nsuccess = {min = 0.6}\n"
        '"pass^3" = {min = 0.2}\n'
    )
    found = find_settings(tmp_path).settings
    assert (found.store, found.judge) == ("r", "evidence")
    assert found.gate.checks == {
        "success": CheckSettings(min=0.6),
        "pass^3": CheckSettings(min=0.2),
    }


def test_a_file_of_its_own_wins_over_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.assay]\nstore = "toml"\n')
    (tmp_path / "assay.yml").write_text("store: yml\n")
    assert find_settings(tmp_path).settings.store == "yml"
    (tmp_path / "assay.yaml").write_text("store: yaml\n")
    assert find_settings(tmp_path).settings.store == "yaml"


def test_no_settings_are_all_defaults(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert find_settings(tmp_path).settings == Settings()
    (tmp_path / "assay.yaml").write_text("# nothing yet\n")
    assert find_settings(tmp_path).settings == Settings()


WRONG = {
    "gate: {checks: {success: {mim: 1}}}": "no key gate.checks.success.mim; did you mean 'min'?",
    "gat: {}": "there is no key gat; did you mean 'gate'?",
    "gate: {zzz: 1}": "there is no key gate.zzz; known are baseline, bound, checks",
    "gate: {level: 2}": "gate.level is int 2; expected a share above 0.5 and below 1",
    "gate: {min_tasks: 0}": "gate.min_tasks is int 0; expected a whole number from 1",
    "gate: {bound: both}": "gate.bound is str 'both'; expected interval: the whole interval",
    "gate: {undecided: fail}": "gate.undecided is str 'fail'; expected what an interval",
    "gate: {missing_tasks: x}": "gate.missing_tasks is str 'x'; expected what tasks that only",
    "gate: {max_missing: 2}": "gate.max_missing is int 2; expected a share from 0 to 1",
    "gate: {checks: {success: {min: high}}}": "gate.checks.success.min is str 'high'; expected a",
    "gate: {checks: {success: {margin: -1}}}": "margin is int -1; expected a number from 0, or",
    "gate: {checks: {success: {margin: ten}}}": "margin is str 'ten'; expected a number from 0",
    "gate: {checks: {success: {}}}": "gate.checks.success limits nothing; give it min, max or",
    "gate: {checks: {success: {min: .nan}}}": "gate.checks.success.min is null; expected a number",
    "gate: {checks: {a: {min: 2, max: 1}}}": "gate.checks.a: min 2 is above max 1",
    "gate: {checks: {a: {min: 1}, a: {min: 2}}}": "line 1: 'a' is said twice; keep one",
    "gate: [1]": "gate is list [1]; expected keys and values (checks, baseline, level, bound",
    "judge: [1]": "judge is list [1]; expected the judge of metrics",
    "[1]": "all of it is list [1]; expected keys and values (store, judge, gate)",
    "1: 2": "there is no key 1; known are gate, judge, store",
    "gate: [": "while parsing a flow node",
    "a: !!python/object/apply:os.system [ls]": "could not determine a constructor for the tag",
}


@pytest.mark.parametrize("text", WRONG)
def test_an_error_names_the_key_the_value_and_what_is_allowed(text: str, tmp_path: Path) -> None:
    path = tmp_path / "assay.yaml"
    path.write_text(text)
    with pytest.raises(InvalidSettings) as raised:
        read_settings(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert WRONG[text] in str(raised.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="cannot be read: No such file"):
        read_settings(tmp_path / "none.yaml")
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool")
    with pytest.raises(InvalidSettings, match=r"pyproject\.toml: "):
        find_settings(tmp_path)
    path.write_text("[tool.other]\n")
    with pytest.raises(InvalidSettings, match="has no table"):
        read_settings(path)
    path.write_text("[tool.assay]\nstor = 1\n")
    with pytest.raises(InvalidSettings, match=r"\[tool.assay\]: there is no key stor; did you"):
        read_settings(path)


def test_the_published_schema_is_the_one_that_is_checked() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == schema_text()


def test_the_schema_is_one_and_every_key_is_described() -> None:
    jsonschema_rs.meta.validate(settings_schema())
    kinds = json.loads(schema_text())["$defs"]
    bare = [
        f"{kind}.{name}"
        for kind, said in kinds.items()
        for name, field in said["properties"].items()
        if not field.get("description")
    ]
    assert bare == []
