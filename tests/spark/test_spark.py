"""A real Spark on this machine answers, imports and scores as DuckDB and the plain import do."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from tests.conftest import shared_path, unpacked_ds200
from tests.spark.odd_runs import odd_runs, odd_store
from tests.spark.quick import JAVA, ROOM, SETTINGS, quick_environment

from assay import Store
from assay.analyses import ANALYSES, errors, opened, queries, retry, tools, weighted
from assay.analyses.questions.exports import EXPORTED_EVALUATIONS, EXPORTED_SUMMARIES
from assay.analyses.selection import RULES
from assay.cli import main
from assay.errors import DamagedStore, QueryFailed, SparkFailed
from assay.importing import ImportSettings, import_runs
from assay.importing.on_spark import import_on_spark
from assay.metrics.tool_use import ToolUseMetric
from assay.scoring.on_spark import MetricJob, score_on_spark
from assay.store import Settings
from assay.store.spark import Spark, SparkStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from msgspec import Struct

    from assay.analyses import Analysis, View

PROJECT = Path(__file__).resolve().parents[2]
SAMPLES = PROJECT / "examples" / "runs"
SAMPLE_COUNT = len(list(SAMPLES.glob("*.json")))
CLOSE = 1e-9

pytestmark = [
    pytest.mark.timeout(900),  # where others work beside it, a Java takes minutes to start
    pytest.mark.skipif(find_spec("pyspark") is None, reason="needs the extra assay[spark]"),
    pytest.mark.skipif(shutil.which("java") is None, reason="needs a Java runtime, 17 or later"),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Spark]:
    quick = SETTINGS | {"spark.driver.extraJavaOptions": f"{JAVA} {ROOM}"}
    with Spark("local[2]", settings=quick) as found:
        yield found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The odd store, the samples, and the reference's data where it is at hand."""
    folder = tmp_path_factory.mktemp("spark")
    found = odd_store(folder)
    sources = [str(SAMPLES)]
    try:
        shared_path("oracle", "toolgym", "ds200.tar.gz")
    except pytest.skip.Exception:
        pass
    else:
        dataset = unpacked_ds200(tmp_path_factory)
        sources += [str(dataset / name) for name in ("trajectories", "evaluation")]
    import_runs(sources, ImportSettings(str(found.path)), jobs=1)
    return found


@pytest.fixture(scope="module")
def views(store: Store, spark: Spark) -> Iterator[dict[tuple[str, str], View]]:
    """A view for each engine and set of rules."""
    with ExitStack() as stack:
        sources = {"duckdb": store, "spark": SparkStore(store.path, spark)}
        yield {
            (engine, rules): stack.enter_context(opened(source, {"rules": rules}))
            for engine, source in sources.items()
            for rules in RULES
        }


def assert_equal(found: Sequence[Struct], expected: Sequence[Struct]) -> None:
    """Equal to the last digit, but for numbers that are sums in some order."""
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        for name in theirs.__struct_fields__:
            value, other = getattr(mine, name), getattr(theirs, name)
            assert type(value) is type(other), name
            if isinstance(other, float):
                other = pytest.approx(other, rel=CLOSE, abs=CLOSE)
            assert value == other, f"{name} of {theirs}"


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", ANALYSES)
def test_every_analysis(name: str, rules: str, views: dict[tuple[str, str], View]) -> None:
    analysis = ANALYSES[name]
    expected = analysis.answer(views["duckdb", rules])
    assert_equal(analysis.answer(views["spark", rules]), expected)
    assert expected or (name, rules) == ("passes", "seed")


@pytest.mark.parametrize("analysis", [EXPORTED_EVALUATIONS, EXPORTED_SUMMARIES], ids=["e", "s"])
def test_the_exports(analysis: Analysis, views: dict[tuple[str, str], View]) -> None:
    assert_equal(analysis.answer(views["spark", "seed"]), analysis.answer(views["duckdb", "seed"]))


@pytest.mark.parametrize(
    ("ask", "asked"),
    [
        (tools, {"by": "model-tool", "order": "success_rate"}),
        (errors, {"by": "model"}),
        (retry, {"by": "kind"}),
        (weighted, {"by": "judge", "fa_weight": 0.3}),
        (queries, {"order": "models-disagree"}),
    ],
)
def test_what_is_asked_differently(
    ask: Any, asked: dict[str, Any], views: dict[tuple[str, str], View]
) -> None:
    known = {p.name: p for p in ANALYSES[ask.__name__].parameters}
    for name, value in asked.items():
        assert not known[name].choices or value in known[name].choices
    expected = ask(views["duckdb", "assay"], **asked)
    assert expected
    assert_equal(ask(views["spark", "assay"], **asked), expected)


