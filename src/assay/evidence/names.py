"""Names of people, places and things in English and Chinese text.

Without a dictionary this is a guess, and a cautious one: what it misses is not checked, what it
finds is merely looked up. A Chinese name needs a family name or a telling ending, and a border.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

_CAPITALISED = re.compile(
    r"[A-ZÀ-Þ](?<![\w'-].)[a-zß-ÿ]++(?:[ -][A-ZÀ-Þ][a-zß-ÿ]++){0,6}+(?![\w-])"
)
_HEADING = re.compile(
    r"^(?:#{1,6} .*|\*\*[^*\n]{1,80}\*\*:?.{0,3})$|\*\*[^*\n]{1,60}:\*\*", re.MULTILINE
)
# A capital says nothing at the start of a sentence, a line, a cell or a list item.
_SENTENCE_STARTS = frozenset(".!?:;|>•#-\n。！？：；")
_DECORATION = ' \t*_"“([`'
_LOOKED_BACK = 6
NOT_NAMES = frozenset(
    {"January", "February", "March", "April", "May", "June", "July", "August", "September"}
    | {"October", "November", "December", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"}
    | {"Saturday", "Sunday", "The", "This", "That", "These", "Those", "Your", "Our", "You", "Yes"}
    | {"No", "Not", "And", "But", "For", "With", "From", "Here", "There", "Please", "Thanks"}
    | {"Note", "Total", "However", "Additionally", "Also", "Hello", "Dear", "Hi", "Sorry"}
)

_FAMILY_NAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭"
    "陆汪范廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_HAN = "\u4e00-\u9fff"
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_TITLES = "先生|女士|老师|经理|同学|医生|教授|总监|主任|律师"
_BEFORE_PERSON = rf"(?:(?<![{_HAN}])|(?<=[由和与给请叫是找向])|(?<=联系))"
# A full name of three characters may stand alone; one of two needs a title to be told from words.
_PERSON = re.compile(
    rf"{_BEFORE_PERSON}([{_FAMILY_NAMES}][{_HAN}]{{2}}(?![{_HAN}])"
    rf"|[{_FAMILY_NAMES}][{_HAN}]{{1,2}}?(?={_TITLES}|说|表示|反馈|负责|排查|认为|提出))"
)
_PLACE = re.compile(
    rf"[{_HAN}]{{2,8}}?(?:省|市|区|县|镇|路|街|大道|车站|机场|大学|公司|酒店|医院|银行|集团|大厦|广场"
    r"|公园|学校|餐厅|博物馆|图书馆|研究院)"
)
_PLACE_STEM = 2


class Name(Struct, frozen=True, gc=False):
    """A name, where it stands, and the shorter forms that would do as well."""

    text: str
    start: int
    shorter: tuple[str, ...] = ()


def names_in(text: str) -> list[Name]:
    """The names of a text, in order of their kind: capitalised, Chinese people, places."""
    found = list(_capitalised(text))
    if not text.isascii() and _HAN_CHARACTER.search(text):
        found += [Name(match[1], match.start(1)) for match in _PERSON.finditer(text)]
        found += [_place(match) for match in _PLACE.finditer(text)]
    return found


def _capitalised(text: str) -> Iterator[Name]:
    marked = "**" in text or "# " in text
    headings = [match.span() for match in _HEADING.finditer(text)] if marked else []
    for match in _CAPITALISED.finditer(text):
        name = match[0]
        if name in NOT_NAMES or any(start <= match.start() < end for start, end in headings):
            continue
        if " " not in name and "-" not in name and _starts_sentence(text, match.start()):
            continue
        words = name.split(" ")
        # The first word may only open the sentence: "Customer Anna Berg" is found by its rest.
        shorter = tuple(" ".join(words[i:]) for i in range(1, len(words) - 1))
        yield Name(name, match.start(), shorter)


def _starts_sentence(text: str, place: int) -> bool:
    before = text[max(0, place - _LOOKED_BACK) : place].rstrip(_DECORATION)
    return before[-1] in _SENTENCE_STARTS if before else place <= _LOOKED_BACK


def _place(match: re.Match[str]) -> Name:
    text = match[0]
    # Nothing marks where the name begins, so that it counts from each of its characters.
    shorter = tuple(text[i:] for i in range(1, len(text) - _PLACE_STEM))
    return Name(text, match.start(), shorter)
