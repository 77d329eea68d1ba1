"""A failure told in traditional letters is told all the same; Japanese is left alone."""

from __future__ import annotations

import pytest

from assay.evidence.error_grammar import failing_opening
from assay.evidence.traditional import simplified


@pytest.mark.parametrize(
    "text",
    [
        "無法連接到港口",
        "請求過於頻繁",
        "伺服器繁忙，請稍後再試",
        "您沒有權限",
        "泊位代碼驗證失敗：",
    ],
)
def test_failures(text: str) -> None:
    found = failing_opening(text)
    assert found is not None
    assert found.rule == "chinese_error"


@pytest.mark.parametrize(
    "text",
    [
        "查詢成功，無錯誤",
        "沒有錯誤",
        "系統未發現異常。",
        "本文說明如何處理錯誤。",
        "異常なし。",
        "無法無天是一個成語",
    ],
)
def test_successes(text: str) -> None:
    assert failing_opening(text) is None


def test_only_what_is_chinese_and_traditional_is_changed() -> None:
    assert simplified("無法開啟") == "无法开启"
    assert simplified("无法") is None
    assert simplified("berth 4") is None
    assert simplified("接続が無効です") is None
