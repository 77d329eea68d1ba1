"""The analyses: a list of questions, and the answer to each as chart, table and CSV."""

from __future__ import annotations

import inspect
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.routing import Route

from assay.analyses import ANALYSES, analysis_named
from assay.analyses.report import Answered, Section
from assay.analyses.selection import RULES
from assay.errors import InvalidSettings, UnknownName
from assay.render.analysis_files import write_answers
from assay.render.pages.analyses_view import MOST_ROWS, Ask, analysis_page, entries, read_analysis
from assay.web.pages import answer
from assay.web.waiting import answers_of, figures_page, found_or_waiting

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from assay.analyses import Analysis, Parameter

# What the address calls a filter to the name that analyses know it by.
FILTERS = {
    "model": "models",
    "judge": "judges",
    "attempt": "attempts",
    "task": "tasks",
    "server": "servers",
    "tool": "tools",
    "experiment": "experiments",
}
# Parameters that name files of the machine are for the command line alone.
_NOT_HERE = frozenset({"labels"})
_LONGEST = 500
_MOST_VALUES = 50


def analyses_page(request: Request) -> Response:
    """The list of questions."""
    return answer(request, "analyses.html", "Analyses", entries=entries())


def analysis_page_of(request: Request) -> Response:
    """One answer; its address says how it is asked."""
    analysis = analysis_named(request.path_params["name"])
    asked = _asked(request, analysis)
    rows = found_or_waiting(request, "Analyses", read_analysis, asked)
    if isinstance(rows, Response):
        return rows
    return figures_page(
        request,
        "analysis.html",
        "Analyses",
        view=analysis_page(analysis.name, rows),
        asked=asked,
        parameters=[found for found in analysis.parameters if found.name not in _NOT_HERE],
        given=dict(asked.parameters),
        filters=FILTERS,
        filtered=dict(asked.filters),
        rules=RULES,
        query=request.url.query,
        names=list(ANALYSES),
        most_rows=MOST_ROWS,
    )


def analysis_csv(request: Request) -> Response:
    """All rows, as `assay analyze NAME -o FILE.csv` writes them."""
    analysis = analysis_named(request.path_params["name"])
    asked = _asked(request, analysis)
    rows = answers_of(request.app).wait(read_analysis, asked)
    section = Section(analysis.name, analysis.name, analysis.title)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write_answers(path, [Answered(section, analysis, rows)], {})
        content = path.read_bytes()
    headers = {"content-disposition": f'attachment; filename="{analysis.name}.csv"'}
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)


def _asked(request: Request, analysis: Analysis) -> Ask:
    given = request.query_params
    hints = inspect.signature(analysis.ask).parameters
    parameters = [
        (found.name, _value(found, str(hints[found.name].annotation), text))
        for found in analysis.parameters
        if found.name not in _NOT_HERE and (text := given.get(f"p-{found.name}", "").strip())
    ]
    filters = []
    for name, known_as in FILTERS.items():
        texts = [text.strip()[:_LONGEST] for text in given.getlist(name)[:_MOST_VALUES]]
        if values := tuple(text for text in texts if text):
            filters.append((known_as, values))
    rules = given.get("rules") or RULES[0]
    if rules not in RULES:
        raise UnknownName("set of rules", rules, RULES)
    return Ask(analysis.name, tuple(parameters), tuple(filters), rules)


_KINDS: dict[str, type] = {"int": int, "float": float}


def _value(parameter: Parameter, hint: str, text: str) -> Any:
    """The value that a text of the address means."""
    if parameter.choices:
        if text not in parameter.choices:
            raise UnknownName(parameter.name, text, parameter.choices)
        return text
    kind = _KINDS.get(hint.partition("|")[0].strip(), str)
    if parameter.default is not None:
        kind = type(parameter.default)
    try:
        return kind(text)
    except ValueError:
        raise InvalidSettings(f"{parameter.name}: expected a number, got {text!r}") from None


ROUTES: tuple[BaseRoute, ...] = (
    Route("/analyses", analyses_page),
    Route("/analyses/{name}.csv", analysis_csv),
    Route("/analyses/{name}", analysis_page_of),
)
