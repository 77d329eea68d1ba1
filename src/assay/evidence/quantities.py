"""Numbers as they are written: separators, decimals, signs, percent, units and magnitudes."""

from __future__ import annotations

import re
from functools import lru_cache
from math import inf
from typing import Any

from msgspec import Struct

from assay.evidence.words import phrase_of

# The digit stands first so that the search can skip to it; what precedes it is checked after.
_DIGIT = r"[0-9](?<![A-Za-z0-9_.][0-9])(?<![A-Za-z]-[0-9])"
_DIGIT_OF_RANGE = r"[0-9](?<![A-Za-z0-9_][0-9])(?<![^.]\.[0-9])(?<![A-Za-z]-[0-9])"
_ISO_DATE = r"[0-9]{3}-[0-9]{2}(?:-[0-9]{2}(?:[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?|(?![0-9-]))"
_CLOCK = r"[0-9]?:[0-9]{2}(?::[0-9]{2})?"
# Thousands by commas and a decimal point, or a decimal comma, which points may precede.
_PLAIN = (
    r"[0-9]*+(?:,[0-9]{1,2}(?![0-9,.])|(?:,[0-9]{3}(?![0-9])){0,8}+(?:\.[0-9]++"
    r"(?:(?<=\.[0-9]{3})(?:\.[0-9]{3})*+,[0-9]{1,2}(?![0-9]))?+)?+)"
)
_NO_MORE = r"(?!\.?[0-9]|[A-Za-z_]++[0-9]|\.[xX*](?!\w))"
# Numbers that stand for themselves, beside the dates and times of day that look like them.
NUMBER_OR_MOMENT = re.compile(rf"{_DIGIT}(?:{_ISO_DATE}|{_CLOCK}|{_PLAIN}{_NO_MORE})")
# The same in a text with ranges such as 0.29..154.86, of which few have any.
NUMBER_IN_RANGES = re.compile(rf"{_DIGIT_OF_RANGE}(?:{_ISO_DATE}|{_CLOCK}|{_PLAIN}{_NO_MORE})")
NUMBER = rf"{_DIGIT}{_PLAIN}{_NO_MORE}"

_EUROPEAN = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{1,2}|[0-9]+,[0-9]{1,2}")
_GROUPED_BY_POINTS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
ENOUGH_DIGITS = 300