@pytest.mark.parametrize(
    "filters",
    [
        {"models": ["ANN", "ωmega 'X' \\n"], "attempts": [1]},
        {"servers": ["s", ""], "tools": ["LOOK"]},
        {"tasks": ["T1", "täsk\t3"], "experiments": ["react"]},
    ],
    ids=["models", "calls", "tasks"],
)
def test_filters_leave_the_same_rows_on_both_engines(
    filters: dict[str, Any], store: Store, spark: Spark
) -> None:
    other = SparkStore(store.path, spark)
    assert_equal(tools(other, **filters), tools(store, **filters))
    assert_equal(weighted(other, **filters), weighted(store, **filters))


def test_only_visible_batches_are_read(tmp_path: Path, spark: Spark) -> None:
    """A batch that compaction replaced may still lie there while somebody reads."""
    whole = odd_store(tmp_path)
    before = tmp_path / "before"
    shutil.copytree(whole.path / "batches", before)
    whole.compact()
    shutil.copytree(before, whole.path / "batches", dirs_exist_ok=True)
    other = SparkStore(whole.path, spark)
    assert len(list((whole.path / "batches").iterdir())) == 4
    assert_equal(tools(other), tools(whole))
    assert sum(row.calls for row in tools(other)) == sum(len(run.calls) for run in odd_runs())


def test_columns_that_an_older_batch_has_not(tmp_path: Path, spark: Spark) -> None:
    old = odd_store(tmp_path)
    file = next((old.path / "batches").glob("*/calls.parquet"))
    with duckdb.connect() as engine:
        rows = engine.from_parquet(str(file).replace("[", "[[]").replace("*", "[*]"))
        rows.project("* EXCLUDE (seed_category, execution_time)").write_parquet(str(file))
    assert_equal(tools(SparkStore(old.path, spark)), tools(old))


def test_a_damaged_file_is_named(tmp_path: Path, spark: Spark) -> None:
    broken = odd_store(tmp_path)
    file = next((broken.path / "batches").glob("*/calls.parquet"))
    file.write_bytes(b"PAR1 no more")
    with pytest.raises(DamagedStore, match=r"calls\.parquet cannot be read\. `assay doctor"):
        tools(SparkStore(broken.path, spark))


def test_a_refused_question_is_ours(store: Store, spark: Spark) -> None:
    with SparkStore(store.path, spark).questions() as engine:
        assert engine.sql("SELECT $a AS a, '$a' AS text", a=None) == [{"a": None, "text": "$a"}]
        for hostile in (
            "it's",
            "\\'",
            "\\\\' OR 1 = 1 --",
            '"',
            "\\n",
            "\n",
            ":a",
            "$a",
            "\u0000x",
        ):
            assert engine.sql("SELECT $a AS a", a=hostile) == [{"a": hostile}]
    with (
        pytest.raises(QueryFailed, match=r"Spark: .*nothing"),
        SparkStore(store.path, spark).questions() as engine,
    ):
        engine.sql("SELECT nothing FROM stored_runs")


