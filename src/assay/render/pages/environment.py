"""The templates, with everything escaped and our words for numbers at hand."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from markupsafe import Markup, escape

from assay import __version__
from assay.render.pages import figures
from assay.render.pages.retold import each_said, retold, retold_figure, retold_reason
from assay.render.pages.visible_text import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2.runtime import Context

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
_FORMATS = (
    *("count", "share", "percent", "interval", "points", "points_interval", "signed"),
    *("score", "seconds", "tokens", "money", "iso_moment"),
)


@pass_context
def _moment(context: Context, value: float | None) -> str:
    return figures.moment(value, context.get("language", "en"))


def _finish(value: object) -> object:
    """Nothing is shown as a dash, text of strangers without its hidden characters."""
    if value is None:
        return figures.NOTHING
    return value if isinstance(value, Markup) else visible(value)


@cache
def environment() -> Environment:
    """The templates of all pages; made once."""
    found = Environment(
        loader=PackageLoader("assay.render.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finish,
    )
    found.filters |= {name: getattr(figures, name) for name in _FORMATS}
    found.filters["moment"] = _moment
    found.globals |= {"version": __version__, "icon": icon, "retold": retold}
    found.globals |= {"retold_reason": retold_reason, "each_said": each_said}
    found.globals |= {"figure": retold_figure}
    return found


def page(template: str, language: str = "en", **data: Any) -> str:
    """A whole page; `t` in it puts our own words into the reader's language."""
    return (
        environment()
        .get_template(template)
        .render(t=translator(language), language=language, **data)
    )


def static_text(name: str) -> str:
    """A stylesheet or script of ours, for pages that carry everything with them."""
    return (files("assay.render.pages") / "static" / name).read_text(encoding="utf-8")


@cache
def translator(language: str) -> Callable[..., str]:
    """A function from our English words to the reader's; what has no translation stays English."""
    words = _words(language)

    def translate(text: str, **values: object) -> str:
        said = words.get(text, text)
        return said.format(**{k: visible(v) for k, v in values.items()}) if values else said

    return translate


@cache
def _words(language: str) -> dict[str, str]:
    place = files("assay.render.pages") / "words" / f"{language}.toml"
    if language == LANGUAGES[0] or not place.is_file():
        return {}
    found: dict[str, str] = tomllib.loads(place.read_text(encoding="utf-8"))
    return found


_SHAPES = {
    "ok": '<path d="M2 6.5 5 9.5 10 3" fill="none" stroke="currentColor" stroke-width="2.2"/>',
    "fail": '<path d="M2 2 10 10M10 2 2 10" fill="none" stroke="currentColor" stroke-width="2.2"/>',
    "none": '<circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="1.6"/>',
    "model": '<path d="M6 .5 11.5 6 6 11.5.5 6Z" fill="currentColor"/>',
    "server": '<rect x="1" y="1" width="10" height="10" fill="currentColor"/>',
    "environment": '<path d="M6 1 11.5 11H.5Z" fill="currentColor"/>',
    "unknown": '<circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="1.6"/>',
}


def icon(name: str) -> Markup:
    """A small picture that stands beside its word, and is silent to screen readers."""
    shape = _SHAPES.get(name, _SHAPES["none"])
    return Markup(f'<svg viewBox="0 0 12 12" aria-hidden="true">{shape}</svg>')  # noqa: S704 - ours


def escaped(text: object) -> Markup:
    """Text of strangers, ready for a page."""
    return escape(visible(text))
