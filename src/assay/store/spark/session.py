"""A Spark session behind one door: how it is started, asked, interrupted and stopped.

The only importer of pyspark.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
import warnings
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING, Any, Self, TypeVar

from msgspec import Struct

from assay.errors import AssayError, DamagedStore, QueryFailed, SparkFailed
from assay.extras import require
from assay.store.spark.messages import damaged_file, start_problem, telling_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType

LOCAL = "local[*]"
EXTRA = "spark"
Item = TypeVar("Item")
Result = TypeVar("Result")

_LOCAL_MASTER = "local"
_POLL_SECONDS = 0.1
_PATIENCE_SECONDS = 10.0
_JOBS_PER_CORE = 2
# What the process is started with. Nobody is listened to, nothing is remembered, nobody is told.
_PROCESS = {
    "spark.app.name": "assay",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.artifact.isolation.enabled": "false",
    # It guesses by the size of files, which are many times smaller than their rows in memory.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}
# On one machine nobody else needs to reach it; on several the site's own settings say how.
_ALONE = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-Djava.net.preferIPv4Stack=true",
}
# What makes it answer as DuckDB does, whatever the site's own settings are.
ANSWERING = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    # Spark writes parameters into the text with backslashes, and must read them as such.
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.caseSensitive": "false",
}


class Spark:
    """A session for a `with` block: one that is running already, else one of its own.

    `master` is where it works: `local[4]` for four cores of this machine, `spark://host:7077` for
    a cluster. `settings` are Spark's own, by their names.
    """

    def __init__(self, master: str = LOCAL, *, settings: Mapping[str, str] | None = None) -> None:
        """Take where to work; nothing is started yet."""
        self.master = master
        self._settings = dict(settings or {})
        self._session: Any = None
        self._own: _Process | None = None

    def __enter__(self) -> Self:
        """Start, which takes some seconds; SparkFailed says why it cannot."""
        sql = _pyspark("pyspark.sql")
        self._session = sql.SparkSession.getActiveSession()
        if self._session is None:
            self._own = _Process(self.master, self._settings)
            self._session = self._own.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Stop what was started here; after Ctrl-C at once."""
        self._session = None
        if self._own is not None:
            self._own.stop(at_once=kind is not None and not issubclass(kind, Exception))
            self._own = None

    def session(self) -> Any:
        """A session for questions, with tables of its own."""
        if self._session is None:
            raise SparkFailed("this Spark is not running: ask it inside its `with` block")
        found = self._session.newSession()
        for name, value in ANSWERING.items():
            found.conf.set(name, value)
        if self._own is not None and self._own.is_local:
            found.conf.set("spark.sql.shuffle.partitions", str(self.partitions))
        return found

    @property
    def partitions(self) -> int:
        """Into how many parts work is cut: enough to keep all cores busy to the end."""
        return int(self._session.sparkContext.defaultParallelism) * _JOBS_PER_CORE

    def each_part(
        self, work: Callable[[Iterator[Item]], Result], items: Sequence[Item]
    ) -> Iterator[Result]:
        """Cut the items into parts, do the work on each, and yield what it returns as it ends.

        The work runs in other processes: it is a function of a module that is installed there.
        """
        parts = max(min(self.partitions, len(items)), 1)
        yield from self._results(self._session.sparkContext.parallelize(items, parts), work)

    def each_part_of_rows(
        self, work: Callable[[Iterator[Any]], Result], frame: Any
    ) -> Iterator[Result]:
        """The same for the rows of a query."""
        parts = self.partitions
        few = frame.rdd.getNumPartitions() < parts
        yield from self._results((frame.repartition(parts) if few else frame).rdd, work)

    def _results(self, rows: Any, work: Callable[[Iterator[Any]], Result]) -> Iterator[Result]:
        """What each part tells when it is done, while the main thread stays free for Ctrl-C."""
        context = self._session.sparkContext
        told = context.accumulator([], _Lists())
        job = _Job(lambda: rows.foreachPartition(_Part(work, told)))
        job.start()
        heard = 0
        try:
            while True:
                ended = job.wait(_POLL_SECONDS)
                fresh = told.value[heard:]
                heard += len(fresh)
                yield from map(_without_trouble, fresh)
                if ended:
                    break
        finally:
            if job.is_alive():
                context.cancelAllJobs()
                job.wait(_PATIENCE_SECONDS)
        with in_our_words(SparkFailed):
            job.raise_problem()


class _Trouble(Struct):
    """What one part of the work ended with, in our words."""

    message: str


class _Part:
    """The work on one part, where it is done: its result is told, and so is what went wrong."""

    def __init__(self, work: Callable[[Iterator[Any]], Any], told: Any) -> None:
        self._work, self._told = work, told

    def __call__(self, items: Iterator[Any]) -> None:
        try:
            found = self._work(items)
        except (AssayError, OSError) as exc:
            found = _Trouble(str(exc))
        self._told.add([found])


class _Lists:
    """How Spark puts together what the parts tell."""

    def zero(self, _: list[Any]) -> list[Any]:
        return []

    def addInPlace(self, told: list[Any], more: list[Any]) -> list[Any]:  # noqa: N802 - Spark's
        return told + more