MAGNITUDES: dict[str, float] = {
    "k": 1e3,
    "thousand": 1e3,
    "千": 1e3,
    "万": 1e4,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "百万": 1e6,
    "亿": 1e8,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "trillion": 1e12,
}
# Units that measure the same thing, each with its size in the family's smallest unit.
UNIT_FAMILIES: tuple[dict[str, float], ...] = (
    {
        "ms": 1,
        "毫秒": 1,
        "s": 1e3,
        "sec": 1e3,
        "secs": 1e3,
        "second": 1e3,
        "seconds": 1e3,
        "秒": 1e3,
    }
    | {"min": 6e4, "mins": 6e4, "minute": 6e4, "minutes": 6e4, "分钟": 6e4, "h": 3.6e6, "hr": 3.6e6}
    | {"hrs": 3.6e6, "hour": 3.6e6, "hours": 3.6e6, "小时": 3.6e6, "day": 8.64e7, "days": 8.64e7}
    | {"天": 8.64e7, "week": 6.048e8, "weeks": 6.048e8, "周": 6.048e8},
    {"bytes": 1, "byte": 1, "字节": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}
    | {"kib": 1024, "mib": 1024**2, "gib": 1024**3},
    {
        "mm": 1,
        "毫米": 1,
        "cm": 10,
        "厘米": 10,
        "m": 1e3,
        "米": 1e3,
        "km": 1e6,
        "公里": 1e6,
        "千米": 1e6,
    }
    | {"meters": 1e3, "metres": 1e3, "miles": 1609344, "mile": 1609344, "feet": 304.8, "ft": 304.8}
    | {"mi": 1609344, "inch": 25.4, "inches": 25.4},
    {"mg": 1, "毫克": 1, "g": 1e3, "克": 1e3, "kg": 1e6, "公斤": 1e6, "千克": 1e6, "t": 1e9}
    | {"tonne": 1e9, "tonnes": 1e9, "tons": 1e9, "吨": 1e9, "lb": 453592, "lbs": 453592}
    | {"pounds": 453592, "oz": 28349.5},
    {"ml": 1, "毫升": 1, "l": 1e3, "liter": 1e3, "liters": 1e3, "litre": 1e3, "litres": 1e3}
    | {"升": 1e3},
    {"wh": 1, "kwh": 1e3, "mwh": 1e6, "度": 1e3},
    {
        "m/s": 3.6,
        "米/秒": 3.6,
        "km/s": 3600,
        "公里/秒": 3600,
        "千米/秒": 3600,
        "km/h": 1.0,
        "kmh": 1,
    }
    | {"kph": 1, "公里/小时": 1, "千米/小时": 1, "mph": 1.609344, "knots": 1.852, "kn": 1.852},
    {"millicores": 1, "cores": 1e3, "core": 1e3, "cpus": 1e3, "vcpus": 1e3},
    {"m²": 1, "sqm": 1, "平方米": 1, "平方公里": 1e6, "km²": 1e6, "ha": 1e4, "hectares": 1e4}
    | {"公顷": 1e4, "acres": 4046.856, "acre": 4046.856, "亩": 666.667},
    {"hpa": 1, "mbar": 1, "kpa": 10, "pa": 0.01, "psi": 68.948},
    {"cents": 1.0, "cent": 1, "分": 1, "dollars": 100, "usd": 100, "eur": 100, "euros": 100}
    | {"元": 100, "cny": 100, "gbp": 100},
)
_CELSIUS = frozenset({"°c", "℃", "摄氏度", "celsius"})
_FAHRENHEIT = frozenset({"°f", "华氏度", "fahrenheit"})
_PERCENT = frozenset({"%", "percent", "per cent", "pct", "个百分点"})
_TIMES = frozenset({"x", "×", "times", "fold", "倍"})
# How long months and years are says little among many numbers, but enough beside the days.
_CALENDAR = dict.fromkeys(("month", "months", "个月"), 30.44 * 8.64e7) | dict.fromkeys(
    ("year", "years", "yr", "yrs"), 365.25 * 8.64e7
)
# What is one money by several names; a dollar may be that of any country.
_CURRENCIES = (
    dict.fromkeys(("eur", "euro", "euros", "€"), "eur")
    | dict.fromkeys(("gbp", "£"), "gbp")
    | dict.fromkeys(("cny", "rmb", "元", "人民币"), "cny")
    | dict.fromkeys(("usd", "dollars", "美元"), "usd")
    | {"jpy": "jpy", "日元": "jpy", "chf": "chf", "sek": "sek", "nok": "nok", "inr": "inr"}
)
_HALF = 0.5 + 1e-9
_UNITS = frozenset(
    {
        *MAGNITUDES,
        *_TIMES,
        *_CALENDAR,
        *_PERCENT,
        "°",
        *_CELSIUS,
        *_FAHRENHEIT,
        *(unit for f in UNIT_FAMILIES for unit in f),
    }
)
_AFTER_NUMBER = re.compile(
    r"[\s-]?(%|×|°(?:\s?[CFcf])?|(?:km|m)(?:/[hs]|²)|[A-Za-z]{1,8}(?![A-Za-z0-9])"
    r"|[\u4e00-\u9fff]{1,2}/(?:秒|小时)|[\u4e00-\u9fff]{1,4})"
)
_FACTORS_BY_UNIT: dict[str, tuple[float, ...]] = {
    unit: tuple(sorted({size / other for other in family.values()} - {1.0}))
    for family in UNIT_FAMILIES
    for unit, size in family.items()
}
_SIZE_BY_UNIT = {
    unit: (i, size)
    for i, family in enumerate((UNIT_FAMILIES[0] | _CALENDAR, *UNIT_FAMILIES[1:]))
    for unit, size in family.items()
}
# Sizes by which numbers change when their unit does: cents, per mille, kilo, minutes, hours.
UNIT_STEPS = (100.0, 1000.0, 60.0, 3600.0, 24.0, 1024.0, 1e6, 86400.0)

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = {20: "twenty", 30: "thirty", 40: "forty", 50: "fifty", 60: "sixty"} | {
    70: "seventy",
    80: "eighty",
    90: "ninety",
}
_CJK_ONES = "零一二三四五六七八九十"
_PARTS_OF_NUMBERS = frozenset(
    {
        *_ONES[1:],
        *_TENS.values(),
        *_CJK_ONES,
        "百",
        "千",
        "万",
        "亿",
        "hundred",
        "thousand",
        "million",
    }
)
_LONGEST_WORD = 12
_LONGEST_FIELD = 80
_LEAST_UNIT = 2
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MOST_PLACES = 8


