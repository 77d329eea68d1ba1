"""`assay report`: a store in one file to send to somebody."""

from __future__ import annotations

import shlex
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from assay.cli.console import Terminal
from assay.cli.output_places import outside_stores
from assay.cli.progress import ReadingProgress
from assay.cli.stores import StoreArgument, interruptible
from assay.render.output_files import by_suffix, write_bytes
from assay.render.pages.environment import Language
from assay.render.report.contents import Contents, Wanted, gather, steps_of
from assay.render.report.markdown import report_markdown
from assay.render.report.masking import Mask
from assay.render.report.page import report_html
from assay.render.report.pdf import browser, report_pdf

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EPILOG = """
\b
Examples:
  assay report runs.assay
  assay report runs.assay -o report.html -o report.md
  assay report runs.assay -o w12.pdf --title "Week 12" --compare gpt-5 grok4
  assay report runs.assay -o report-zh.html --lang zh

The HTML file opens from disk, offline, on a phone, and prints. PDF needs Chromium on the machine.
Exit codes: 0 ok, 2 wrong usage, 3 interrupted.
"""
_DEFAULT = Path("report.html")


def report(
    store: StoreArgument,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            callback=outside_stores,
            help="Repeatable: .html, .md or .pdf (report.html).",
        ),
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Two models, or sides as `assay compare` takes them."),
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="What stands above it all.")] = "",
    runs: Annotated[
        int, typer.Option(min=0, metavar="N", help="So many runs are shown whole.")
    ] = 20,
    lang: Annotated[
        Language,
        typer.Option(help="The language of our words; what agents said stays as it is."),
    ] = "en",
) -> None:
    """Write a store into one file. Who leads, what fails, the runs that tell most, all figures."""
    outputs = output or [_DEFAULT]
    writers = [(path, by_suffix(path, OUTPUTS)) for path in outputs]
    if any(path.suffix.lower() == ".pdf" for path in outputs):
        browser()
    wanted = Wanted("", title, runs, compare or None, lang)
    wanted = replace(wanted, command=_command(store, outputs, wanted))
    messages = Terminal(stderr=True)
    with interruptible("nothing was written"):
        contents, mask = _gathered(store, wanted, messages)
        for path, write in writers:
            data = write(contents, mask)
            write_bytes(path, data)
            messages.tell(f"written: {path} ({len(data) / 1000:,.0f} kB)")


def _gathered(store: Path, wanted: Wanted, messages: Terminal) -> tuple[Contents, Mask]:
    pooled = import_module("assay.store").PooledStore(store)
    mask = Mask()
    total = steps_of(wanted)
    with ReadingProgress(messages, total, shown=True, things="parts") as progress:

        def tell() -> None:
            progress.read(1)
            progress.done()

        return gather(pooled, wanted, mask, tell), mask


def _command(store: Path, outputs: Sequence[Path], wanted: Wanted) -> str:
    """The line that makes the same report again."""
    usual = Wanted("")
    words = ["assay", "report", str(store)]
    words += [word for path in outputs for word in ("-o", str(path))]
    words += ["--compare", *wanted.compare] if wanted.compare else []
    words += ["--title", wanted.title] if wanted.title else []
    words += ["--runs", str(wanted.runs)] if wanted.runs != usual.runs else []
    words += ["--lang", wanted.language] if wanted.language != usual.language else []
    return shlex.join(words)


def _html(contents: Contents, mask: Mask) -> bytes:
    return report_html(contents, mask).encode()


def _markdown(contents: Contents, mask: Mask) -> bytes:
    return report_markdown(contents, mask).encode()


def _pdf(contents: Contents, mask: Mask) -> bytes:
    return report_pdf(report_html(contents, mask))


OUTPUTS: dict[str, Callable[[Contents, Mask], bytes]] = {
    ".html": _html,
    ".md": _markdown,
    ".pdf": _pdf,
}
