"""Words of an answer that tell how a number or an address in it is meant."""

from __future__ import annotations

import re

# Before the last digits of a number.
ENDING_IN = re.compile(
    r"(?:\bending (?:in|with)|\bends (?:in|with)|\blast \w+ digits|尾号)\W{0,6}\Z"
)
# Words with which an answer speaks of a total or a count.
TOTALLING = frozenset(
    {"total", "totals", "totalling", "totaling", "sum", "sums", "all", "altogether", "overall"}
    | {"combined", "together", "average", "count", "number", "there", "found", "list", "lists"}
    | {"has", "have", "insgesamt", "gesamt", "gesamtbetrag", "gesamtsumme", "zusammen", "summe"}
    | {"anzahl", "spend", "spent", "cost", "costs", "paid", "pay", "earned", "worth", "sold"}
    | {"amount", "amounts", "kosten", "合", "总", "共", "计", "花", "付", "额", "费"}
)
# Words with which it speaks of what is left of a number, or lacks to it.
LEAVING = frozenset(
    {"remain", "remains", "remaining", "remainder", "left", "rest", "difference", "balance", "more"}
    | {"less", "save", "saves", "saved", "saving", "savings", "short", "owe", "owed", "minus"}
    | {"plus", "additional", "cheaper", "gap", "differenz", "verbleiben", "剩", "余", "差", "省"}
)
# Words with which it speaks of a mean.
AVERAGING = frozenset(
    {"average", "averages", "averaged", "averaging", "avg", "mean", "per", "each", "typical"}
    | {"durchschnitt", "durchschnittlich", "mittel", "均"}
)
# Words with which it compares two things.
COMPARING = LEAVING | frozenset(
    {"than", "higher", "lower", "faster", "slower", "longer", "shorter", "expensive", "costlier"}
    | {"fewer", "larger", "smaller", "ahead", "behind", "apart", "gap", "increase", "decrease"}
    | {"rose", "fell", "grew", "dropped", "teurer", "mehr", "weniger", "贵", "便", "多", "少", "高"}
    | {"低", "快", "慢", "增", "减", "涨", "降"}
)
# Words with which it brings up something without its name: the runner-up, all others.
SPEAKING_OF_OTHERS = frozenset(
    {"than", "other", "others", "another", "next", "second", "third", "runner", "leader", "rest"}
    | {"between", "unlike", "under", "below", "above", "reach", "beat", "beats", "ahead", "behind"}
    | {"after", "before", "until", "versus", "vs", "compared", "against", "previous", "following"}
    | {"would", "could", "if", "not", "one", "ones", "instead", "rather", "from"}
    | {"als", "andere", "anderen", "zweite", "zwischen", "比", "另", "其", "余", "如"}
)
# Before a number that is only said roughly, and before one that something is above.
ROUGHLY = re.compile(
    r"(?:[~≈约近]|\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|ca\.))"
    r"[\s$€£¥*_]{0,4}(?:[0-9.,]{1,20}\s?[-–]\s?[$€£¥]?)?\Z",
    re.IGNORECASE,
)
ABOVE = re.compile(
    r"(?:[>≥]|\b(?:over|above|more than|at least)|超过|至少)[\s$€£¥*_]{0,4}\Z", re.IGNORECASE
)
# Between how many there are and of how many: 14 of 19, 19人中有14人.
OF_SO_MANY = re.compile(
    r"\s(?:out )?of (?:the |all )?[0-9]|[个人件条次名场台]?(?:之?中|，其中|,其中)(?:有)?\s?[0-9]"
)
SO_MANY_OF = re.compile(
    r"[0-9]\s(?:out )?of (?:the |all )?\Z|[0-9][个人件条次名场台]?(?:之?中|，其中|,其中)有?\s?\Z"
)
# An address of the own machine, and its port.
OWN_MACHINE = re.compile(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0):([0-9]{1,5})/?")
