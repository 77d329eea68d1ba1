"""How numbers are written on pages: with n or an interval, and nothing is never a zero."""

from __future__ import annotations

from datetime import datetime
from math import isfinite, log10

NOTHING = "–"
_MOMENTS = {
    "en": "{at.day} {at:%b %Y, %H:%M}",
    "zh": "{at.year}年{at.month}月{at.day}日 {at:%H:%M}",
}
MINUS = "−"
# Below this many, a share is told as a count; below the second, without decimals.
COUNTED_BELOW = 20
DECIMALS_FROM = 100


def count(value: int | None) -> str:
    """1,854."""
    return NOTHING if value is None else f"{value:,}"


def share(part: float | None, total: int | None) -> str:
    """`71.3 %`; `71 %` of fewer than a hundred; `3 of 5` of fewer than twenty."""
    if part is None or not total:
        return NOTHING
    if total < COUNTED_BELOW:
        return f"{part:,.0f} of {total}"
    return f"{100 * part / total:.{1 if total >= DECIMALS_FROM else 0}f} %"


def percent(value: float | None, n: int | None = None) -> str:
    """A rate as it stands: one decimal, none of fewer than a hundred."""
    if value is None or not isfinite(value):
        return NOTHING
    return f"{100 * value:.{0 if n is not None and n < DECIMALS_FROM else 1}f} %"


def interval(low: float | None, high: float | None) -> str:
    """`64.8–77.1`, in percent."""
    if low is None or high is None:
        return ""
    return f"{100 * low:.1f}–{100 * high:.1f}"


def points(value: float | None) -> str:
    """A difference of shares: `+4.1`, `−0.6`."""
    return NOTHING if value is None else signed(100 * value, 1)


def signed(value: float, decimals: int = 2) -> str:
    """A number with its sign, the minus a true one."""
    rounded = round(value, decimals)
    sign = "+" if rounded > 0 else MINUS if rounded < 0 else "±"
    return f"{sign}{abs(rounded):,.{decimals}f}"


def points_interval(low: float | None, high: float | None) -> str:
    """`−3.1 to +7.6`, in points."""
    return "" if low is None or high is None else f"{points(low)} to {points(high)}"


def score(value: float | None) -> str:
    """0.81."""
    return NOTHING if value is None else f"{value:.2f}"


def seconds(value: float | None) -> str:
    """`340 ms`, `2.2 s`, `1 min 27 s`."""
    if value is None or not isfinite(value) or value < 0:
        return NOTHING
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def tokens(value: int | None) -> str:
    """`9,940`, from ten thousand on `11.4 k`."""
    if value is None:
        return NOTHING
    return f"{value:,}" if value < 10_000 else f"{value / 1000:,.1f} k"


def money(value: float | None) -> str:
    """Dollars with two significant digits: `$0.016`."""
    if value is None or not isfinite(value):
        return NOTHING
    if value == 0:
        return "$0"
    decimals = max(2, 1 - int(log10(abs(value)) // 1)) if abs(value) < 1 else 2
    return f"${value:,.{decimals}f}"


def moment(value: float | None, language: str = "en") -> str:
    """`14 Nov 2026, 10:05`, local time, as the language writes it."""
    if value is None:
        return NOTHING
    try:
        local = datetime.fromtimestamp(value).astimezone()
    except (OverflowError, OSError, ValueError):
        return NOTHING
    return _MOMENTS[language].format(at=local)


def iso_moment(value: float | None) -> str:
    """The same for machines."""
    if value is None:
        return ""
    try:
        return datetime.fromtimestamp(value).astimezone().isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return ""