class Quantity(Struct, frozen=True, gc=False):
    """A number as written: its size, the decimals shown, and its unit in lower case."""

    size: float
    decimals: int
    unit: str = ""

    @property
    def is_percentage(self) -> bool:
        """Whether it is a share of a hundred."""
        return self.unit in _PERCENT

    @property
    def is_multiple(self) -> bool:
        """Whether it says how many times one thing is another, as 12x does."""
        return self.unit in _TIMES

    @property
    def factors(self) -> tuple[float, ...]:
        """What to multiply by for the same quantity in other units, or without its magnitude."""
        magnitude = MAGNITUDES.get(self.unit)
        others = _FACTORS_BY_UNIT.get(self.unit, ())
        return others if magnitude is None else (magnitude, *others)

    @property
    def in_other_units(self) -> tuple[float, ...]:
        """How much it is in other units of its kind, on the other scale too."""
        scaled = self.on_other_scale(self.size)
        sizes = tuple(self.size * factor for factor in _FACTORS_BY_UNIT.get(self.unit, ()))
        return sizes if scaled is None else (*sizes, abs(scaled))

    @property
    def seconds(self) -> float | None:
        """How long it is, if it is a span of time; else None."""
        size = UNIT_FAMILIES[0].get(self.unit)
        return None if size is None else round(self.size * size / 1000, 3)

    def is_of_other_unit(self, field: str) -> bool:
        """Whether a field names another unit of the same kind, as `weight_kg` does for pounds."""
        return _is_other_unit(self.unit, field)

    def is_same_as(self, other: Quantity) -> bool:
        """Whether both are the same in different units, as exact as the coarser of them."""
        own, theirs = _SIZE_BY_UNIT.get(self.unit), _SIZE_BY_UNIT.get(other.unit)
        if own is not None and theirs is not None:
            factor = theirs[1] / own[1]
            if own[0] != theirs[0] or factor == 1:
                return False
            size, reach = other.size * factor, 10.0**-other.decimals * factor
        else:
            scaled = other.on_other_scale(other.size)
            if scaled is None or self.on_other_scale(0) is None or self.unit == other.unit:
                return False
            size, reach = scaled, 10.0**-other.decimals
        return abs(size - self.size) <= _HALF * max(reach, 10.0**-self.decimals)

    def on_other_scale(self, size: float) -> float | None:
        """A number of this unit on the other scale of temperature; None without a scale."""
        if self.unit in _FAHRENHEIT:
            return (size - 32) / 1.8
        return size * 1.8 + 32 if self.unit in _CELSIUS else None


@lru_cache(maxsize=4096)
def _is_other_unit(unit: str, field: str) -> bool:
    named = _CAMEL.sub("_", field[:_LONGEST_FIELD]).lower().rpartition("_")[2]
    # A field may be called as its unit is; "min" and "m" may be called so for another reason.
    if not unit or (named == field.lower() and (len(named) < _LEAST_UNIT or named == "min")):
        return False
    return are_other_units(unit, {"c": "celsius", "f": "fahrenheit"}.get(named, named))


