"""`assay plot`: the chart of each analysis says what its rows say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from tests.analyses.worked import a_run, bad, ok, store_of
from tests.command_line import Assay, in_this_process

from assay import RunOutcome, Store
from assay.analyses import ANALYSES, opened
from assay.evaluation import RecordedEvaluation
from assay.render.charts.drawings import DRAWINGS
from assay.render.charts.marks import marks_of
from assay.render.charts.vega import vega_lite

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<script>alert(1)</script>\u202e'];x"


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assay:
    """Run the command line as a user would."""
    return in_this_process(monkeypatch, capsys)


def _evaluation(model: str, task: str, judge: str, score: float) -> RecordedEvaluation:
    return RecordedEvaluation(
        task_id=task,
        model=model,
        judge=judge,
        attempt=1,
        final_answer_score=score,
        average_step_score=score / 2,
        real_tools=1,
        total_steps=2,
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Two models, three tasks, two attempts, two judges; every analysis has something to say."""
    runs = [
        a_run(
            model,
            f"t{task}",
            bad("find", "504 timeout"),
            ok("find") if task else bad(HOSTILE, "404 not found"),
            ok("read"),
            attempt=attempt,
            outcome=RunOutcome(success=task + attempt > 2, score=0.5 * task),
        )
        for model in ("ada", "bob")
        for task in range(3)
        for attempt in (1, 2)
    ]
    found = store_of(tmp_path_factory.mktemp("plots"), runs)
    with found.writer() as writer:
        for model in ("ada", "bob"):
            for task in range(3):
                for judge, shift in (("j1", 0.0), ("j2", 0.2)):
                    score = 0.2 * task + shift + (0.1 if model == "ada" else 0.0)
                    writer.add_evaluation(_evaluation(model, f"t{task}", judge, score))
    return found


@pytest.mark.parametrize("name", ANALYSES)
def test_every_analysis_has_a_chart_of_its_own_columns(name: str) -> None:
    drawing, analysis = DRAWINGS[name], ANALYSES[name]
    columns = {column.name for column in analysis.columns}
    assert set(drawing.values) <= columns
    fields = {*drawing.labels, *(drawing.span or ()), *([drawing.panel] if drawing.panel else [])}
    assert fields <= set(analysis.row.__struct_fields__)


@pytest.mark.parametrize("name", ANALYSES)
def test_a_chart_shows_the_rows_that_have_a_value(name: str, store: Store) -> None:
    import altair as alt  # noqa: PLC0415 - an optional part

    analysis = ANALYSES[name]
    rows = analysis.answer(store)
    marks = marks_of(analysis, rows, top=1_000)
    assert rows
    if marks.drawing.mark == "stack":
        told = {name: [getattr(row, name) for row in rows] for name in marks.drawing.values}
        expected = [value for values in zip(*told.values(), strict=True) for value in values]
    else:
        expected = [getattr(row, marks.column.name) for row in rows]
    assert [datum["value"] for datum in marks.data] == [v for v in expected if v is not None]
    assert len(rows) == marks.rows + marks.without_value
    if marks.data:
        alt.Chart.from_dict(vega_lite(marks))


def test_points_and_intervals_are_drawn_once_each(store: Store, tmp_path: Path, assay: Any) -> None:
    target = tmp_path / "new folder" / "tools.svg"
    assert assay("plot", "tools", store.path, "-o", target).code == 0
    picture = ET.parse(target).getroot()
    rows = ANALYSES["tools"].answer(store)
    told = [row for row in rows if getattr(row, "success_rate_low") is not None]  # noqa: B009
    classes = {
        name: sum(
            len(list(group))
            for group in picture.iter("{http://www.w3.org/2000/svg}g")
            if f"mark-{name} role-mark" in (group.get("class") or "")
        )
        for name in ("symbol", "rule")
    }
    assert classes == {"symbol": len(rows), "rule": len(told)}


def test_hostile_names_are_text(store: Store, tmp_path: Path, assay: Any) -> None:
    target = tmp_path / "tools.svg"
    assert assay("plot", "tools", store.path, "-o", target).code == 0
    text = target.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "\u202e" not in text
    shown = "".join(ET.fromstring(text).itertext())
    assert "<script>alert(1)</script>⟨U+202E⟩" in shown


def test_vega_lite_has_its_data_inside_and_names_no_address(
    store: Store, tmp_path: Path, assay: Any
) -> None:
    target = tmp_path / "models.vl.json"
    assert assay("plot", "summary", store.path, "-o", target, "--model", "ada").code == 0
    text = target.read_text(encoding="utf-8")
    document = json.loads(text)
    with opened(store, {"models": ["ada"]}) as view:
        rows = ANALYSES["summary"].answer(view)
    assert [datum["value"] for datum in document["data"]["values"]] == [
        rate
        for row in rows
        if (rate := getattr(row, "success_rate")) is not None  # noqa: B009
    ]
    assert "://" not in text


def test_png_and_the_options_of_the_analysis(store: Store, tmp_path: Path, assay: Any) -> None:
    picture, data = tmp_path / "t.png", tmp_path / "t.vl.json"
    done = assay("plot", "tools", store.path, "--by", "model", "-o", picture, "-o", data)
    assert done.code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    labels = [datum["label"] for datum in json.loads(data.read_text())["data"]["values"]]
    assert sorted(labels) == ["ada", "bob"]


def test_what_is_left_out_is_said(store: Store) -> None:
    analysis = ANALYSES["tools"]
    rows = analysis.answer(store)
    marks = marks_of(analysis, rows, top=2)
    assert marks.drawn == 2
    assert "The first 2 of 3 rows." in vega_lite(marks)["title"]["subtitle"]


def test_rows_of_one_name_do_not_cover_each_other(store: Store) -> None:
    analysis = ANALYSES["tools"]
    rows = [*analysis.answer(store)] * 2
    labels = [datum["label"] for datum in marks_of(analysis, rows, top=9).data]
    assert len(set(labels)) == len(labels) == 6


def test_wrong_usage_and_nothing_to_draw(tmp_path: Path, store: Store, assay: Any) -> None:
    empty = Store.create(tmp_path / "empty.assay")
    done = assay("plot", "tools", empty.path, "-o", tmp_path / "t.svg")
    assert (done.code, "nothing to draw" in done.err) == (3, True)
    assert not (tmp_path / "t.svg").exists()
    done = assay("plot", "tools", store.path, "-o", tmp_path / "t.gif")
    assert (done.code, ".svg" in done.err) == (2, True)
    done = assay("plot", "tols", store.path, "-o", tmp_path / "t.svg")
    assert (done.code, "Did you mean 'tools'" in done.err) == (2, True)


def test_the_list_names_every_analysis(assay: Any) -> None:
    done = assay("plot", "--list")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == list(ANALYSES)
