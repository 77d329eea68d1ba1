"""Marks as a Vega-Lite document, in the house's colours; nothing in it is fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.records import counted

if TYPE_CHECKING:
    from assay.analyses.analysis import ColumnKind
    from assay.render.charts.marks import Marks

_INK, _MUTED, _LINE, _GROUND = "#1E1B16", "#625C50", "#E4DFD4", "#FFFFFF"
# In the order of the parts of a stack.
_SERIES = ("#2458A8", "#0B6478", "#84368A", "#7D5A00", "#8F8778")
_RAMP = ("#E4DFD4", "#CDBF9C", "#AE945A", "#7D5A00", "#3E2D00")
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_WIDTH, _STEP = 420, 24
# How the ticks of an axis are written, by the kind of its column.
_TICKS: dict[ColumnKind, str] = {
    "share": "format(100 * datum.value, '.0f') + ' %'",
    "score": "format(datum.value, '.2f')",
    "count": "format(datum.value, ',d')",
}
_CONFIG: dict[str, Any] = {
    "background": _GROUND,
    "font": _FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK,
        "titleColor": _MUTED,
        "gridColor": _LINE,
        "domainColor": _MUTED,
        "tickColor": _MUTED,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 320,
        "labelPadding": 6,
    },
    "title": {"anchor": "start", "color": _INK, "subtitleColor": _MUTED, "offset": 14},
    "legend": {"labelColor": _INK, "titleColor": _MUTED, "orient": "top", "symbolType": "square"},
    "header": {
        "labelColor": _MUTED,
        "labelFontSize": 12,
        "labelAnchor": "start",
        "labelOrient": "top",
        "labelAngle": 0,
        "title": None,
    },
}


def vega_lite(marks: Marks) -> dict[str, Any]:
    """The chart as a Vega-Lite document with its data inside."""
    layers = _LAYERS[marks.drawing.mark](marks)
    drawn: dict[str, Any] = {"layer": layers, "width": _WIDTH, "height": {"step": _STEP}}
    if any(datum["panel"] for datum in marks.data):
        row = {"field": "panel", "type": "nominal", "sort": None, "title": None}
        drawn = {"facet": {"row": row}, "spec": drawn, "resolve": {"scale": {"y": "independent"}}}
    return {
        "title": {"text": marks.analysis.title, "subtitle": _subtitle(marks)},
        "data": {"values": marks.data},
        **drawn,
        "config": _CONFIG,
    }


def _subtitle(marks: Marks) -> list[str]:
    told = [marks.analysis.question]
    if marks.shared:
        told.append(f"In all rows: {', '.join(marks.shared)}.")
    if marks.drawing.mark == "points" and any(datum["low"] is not None for datum in marks.data):
        told.append(
            "Lines reach from the fewest to the most."
            if marks.column.interval is None
            else "Lines are 95 % intervals, clustered by task."
        )
    if marks.drawn < marks.rows:
        told.append(f"The first {marks.drawn:,} of {marks.rows:,} rows.")
    if marks.without_value:
        left_out = counted(marks.without_value, "row")
        told.append(f"Left out without a value: {left_out}.")
    return told


def _points(marks: Marks) -> list[dict[str, Any]]:
    known = "datum.low != null && datum.high != null"
    bounds = [{"filter": known}]
    rule = {"type": "rule", "color": _INK, "strokeWidth": 2}
    ticks = {"type": "tick", "color": _INK, "thickness": 2, "size": 10, "opacity": 1}
    point = {"type": "point", "filled": True, "color": _INK, "size": 70, "opacity": 1}
    lines: list[dict[str, Any]] = [
        {
            "transform": bounds,
            "mark": rule,
            "encoding": {"x": _x(marks, "low"), "x2": {"field": "high"}, "y": _y()},
        },
        *(
            {"transform": bounds, "mark": ticks, "encoding": {"x": _x(marks, end), "y": _y()}}
            for end in ("low", "high")
        ),
    ]
    return [*lines, {"mark": point, "encoding": {"x": _x(marks), "y": _y(), "tooltip": _TOLD}}]


def _bars(marks: Marks) -> list[dict[str, Any]]:
    bar = {"type": "bar", "color": _INK, "opacity": 0.72, "height": {"band": 0.5}}
    return [{"mark": bar, "encoding": {"x": _x(marks), "y": _y(), "tooltip": _TOLD}}]


def _stack(marks: Marks) -> list[dict[str, Any]]:
    parts = list(dict.fromkeys(datum["part"] for datum in marks.data))
    series = _RAMP if marks.drawing.ordered else _SERIES
    bar = {"type": "bar", "stroke": _GROUND, "strokeWidth": 1.5, "height": {"band": 0.7}}
    scale = {"domain": parts, "range": list(series[: len(parts)])}
    color = {"field": "part", "type": "nominal", "scale": scale, "title": None}
    x = _x(marks) | {"stack": "zero", "title": None}
    # The parts of a bar stand in the order of the legend.
    order = {"field": "place", "type": "quantitative"}
    place = f"indexof({parts}, datum.part)"
    return [
        {
            "transform": [{"calculate": place, "as": "place"}],
            "mark": bar,
            "encoding": {"x": x, "y": _y(), "color": color, "order": order, "tooltip": _TOLD},
        }
    ]


_LAYERS = {"points": _points, "bars": _bars, "stack": _stack}
_TOLD = [
    {"field": name, "type": kind}
    for name, kind in (
        ("label", "nominal"),
        ("part", "nominal"),
        ("value", "quantitative"),
        ("low", "quantitative"),
        ("high", "quantitative"),
    )
]


def _x(marks: Marks, field: str = "value") -> dict[str, Any]:
    column = marks.column
    axis: dict[str, Any] = {"tickCount": 6, "grid": True}
    if column.kind in _TICKS:
        axis["labelExpr"] = _TICKS[column.kind]
    lower = ", lower is better" if column.lower_is_better else ""
    return {
        "field": field,
        "type": "quantitative",
        "title": f"{column.label}{lower}",
        "axis": axis,
        "scale": {"zero": marks.drawing.mark != "points"},
    }


def _y() -> dict[str, Any]:
    axis = {"title": None, "domain": False, "ticks": False}
    return {"field": "label", "type": "nominal", "sort": None, "axis": axis}
