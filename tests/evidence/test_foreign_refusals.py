"""Refusals of seven languages: what is demanded, what is so, and what is only told."""

from __future__ import annotations

import pytest

from assay.evidence.outcome import call_outcome
from assay.execution import ToolExecutionResult


def failed(tool: str, text: str) -> bool:
    return call_outcome(ToolExecutionResult(tool, {}, text)).success is False


# Whoever says this did not do what it was asked for.
REFUSED = (
    "Der Name der Boje darf höchstens 20 Zeichen haben",
    "Kein Liegeplatz ausgewaehlt",
    "tiefe muss eine Zahl sein",
    "Konnte die Seekarte nicht laden",
    "Zu viele Anfragen, bitte warten",
    "Le nom de la bouée dépasse 20 lettres",
    "Aucune bouée sélectionnée",
    "Le champ profondeur doit etre un nombre",
    "Quelque chose s'est mal passé",
    "El nombre de la boya tiene que ser corto",
    "No se proporcionó ninguna boya",
    "La marea no respondio a tiempo, prueba mas tarde",
    "Solo hay 2 amarres",
    "O nome da boia ultrapassa 20 letras",
    "Nenhuma boia selecionada",
    "Nao foi possivel ler a carta",
    "O servidor da mare nao respondeu",
    "Название буя слишком длинное",
    "Не указан номер причала",
    "Нет связи с маяком",
    "Недопустимое значение глубины",
    "ブイの名前が長すぎます",
    "水深が入力されていません",
    "海図の読み込みに失敗しました",
    "부표 이름을 입력해 주세요",
    "해도를 불러오지 못했습니다",
    "값은 숫자여야 합니다",
)
# A state: it hinders who was to act, and answers who asked.
STATES = (
    "Der Liegeplan ist leer",
    "Der Lotse ist nicht angemeldet",
    "La liste des bouées est vide",
    "La lista de boyas no tiene entradas",
    "A lista de boias está vazia",
    "Список буёв пуст",
    "Маяк не отвечает",
    "潮位計は接続されていません",
    "파일이 비어 있습니다",
)
# Good news, prose and searches that found nothing.
TOLD = (
    "Keine Bojen gefunden.",
    "Die Boje ist gesetzt; der Lotse wird nicht gerufen.",
    "Die Mannschaft konnte das Rennen nicht gewinnen.",
    "Ja, die Datei darf im Hafen liegen.",
    "Aucune bouée en vue.",
    "La bouée est posée.",
    "Le capitaine ne peut pas dormir.",
    "No se encontraron boyas.",
    "El capitán debe descansar una hora.",
    "La boya ya está en camino.",
    "Nenhuma boia encontrada.",
    "O capitão não pode dormir.",
    "Буи не найдены.",
    "Сначала капитан молчал, потом уснул.",
    "Не указано",
    "ブイはありません。",
    "ブイを設置しました。",
    "새 부표가 없습니다.",
    "내일은 비가 오지 않습니다.",
)


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal_is_one_whoever_tells_it(text: str) -> None:
    assert failed("moor_boat", text)
    assert failed("get_berth", text)


@pytest.mark.parametrize("text", STATES)
def test_a_state_hinders_who_was_to_act(text: str) -> None:
    assert failed("create_berth", text)
    assert not failed("get_berth", text)
    assert not failed("check_berth", text)


@pytest.mark.parametrize("text", TOLD)
def test_what_is_only_told_is_no_failure(text: str) -> None:
    assert not failed("moor_boat", text)
    assert not failed("get_berth", text)
