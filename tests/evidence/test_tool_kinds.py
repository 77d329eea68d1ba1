"""A tool's name tells how to read what it says."""

from __future__ import annotations

import pytest

from assay.evidence.tool_kinds import hands_over, kind_of_tool


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Bash", "command"),
        ("run_command", "command"),
        ("execute_python", "command"),
        ("execute_sql", "other"),
        ("validate_code", "checking"),
        ("read_file", "content"),
        ("webSearch", "content"),
        ("cancel_order", "stopper"),
        ("get_pod_logs", "log"),
        ("log_in", "other"),
        ("append_block_children", "acting"),
        ("browser_console_messages", "log"),
        ("translate_text", "wording"),
        ("get_weather", "asking"),
        ("is_free", "checking"),
        ("harbour_status", "checking"),
        ("import_status", "checking"),
        ("set_status", "acting"),
        ("press_horn", "acting"),
        ("open_file", "content"),
        ("open", "content"),
        ("open_gate", "acting"),
        ("can_moor", "checking"),
        ("mark_read", "acting"),
        ("explain_delay", "checking"),
        ("do_moor", "other"),
        ("create_page", "acting"),
        ("page_of_day", "content"),
        ("ssh_connect", "acting"),
        ("ssh_run", "command"),
        ("compose_poem", "wording"),
        ("docker_compose", "other"),
        ("control_crane", "acting"),
        ("room_availability", "checking"),
        ("getSetting", "asking"),
        ("look_up_berth", "asking"),
        ("berth_details", "asking"),
        ("clear_history", "acting"),
        ("create_poll", "acting"),
        ("order_history", "asking"),
        ("track_order", "asking"),
        ("vote_poll", "acting"),
        ("listar_pedidos", "asking"),
        ("buscar_cliente", "content"),
        ("verificar_pago", "checking"),
        ("traduire_texte", "wording"),
        ("weather", "other"),
        ("finalize_tow", "acting"),
        ("confirm_tow", "acting"),
        ("rate_pilot", "acting"),
        ("tow_rate", "other"),
        ("rate_history", "asking"),
        ("delete_definition", "acting"),
        ("create_draft", "wording"),
        ("check_draft_status", "checking"),
        ("get_translation_progress", "checking"),
        ("draft_status_letter", "wording"),
        ("summarize_status", "wording"),
        ("get_draft", "wording"),
        ("update_draft_status", "acting"),
        ("check_shutdown_status", "checking"),
        ("cancel_status", "stopper"),
        ("get_traceback", "log"),
        ("translation_status", "checking"),
        ("check_in", "acting"),
        ("checkInCrew", "acting"),
        ("check_in_user", "acting"),
        ("check_in_use", "checking"),
        ("check_in_list", "checking"),
        ("check_out_of_stock", "checking"),
        ("get_check_in", "checking"),
        ("check_in_status", "checking"),
        ("answer_question", "other"),
        ("complete_tow", "acting"),
        ("complete_text", "other"),
        ("rate_limits", "other"),
        ("release_notes", "other"),
        ("", "other"),
    ],
)
def test_what_a_tools_name_promises(name: str, kind: str) -> None:
    assert kind_of_tool(name) == kind


@pytest.mark.parametrize(
    ("name", "passes_on"),
    [
        ("transfer_to_human_agents", True),
        ("escalateToSupervisor", True),
        ("transfer_to_billing_agent", True),
        ("transfer_money", False),
        ("create_agent", False),
    ],
)
def test_who_passes_the_conversation_on(name: str, *, passes_on: bool) -> None:
    assert hands_over(name) is passes_on