def everything(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables that an import writes, whatever their order."""
    tables = ("runs", "calls", "cases", "evaluations", "summaries")
    return {
        table: sorted((tuple(row.values()) for row in store.rows(table)), key=repr)
        for table in tables
    }


def test_an_import(tmp_path: Path, spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rows and the same report as the plain import, and nothing more the second time."""
    shutil.copytree(SAMPLES, tmp_path / "runs")
    for number in range(200):
        (tmp_path / "runs" / f"broken-{number}.json").write_text("{")
    monkeypatch.chdir(tmp_path)
    plain = import_runs(["runs"], ImportSettings("plain.assay"), jobs=1)
    report = import_on_spark(["runs"], ImportSettings("spark.assay"), spark)
    assert (report.added, report.problem_count) == (SAMPLE_COUNT, 200)
    report.problems.sort(key=str)
    plain.problems.sort(key=str)
    assert report == plain
    assert everything(Store("spark.assay")) == everything(Store("plain.assay"))
    again = import_on_spark(["runs"], ImportSettings("spark.assay"), spark)
    assert (again.added, again.known_already) == (0, report.added)
    assert everything(Store("spark.assay")) == everything(Store("plain.assay"))


def test_an_import_into_what_is_no_store(tmp_path: Path, spark: Spark) -> None:
    with pytest.raises(SparkFailed, match="standard input"):
        import_on_spark(["-"], ImportSettings(str(tmp_path / "new.assay")), spark)


def test_a_metric_scores_every_run_once(tmp_path: Path, spark: Spark) -> None:
    """Every run gets its score once; the score is the one that the metric gives here."""
    scored = Store.create(tmp_path / "scored.assay")
    import_runs([str(SAMPLES)], ImportSettings(str(scored.path)), jobs=1)
    job = MetricJob(ToolUseMetric(), Settings("tool_use"))
    on_spark = SparkStore(scored.path, spark)
    runs = len(list(scored.cases()))
    assert score_on_spark(on_spark, spark, job).scored == runs
    assert score_on_spark(on_spark, spark, job).scored == 0
    found = {key: scores for key, _, scores in scored.scored_cases([job.settings.key])}
    expected = {
        key: {job.settings.key: asyncio.run(ToolUseMetric().evaluate(case))}
        for key, case in scored.keyed_cases()
    }
    assert found == expected
    assert score_on_spark(on_spark, spark, job, again=True).scored == runs
    with on_spark.questions() as engine:
        shown = engine.sql("SELECT COUNT(*) AS n FROM stored_scores WHERE path = name")
        written = engine.sql("SELECT COUNT(*) AS n FROM recorded_scores WHERE path = name")
    assert (shown, written) == ([{"n": runs}], [{"n": 2 * runs}])


def test_trouble_of_one_part_is_told(spark: Spark) -> None:
    with pytest.raises(SparkFailed, match=r"a part of the work could not be done: .*No such file"):
        list(spark.each_part(_read_all, ["/no/such/file"]))
    with pytest.raises(SparkFailed, match="ZeroDivisionError"):
        list(spark.each_part(_divide_all, [0]))


def _read_all(files: Iterator[str]) -> int:
    return sum(len(Path(file).read_bytes()) for file in files)


def _divide_all(numbers: Iterator[int]) -> float:
    return sum(1 / number for number in numbers)


def assay(*words: str, cwd: Path | None = None, environment: dict[str, str] | None = None) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "assay", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=os.environ | (environment or {}),
    )


def test_a_command_starts_and_ends_a_spark_of_its_own(tmp_path: Path) -> None:
    """Nothing is said but what was done, and nothing is left behind."""
    quick = quick_environment(tmp_path / "quick")
    folder = tmp_path / "here"
    folder.mkdir()
    shutil.copytree(SAMPLES, folder / "runs")
    words = ("import", "runs", "--store", "runs.assay", "--engine", "spark", "--master", "local[2]")
    imported = assay(*words, cwd=folder, environment=quick)
    assert (imported.returncode, imported.stderr) == (0, "")
    assert imported.stdout.startswith(f"{SAMPLE_COUNT} runs added to runs.assay")
    assert sorted(path.name for path in folder.iterdir()) == ["runs", "runs.assay"]


@pytest.mark.usefixtures("spark")
def test_a_command_uses_a_spark_that_is_running(
    store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for engine in ("spark", "duckdb"):
        words = ["assay", "analyze", "servers", str(store.path), "--json", "--engine", engine]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0
        found.append(capsys.readouterr())
    assert found[0] == found[1]
    assert '"server":' in found[0].out


@pytest.mark.parametrize(
    ("master", "environment", "message"),
    [
        ("nonsense", {}, "there is no such master: name local"),
        ("local[*]", {"JAVA_HOME": "/no/java"}, "JAVA_HOME names /no/java, where there is none"),
        ("local[*]", {"PATH": "/nowhere", "JAVA_HOME": ""}, "Spark needs Java 17 or later"),
    ],
    ids=["master", "home", "path"],
)
def test_what_cannot_start(
    master: str, environment: dict[str, str], message: str, tmp_path: Path
) -> None:
    odd = odd_store(tmp_path)
    words = ("analyze", "tools", str(odd.path), "--engine", "spark", "--master", master)
    done = assay(*words, environment=environment)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    odd = odd_store(tmp_path)
    words = ["analyze", "efficiency", str(odd.path), "--engine", "spark", "--master", "local[2]"]
    with subprocess.Popen(
        [sys.executable, "-m", "assay", *words],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)} | quick_environment(tmp_path / "quick"),
    ) as process:
        while not list(tmp_path.glob("assay-spark-*/local/*")):
            assert process.poll() is None
            threading.Event().wait(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (3, "Interrupted: nothing was written\n")
    assert list(tmp_path.glob("assay-spark-*")) == []