@lru_cache(maxsize=4096)
def are_other_units(unit: str, other: str) -> bool:
    """Whether two units, in small letters, measure the same kind of thing and are not the same."""
    scales = (_CELSIUS, _FAHRENHEIT)
    if any(unit in scale for scale in scales):
        return any(other in scale and unit not in scale for scale in scales)
    if unit in _CURRENCIES and other in _CURRENCIES:
        return _CURRENCIES[unit] != _CURRENCIES[other]
    return any(
        unit in family and other in family and family[unit] != family[other]
        for family in UNIT_FAMILIES
    )


@lru_cache(maxsize=65_536)
def size_of(text: str) -> float:
    """The size of a written number, without its sign."""
    if _EUROPEAN.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    return float(text[:ENOUGH_DIGITS].replace(",", ""))


def other_readings(text: str) -> tuple[tuple[float, ...], ...]:
    """What else a written number may be: 1.234 a thousand and more, 12,50 two numbers.

    All numbers of a reading belong together.
    """
    if _GROUPED_BY_POINTS.fullmatch(text):
        return ((float(text.replace(".", "")),),)
    if _EUROPEAN.fullmatch(text) and "." not in text:
        return (tuple(map(float, text.split(","))),)
    return ()


def decimals_of(text: str) -> int:
    """How many decimals a written number shows."""
    mark = "," if _EUROPEAN.fullmatch(text) else "."
    return len(text.partition(mark)[2])


def unit_after(text: str, place: int) -> str:
    """The unit that follows a number ending at that place; empty if none does."""
    found = _AFTER_NUMBER.match(text, place)
    if found is None:
        return ""
    word = found[1].lower().replace(" ", "")
    if word in _UNITS:
        return word
    # Chinese units run into the words that follow them.
    longest = (word[:length] for length in range(len(word) - 1, 0, -1))
    return "" if word.isascii() else next((unit for unit in longest if unit in _UNITS), "")


def number_in(value: Any) -> float | None:
    """The size of a value that is a number, or text that is nothing but one; else None."""
    if isinstance(value, str):
        if len(value) > 40 or value[:1] not in _NUMBER_STARTS:
            return None
        found = _WHOLE_NUMBER.fullmatch(value.strip())
        return None if found is None else size_of(found[1])
    if isinstance(value, bool) or not isinstance(value, _NUMBERS):
        return None
    return _finite(value)


def _finite(value: float) -> float | None:
    try:
        size = abs(float(value))
    except OverflowError:
        return None
    return size if size < inf else None


@lru_cache(maxsize=1024)
def number_words(number: int) -> tuple[str, ...]:
    """The words for a small number, English and Chinese; empty beyond 99."""
    if not 0 <= number < 100:
        return ()
    tens, ones = divmod(number, 10)
    chinese = ("" if tens == 1 else _CJK_ONES[tens]) + "十" if tens else ""
    chinese += _CJK_ONES[ones] if ones or not tens else ""
    found = [chinese, "两"] if number == 2 else [chinese]
    if number < 20:
        found.append(_ONES[number])
    elif tens * 10 in _TENS:
        found.append(_TENS[tens * 10] + (f" {_ONES[ones]}" if ones else ""))
    return tuple(found)


def says_number_word(word: str, phrase: str) -> bool:
    """Whether a phrase says a number in words, and not as a part of a larger one."""
    wanted = phrase_of(word)
    place = phrase.find(wanted)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return False
        end = place + len(wanted)
        before = phrase[max(0, place - _LONGEST_WORD) : place].rpartition(" ")[2]
        after = phrase[end : end + _LONGEST_WORD].partition(" ")[0]
        if _PARTS_OF_NUMBERS.isdisjoint((before, after)):
            return True
        place = phrase.find(wanted, place + 1)
    return False


_NUMBERS = (int, float)
_NUMBER_STARTS = frozenset("0123456789+-$€£¥ ")
_WHOLE_NUMBER = re.compile(rf"[-+]?[$€£¥]?\s?({NUMBER})")