class _Job(threading.Thread):
    """A job in a thread of its own; what it raises is kept."""

    def __init__(self, run: Callable[[], object]) -> None:
        super().__init__(name="assay-spark", daemon=True)
        self._run_job = run
        self._problem: BaseException | None = None

    def run(self) -> None:
        try:
            self._run_job()
        except BaseException as exc:  # noqa: BLE001 - it is raised again where results are taken
            self._problem = exc

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; whether it has ended."""
        self.join(seconds)
        return not self.is_alive()

    def raise_problem(self) -> None:
        if self._problem is not None:
            raise self._problem


def _without_trouble(found: Any) -> Any:
    if isinstance(found, _Trouble):
        raise SparkFailed(f"a part of the work could not be done: {found.message}")
    return found


class _Process:
    """The Java process that a session of our own lives in."""

    def __init__(self, master: str, settings: Mapping[str, str]) -> None:
        self._master = master
        self._settings = settings
        self.is_local = master.startswith(_LOCAL_MASTER)
        self._folder = Path(tempfile.mkdtemp(prefix="assay-spark-"))
        self._log = self._folder / "java.log"
        self._java: Any = None
        self._session: Any = None

    def start(self) -> Any:
        """The session, once it is there."""
        try:
            _check_java()
            _hush()
            with _own_ctrl_c(), _unwarned():
                self._session = self._started()
        except BaseException as exc:
            said = f"{self._log_text()}\n{exc}"
            self.stop(at_once=True)
            if isinstance(exc, spark_errors()):
                raise SparkFailed(start_problem(self._master, said)) from exc
            raise
        return self._session

    def _started(self) -> Any:
        pyspark = _pyspark("pyspark")
        configuration = pyspark.SparkConf(loadDefaults=False)
        for name, value in self._all_settings().items():
            configuration.set(name, value)
        with self._log.open("wb") as log:
            gateway = _pyspark("pyspark.java_gateway").launch_gateway(
                configuration, {"stdout": log, "stderr": log}
            )
        self._java = gateway
        context = pyspark.SparkContext(conf=configuration, gateway=gateway)
        if self.is_local and "PYSPARK_PYTHON" not in os.environ:
            context.pythonExec = sys.executable
        return _pyspark("pyspark.sql").SparkSession(context)

    def _all_settings(self) -> dict[str, str]:
        folders = {
            "spark.sql.warehouse.dir": str(self._folder / "warehouse"),
            "spark.local.dir": str(self._folder / "local"),
        }
        alone = _ALONE | folders if self.is_local else {}
        return _PROCESS | {"spark.master": self._master} | alone | ANSWERING | dict(self._settings)

    def _log_text(self) -> str:
        """What Java itself said before it gave up."""
        with suppress(OSError):
            return self._log.read_text(encoding="utf-8", errors="replace")
        return ""

    def stop(self, *, at_once: bool) -> None:
        """End the session and its process, and leave nothing behind."""
        if self._session is not None and not at_once:
            with suppress(*spark_errors()), _unwarned():
                self._session.stop()
        if self._java is not None:
            self._end_java(at_once=at_once)
        _forget()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _end_java(self, *, at_once: bool) -> None:
        process = self._java.proc
        if process is None:  # somebody else started it, and hands it on in the environment
            return
        if not at_once:
            with suppress(*spark_errors()):
                self._java.shutdown()
        if at_once:
            process.kill()
        process.stdin.close()
        try:
            process.wait(_PATIENCE_SECONDS)
        except TimeoutExpired:
            process.kill()
            process.wait()
        self._java = None


@contextmanager
def _own_ctrl_c() -> Iterator[None]:
    """Spark takes Ctrl-C for itself when it starts; it is handed back."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _hush() -> None:
    """What goes wrong is raised, in our words; Spark writes it down at length besides."""
    loggers = _pyspark("pyspark.logger").PySparkLogger
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        loggers.getLogger(name).disabled = True
    logging.getLogger().addFilter(_is_no_ctrl_c)  # once, however often it is added


def _is_no_ctrl_c(record: logging.LogRecord) -> bool:
    """Ctrl-C is told by whoever was interrupted; the way to Java writes a traceback besides."""
    return record.msg != "KeyboardInterrupt while sending command."


def _forget() -> None:
    """Let the next session start a process of its own: Spark remembers the last one."""
    pyspark, sql = _pyspark("pyspark"), _pyspark("pyspark.sql")
    context = pyspark.SparkContext
    context._active_spark_context = context._gateway = context._jvm = None  # noqa: SLF001
    sql.SparkSession._instantiatedSession = sql.SparkSession._activeSession = None  # noqa: SLF001


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if home and not (Path(home) / "bin" / "java").exists():
        raise SparkFailed(
            f"Spark needs Java, and JAVA_HOME names {home}, where there is none: mend it"
        )
    if not home and shutil.which("java") is None:
        raise SparkFailed(
            "Spark needs Java 17 or later, and there is none: install a runtime "
            "(Debian: apt-get install openjdk-17-jre-headless) or set JAVA_HOME to where it is"
        )


# Its client tells of every connection that ends with Ctrl-C, at length; what matters we say.
logging.getLogger("py4j.clientserver").setLevel(logging.CRITICAL)


def _pyspark(module: str) -> ModuleType:
    with _unwarned():
        return require(module, extra=EXTRA)


@contextmanager
def _unwarned() -> Iterator[None]:
    """Spark warns of versions of pandas, which we do not use, and of processes that were killed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def spark_errors() -> tuple[type[Exception], ...]:
    """Everything that Spark, or the way to it, raises."""
    py4j = _pyspark("py4j.protocol")
    return (_pyspark("pyspark.errors").PySparkException, py4j.Py4JError, OSError)


@contextmanager
def in_our_words(
    failed: type[AssayError] = QueryFailed, store: Path | None = None
) -> Iterator[None]:
    """Translate what Spark raises; Ctrl-C stays what it is."""
    try:
        yield
    except AssayError:
        raise
    except spark_errors() as exc:
        said = str(exc)
        file = damaged_file(said)
        if file is not None:
            hint = f". `assay doctor {store}` looks at every file" if store else ""
            raise DamagedStore(f"{file} cannot be read{hint}") from exc
        raise failed(f"Spark: {telling_line(said)}") from exc
