"""Chinese as it is written in Taiwan and Hong Kong, in the letters of the rules."""

from __future__ import annotations

import re

# Only the letters of which the rules consist; each stands for one.
_TRADITIONAL = (
    "無連訪問獲讀開識別執處載創刪儲寫發詢錄驗證啟動傳確參數權錯誤報異請檢試後認號帳戶務絕敗過時頻"
    "為編額餘設隨應響導轉換調滿預訂於實輸單據標題稱暱長對點終當這個還沒類選擇節維護簽網絡現統測說紹關資庫碼許該"
)
_SIMPLIFIED = (
    "无连访问获读开识别执处载创删储写发询录验证启动传确参数权错误报异请检试后认号账户务绝败过时频"
    "为编额余设随应响导转换调满预订于实输单据标题称昵长对点终当这个还没类选择节维护签网络现统测说绍关资库码许该"
)
_SAME = str.maketrans(_TRADITIONAL, _SIMPLIFIED)
_ANY = re.compile(f"[{_TRADITIONAL}]")
# Japanese has many of these letters as well, and always others beside them.
_KANA = re.compile(r"[\u3040-\u30ff]")


def simplified(text: str) -> str | None:
    """The text in simplified letters, if it is Chinese and was written in others."""
    if _ANY.search(text) is None or _KANA.search(text) is not None:
        return None
    return text.translate(_SAME)
