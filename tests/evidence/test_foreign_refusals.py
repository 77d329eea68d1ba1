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
    "Solo hay 2 amarres",
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
    "Hay que pintar la boya antes del invierno.",
    "É preciso pintar a boia antes do inverno.",
    "Désolé, pas de vent aujourd'hui.",
    "Требуется моторист на буксир.",
    "航路は長すぎますが安全です。",
    "Das Bild muss man gesehen haben.",
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


@pytest.mark.parametrize(
    "text",
    [
        "Hay que indicar el amarre.",
        "É preciso informar o berço.",
        "Désolé, le port est fermé.",
        "Требуется указать причал.",
    ],
)
def test_what_is_asked_of_the_call_is_a_refusal(text: str) -> None:
    assert failed("moor_boat", text)
    assert failed("get_berth", text)


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("clear_list", "Die Liste ist leer."),
        ("empty_cart", "Le panier est vide."),
        ("clear_list", "La lista de boyas está vacía"),
        ("clear_list", "Список буёв пуст"),
        ("lock_account", "Das Konto ist gesperrt."),
        ("block_user", "El usuario está bloqueado."),
        ("close_session", "La session est expirée."),
        ("disable_user", "Пользователь отключен."),
        ("disable_service", "Der Dienst ist nicht mehr aktiv."),
        ("revoke_access", "Der Benutzer hat keine Rechte mehr."),
    ],
)
def test_who_was_to_end_something_says_that_it_is_ended(tool: str, text: str) -> None:
    assert not failed(tool, text)
    assert failed("create_berth", text)


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("delete_berth", "Das Konto ist gesperrt."),
        ("lock_account", "Die Liste ist leer."),
        ("disable_service", "Der Server ist nicht mehr erreichbar."),
        ("clear_list", "Die Liste ist leer: nichts zu tun, Fehler 7"),
    ],
)
def test_what_else_is_so_hinders_who_was_to_end_something(tool: str, text: str) -> None:
    assert failed(tool, text)


@pytest.mark.parametrize("text", TOLD)
def test_what_is_only_told_is_no_failure(text: str) -> None:
    assert not failed("moor_boat", text)
    assert not failed("get_berth", text)
