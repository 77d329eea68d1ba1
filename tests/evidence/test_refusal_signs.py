"""A short text is told by its signs: who speaks in it, of what, and whether the tool was to act."""

from __future__ import annotations

from time import process_time

import pytest

from assay.evidence.error_grammar import failing_opening
from assay.evidence.hindrances import ACTING_SIGNS
from assay.evidence.outcome import call_outcome
from assay.evidence.refusal_signs import SIGNS, sign_of_refusal
from assay.execution import ToolExecutionResult

BORNE = {
    "demand": (
        "Provide a harbour of at most 40 letters.",
        "Give either a pier or a berth.",
        "Choose north, south or west.",
        "Spend at least 20 crowns to moor here.",
        "Keep the name under 40 letters.",
    ),
    "wrong_thing": (
        "empty path",
        *("Unsupported berth kind", "Missing pier", "unknown lighthouse"),
        *("Incomplete berth list given.", "boats/berths length mismatch"),
    ),
    "of_another_kind": ("This berth is not a free summer berth",),
    "instead": ("Pier 4 is for ferries. Use find_berth instead.",),
    "not_done": ("Letter not sent: confirmation is needed", "Harbour chart not supplied"),
    "lower_case": (
        "berth ticket is not valid base64",
        "pier crane must be free",
        "cranes supports iron and coal only",
    ),
    "handled_thing": (
        "Password cannot be empty",
        "Start date must be today or later",
        "The output format is not supported on this pier",
    ),
    "refusing": ("Pier guard off duty, refusing to run",),
    "that": (
        "That is not a known signal.",
        "That crane could not be started.",
        "That day is in the past",
    ),
    "therefore": ("The harbour is closed. Cannot moor; unable to open the gate",),
    "advice": (
        "No open harbour. Please enter the harbour first.",
        "Berth 'B9' already has a tenant. Use move_tenant to change that.",
    ),
    "asked_for": ("The selected berth is no longer free",),
    "labelled": ("stale_berth: pier 4 is not where it was",),
    "service": ("The tide service is unavailable.", "The tide server is overloaded."),
    "identifier": (
        "Boats in 'winter' mode exceed the allowed draught",
        "--pier and --berth must be given together",
    ),
    "none_there": (
        "No active harbour",
        "No pilot found",
        "No piers configured",
        "No lamps changed. Pass a colour.",
        "No shanties found for 'whale'",
        "No tows matching north/4 found in the book.",
        "No boat in line.",
        "No berths left for 8 people at noon",
        "No open tow with ticket 123",
        "No tow with code 'north'",
    ),
    "hindered": ("The pump is not running", "Harbour 7 has no cranes."),
    "closed_to_all": (
        "The pier is full",
        "Crane 4 is currently offline",
        "That's too late for the ferry.",
        "Pier 4 was full",
        "All berths are booked, see the list for next week",
        "Leuchte Nord ist offline.",
    ),
    "kept_shut": ("The pier is closed", "Ferry 4 is cancelled or late."),
    "done_before": ("Nora is already a pilot!", "A tow was already raised for this boat."),
    "sent_back": ("You need to be on the pier first!", "Please sail with /moor to enter."),
    "turned_down": ("Card declined", "Mooring request rejected by the pilot"),
    "refused_it": ("The pilot refused the key.",),
    "undone": ("No tide table at hand — log not updated.", "Odd request, not unlocking gates."),
    "skipped": ("Skipped: no crane", "skipped (missing pilot)"),
    "for_others": ("Only the pilot on watch can open gates",),
    "lacking": ("You don't seem to own a boat here.",),
    "under_way": ("Already mooring.", "Another tow is still running."),
    "first_do": ("Unlock the gate before mooring.", "Finish this tow first."),
    "another": ("The pier closes at ten; choose an earlier ferry.",),
    "run_out": ("Plotter out of labels.", "The pilot has opted out of letters."),
    "regret": ("Unfortunately, all boats have left",),
    "in_the_way": ("The tow overlaps with 'Nora' (9:00-9:15)", "Berth plan clashes with the ebb"),
    "idle": ("Nothing is moored at pier 4", "Nothing was stored: the hold is empty"),
}
NOT_BORNE = (
    "If a berth is not valid, the pilot decides.",
    "Returns None where a berth is not valid",
    "Berth 7 was freed because its ticket is not valid",
    "Deleted 3 berths that were not supported",
    "They said the pier is not supported.",
    "Is the berth not supported?",
    "Berths must be left clean",
    "3 berths must be cleaned",
    "For guests the pier is not supported",
    "No berths match the filter",
    "Status: the berth is not valid",
    "berth = pier.find(7)  # must be free",
    "The pier must be closed; it was opened by mistake",
    "The sea is not supported by pillars of the earth",
    "The pump is not running",
    "Harbour 7 has no cranes.",
    "No active harbour",
    "No piers configured",
    "A whale is not a very big fish",
    "Butter burns. Use oil instead.",
    "That is not bad at all.",
    "That is not the end of the story.",
    "That is not a real mushroom.",
    "That wasn't the first storm.",
    "That evening could not have been better.",
    "Incomplete berths",
    "Berth booked, no conflicts with the ebb",
)


def test_each_sign_has_an_example() -> None:
    assert set(BORNE) == {sign.name for sign in (*SIGNS, *ACTING_SIGNS)}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in BORNE.items() for text in texts]
)
def test_a_refusal_bears_its_sign(name: str, text: str) -> None:
    is_acting = name in {sign.name for sign in ACTING_SIGNS}
    sign = sign_of_refusal(text, tool="acting" if is_acting else "other")
    assert sign is not None
    assert sign.name == name


@pytest.mark.parametrize("text", NOT_BORNE)
def test_what_explains_or_answers_bears_none(text: str) -> None:
    assert sign_of_refusal(text) is None


@pytest.mark.parametrize(
    ("tool", "failed"), [("pump_send", True), ("get_pump", False), ("check_pump", False)]
)
def test_a_state_hinders_who_acts_and_answers_who_asks(tool: str, *, failed: bool) -> None:
    found = call_outcome(ToolExecutionResult(tool, {}, "The pump is not running"))
    assert (found.success is False) is failed
    assert found.rule == ("short_refusal" if failed else "no_error_found")


@pytest.mark.parametrize(
    ("tool", "failed"),
    [("get_member", False), ("view_member", False), ("join_club", True)],
)
def test_who_wants_to_know_is_told_a_state(tool: str, *, failed: bool) -> None:
    found = call_outcome(ToolExecutionResult(tool, {}, "Nora is not a member of this club."))
    assert (found.success is False) is failed


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("The mooring number is not one of the known ones.", False),
        ("Mooring 7 not found", True),
        ("mooring is required", True),
        ("mooring must be a number", True),
    ],
)
def test_what_a_checker_finds_wrong_was_asked_for(text: str, *, failed: bool) -> None:
    found = call_outcome(ToolExecutionResult("validate_mooring", {}, text))
    assert (found.success is False) is failed


@pytest.mark.parametrize(
    ("tool", "text", "failed"),
    [
        ("get_quay", "quay is closed on Mondays", False),
        ("get_sailor", "nora is over 18", False),
        ("get_tide", "tide is too low for sailing, rain expected by noon", False),
        ("get_sail", "The sail is not waterproof. Use a cover.", False),
        ("list_quays", "limit should be an integer", True),
        ("get_quay", "The quay could not be read. Use another name.", True),
        ("generate_report", "Cargo exceeds last year's by 12%; no boats are missing", False),
        ("opening_hours", "shop is closed on sundays", False),
        ("sea", "sky is clear, wind is over 20 knots", False),
        ("moorings", "berth 3 is full, berth 4 has 2 places", False),
        ("ask_pilot", "water does not boil at 90 degrees at sea level", False),
        ("gate_sensor", "gate is not closed", False),
        ("moorings", "berth number must be positive", True),
        ("install_sail", "sail is already installed (2.31)", False),
    ],
)
def test_who_is_asked_refuses_by_demands(tool: str, text: str, *, failed: bool) -> None:
    found = call_outcome(ToolExecutionResult(tool, {}, text))
    assert (found.success is False) is failed


@pytest.mark.parametrize(
    ("tool", "text", "failed"),
    [
        ("lock_gate", "gate is locked", False),
        ("unlock_gate", "gate is locked", True),
        ("lock_gate", "the gate cannot be locked", True),
        ("disable_lamp", "lamp_3 is disabled", False),
        ("enable_lamp", "lamp_3 is disabled", True),
        ("delete_chart", "old.chart no longer exists", False),
        ("delete_chart", "The chart is not found any more", True),
        ("delete_chart", "this call is no longer supported", True),
        ("mute_sailor", "nora can no longer speak here", False),
        ("unsubscribe", "You are not subscribed any more", False),
        ("book_berth", "Berth 4 is already booked", True),
        ("get_berth", "berth 4 is already booked", False),
        ("get_berth", "Crane 4 is disabled. Use another one, then run it again.", True),
        ("join_pier", "The pier is full", True),
        ("update_pier", "The pier has been closed", False),
        ("update_pier", "Pier 4 was closed.", False),
        ("update_pier", "The pier is now full", False),
        ("create_pier", "Pier 4 is already created!", True),
        ("install_sail", "sail is already installed", False),
        ("attack_ship", "You miss. The ship is down to 3 masts.", False),
        ("cancel_tow", "No tow found with this name.", True),
        ("cancel_tow", "Tow 4 is closed", False),
        ("remind_crew", "Tow 4 not due yet.", True),
        ("add_note", "Please find the note attached.", False),
        ("add_buoy", "THIS BUOY IS ALREADY AVAILABLE", True),
        ("chart_status", "❌ Missing", False),
        ("can_moor", "Cannot moor", False),
        ("moor_boat", "Cannot moor", True),
        ("check_chart", "Invalid chart", False),
        ("check_pier", "Invalid input", False),
        ("check_pier", "Invalid arguments", True),
        ("summarize_chart", "Cannot summarize the chart.", True),
        ("summarize_chart", "Cannot moor here.", False),
        ("remove_buoy", "The list is empty", False),
        ("cancel_tow", "You don't have a tow at noon.", True),
        ("get_tows", "You don't have a tow at noon.", False),
        ("save_chart", "Warning: the tide is not known. Saving anyway.", False),
        ("save_chart", "The tide is not known.", True),
        ("delete_logs", "Some old logs could not be deleted", False),
        ("explain_delay", "The crane could not be moved: low tide", False),
        ("start_tow", "The tank is empty", True),
        ("draw_chart", "❌ Missing", True),
        ("validate_draught", "Invalid draught format.", False),
        ("validate_draught", "Invalid argument: pier", True),
        ("get_pier", "The pier is full", False),
        ("pay_pilot", "Card declined", True),
        ("payment_status", "Payment declined", False),
        ("get_backup", "Last backup failed", False),
        ("get_backup", "Backup not found", True),
        ("泊位", "berth 4 is booked and cannot be used", True),
        ("fill_tank", "The tank is full.", False),
        ("charge_lamp", "The battery is full (100%).", False),
        ("freeze_card", "Card is frozen.", False),
        ("use_card", "Card is frozen.", True),
        ("set_pilot_inactive", "Pilot 4 is inactive.", False),
        ("turn_off_lamp", "The lamp is disabled.", False),
        ("turn_on_lamp", "The lamp is disabled.", True),
        ("turn_off_lamp", "The lamp is offline.", True),
        ("toggle_lamp", "The lamp is disabled.", False),
        ("block_sailor", "Sailor sea_dog is blocked.", False),
        ("block_sailor", "You have been blocked.", True),
        ("add_sailor", "Sailor sea_dog is blocked.", True),
        ("block_sailor", "The request was blocked.", True),
        ("block_request", "The request was blocked.", False),
        ("disable_account", "The account has been disabled.", False),
        ("create_account", "The account has been disabled.", True),
        ("get_certificate", "Certificate expired on 2024-01-02.", False),
        ("get_tides", "Certificate expired on 2024-01-02.", True),
        ("get_pier", "泊位已满。", False),
        ("check_pier", "船票已售罄", False),
        ("join_pier", "泊位已满。", True),
        ("get_pier", "登录已过期。", True),
        ("book_berth", "Please arrive early. Berth 4 is yours.", False),
        ("register_boat", "Please check your inbox: we sent a link.", False),
        ("register_boat", "Please check the name of the boat.", True),
        ("play_shanty", "No shanties found for 'whale'", True),
        ("search_shanties", "No shanties found for 'whale'", False),
        ("list_shanties", "No shanties found for 'whale'", False),
        ("update_chart", "No updates found for 'north.chart'", False),
        ("remove_berths", "No duplicate berths found for 'north'", False),
        ("delete_logs", "No old logs found for pier 4", False),
        ("finalize_tow", "No boat in line.", True),
        ("get_tow", "No boat in line.", False),
        ("update_price", "No change in price.", False),
        ("write_lamp", "Leuchte Nord ist offline.", True),
        ("get_lamp", "Leuchte Nord ist offline.", False),
        ("rate_translation", "You cannot rate your own words.", True),
        ("translate_text", "You cannot rate your own words.", False),
        ("plot_tide", "--pier and --berth must be given together", True),
        ("plot_tide", "--pier and --berth are shown below", False),
        ("get_round", "❌ nora: 3\n⭕ lee: 4", False),
        ("get_round", "❌ nora: 3\n💡 play again", True),
        ("render_song", "The plotter returned empty audio", True),
        ("render_song", "The plotter returned audio of 3 s", False),
        ("get_traceback", "Traceback (most recent call last):\n  File 'a'\nTideError: low", False),
        ("get_tide", "Traceback (most recent call last):\n  File 'a'\nTideError: low", True),
        ("moor_boat", "Orders above 0.1 t are rejected.", True),
        ("get_rule", "Orders above 0.1 t are rejected.", False),
        ("get_rule", "Requests above 0.1 t are rejected.", True),
        ("mend_boats", "No duplicates found.", False),
        ("sync_charts", "No conflicts detected in 'north'.", False),
        ("save_tow", "[test] pier: 4 · boat: none\nSomething went wrong in the harbour.", True),
        ("save_tow", "[test] pier: 4 · boat: none\nThe tow was saved.", False),
        ("save_tow", "[info] tide: low\nFailed tows are kept for a day", False),
        ("advise_crew", "The pier closes at ten; choose an earlier ferry.", False),
        ("get_hours", "The pier closes at ten; choose an earlier ferry.", False),
        ("send_letter", "Letter sent. For other dates, choose another form.", False),
        ("start_export", "Your export is in progress. Check back later.", False),
        ("start_tow", "The tow is running.", False),
        ("restart_crane", "Crane is already running again.", False),
        ("start_tow", "A tow is already running for boat 4.", True),
        ("stop_tow", "Another tow is running.", False),
        ("set_away", "Nora is out of office.", False),
        ("check_out", "Checked out of berth 4.", False),
        ("check_in", "You are too far from the pier to check in.", True),
        ("check_boat", "You are too far from the pier to moor.", False),
        ("get_steps", "Open the gate first.", False),
        ("get_recipe", "Connect the hose before opening the tap.", False),
        ("get_rules", "Boats may not exceed 4 knots.", False),
        ("save_berth", "berth name may not contain digits", True),
        ("save_berth", "The name may not be known to all", False),
        ("set_mode", "Mode set to dim. Available modes: dim, bright", False),
        ("set_mode", "No such mode. Available modes: dim, bright", True),
        ("set_mode", "No valid lamp modes provided. Allowed: dim, bright", True),
        ("sync_boats", "no_change", False),
        ("get_room", "room_closed", False),
        ("book_room", "room_closed", True),
        ("get_file", "The file lies outside the main folder of the project.", False),
        ("get_usage", "Daily limit of 5 tows: 3 used", False),
        ("book_tow", "Daily limit of 5 tows reached.", True),
        ("get_news", "The bridge cannot be crossed right now.", False),
        ("get_story", "The pilot could not attend: the feast went on without him.", False),
        ("count_piers", "Berths missing: 0", False),
        ("list_parts", "Parts required (see the list)", False),
        ("board", "Blocked: 3", False),
        ("draw_name", 'Cannot create a name from "??".', True),
        ("apply_rebate", "There is no rebate to apply.", True),
        ("get_rebate", "There is no rebate to apply.", False),
        ("verify_chart", "verify_chart tool is not enabled. Set CHARTS=true to enable.", True),
        ("verify_chart", "Chart is not enabled", False),
        ("grade_chart", "Unsupported chart format: .xyz", True),
        ("grade_chart", "Invalid chart format", False),
        ("tide", "Only numbers allowed", True),
        ("tide", "The only numbers allowed here are primes, he said", False),
        ("assign_berth", "No summer berths available right now.", True),
        ("list_berths", "No summer berths available right now.", False),
        ("upgrade_chart", "No chart updates available.", False),
        ("hover_chart", "No tide information available", False),
        ("send_boats", "No boats staged for the tow. Use all=True to stage them.", True),
        ("moor", "Your reply had no 'pier' field. Choose one of: north, south", True),
        ("moor", "Your answer had no flaw, well done", False),
        ("moor", "Tide gauge misconfigured", True),
        ("modify_tow", "No open tow with ticket 123", True),
        ("close_tow", "No open tow with ticket 123", True),
        ("get_tow", "No open tow with ticket 123", False),
        ("check_tow", "No open tow with ticket 123", False),
        ("modify_tow", "No problems with ticket 123", False),
        ("modify_tow", "No tow with sails this year", False),
        ("run_command", "Approval required for: rm tide.log", True),
        ("check_tow", "Approval required for: night tows", False),
        ("get_approval_rules", "Approval required for: night tows", False),
        ("get_tow_policy", "Human approval required", False),
        ("get_tide", "Human approval required", True),
        ("moor", "Pier name shouldn't be null", True),
        ("đặt_tàu", "Không có tàu 'north'. Chỉ dùng tên trong danh sách.", True),
        ("tìm_tàu", "Không có kết quả cho 'north'.", False),
        ("tìm_tàu", "Không có tàu nào cho 'north'.", False),
        ("light_lamp", "没有已连接的灯", True),
        ("list_lamps", "没有已连接的灯", False),
        # What is said beside a deed that was done.
        ("start_tow", "A tow is running in the harbour; you will get a letter.", False),
        ("start_tow", "A tow is currently running for this pier", True),
        ("launch_tow", "Another tow is in progress; wait for it to end.", True),
        ("moor_boat", "The berth is yours. Use another tool to add lines.", False),
        ("move_boat", "You go north. Try other piers.", False),
        ("draw_card", "You drew the queen! Pick another card or stand.", False),
        ("upload_chart", "Chart stored at pier/4. For old plotters, use a smaller size.", False),
        ("set_name", "That is the name of a pier. Choose another name.", True),
        ("book_tow", "The office is shut on Sunday. Choose a different day.", True),
        ("set_price", "Price is below cost, use a higher price", True),
        ("build_boat", "Boat made out of planks", False),
        ("update_letters", "You have opted out of letters.", False),
        ("send_letter", "Nora has unsubscribed", True),
        ("publish_chart", "No downtime for pilots", False),
        ("set_bell", "No limit on bells", False),
        ("update_tow", "No response needed for this tow.", False),
        ("edit_tow", "No tow for pilot 42", True),
        ("move_tow", "No tow for today", False),
        ("book_berth", "Berth 4 has already been taken.", True),
        ("mute_bell", "The bell has already been muted", False),
        ("remove_line", "No lines left on the boat.", False),
        ("complete_tow", "No tows left. Well done!", False),
        ("book_tow", "No tows left", True),
        ("purge_hold", "Hold is empty", False),
        ("fill_boat", "Hold is empty", True),
        ("void_ticket", "Ticket 7 is void", False),
        ("use_ticket", "Ticket 7 is void", True),
        ("answer_question", "The museum is closed on Mondays.", False),
        ("complete_text", "you don't have to be a pilot to sail", False),
        ("forward_geocode", "No piers found for 'north'", False),
        ("check_in_list", "Nora is already in the list", False),
        ("check_in_crew", "Nora is already aboard; choose another pilot.", True),
        ("get_check_in", "Nora is already checked in", False),
    ],
)
def test_what_a_tool_was_to_do_does_not_hinder_it(tool: str, text: str, *, failed: bool) -> None:
    found = call_outcome(ToolExecutionResult(tool, {}, text))
    assert (found.success is False) is failed


@pytest.mark.parametrize(
    ("arguments", "failed"),
    [
        ({"berth": 4, "state": "closed"}, False),
        ({"berth": 4, "action": "close"}, False),
        ({"berth": 4, "note": "gulls"}, True),
        ("close it", True),
    ],
)
def test_a_state_that_was_asked_for_hinders_nobody(arguments: object, *, failed: bool) -> None:
    found = call_outcome(ToolExecutionResult("update_berth", arguments, "Berth 4 is closed"))
    assert (found.success is False) is failed


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ('Letter sent to nora@pier.example with subject "Server not responding"', False),
        ("Rule 'depth must be positive' is active", False),
        ("the 'depth' must be positive", True),
        ("Value 'deep' must be a number", True),
    ],
)
def test_what_is_quoted_is_no_failure(text: str, *, failed: bool) -> None:
    assert (failing_opening(text) is not None) is failed


@pytest.mark.parametrize("mark", ["# ", "> ", "- ", "`", "* "])
def test_markup_opens_prose(mark: str) -> None:
    assert failing_opening("cranes supports iron and coal only") is not None
    assert failing_opening(f"{mark}cranes supports iron and coal only") is None


def test_many_in_general_are_no_case() -> None:
    rules = "Dogs are not allowed on the pier. Children are."
    assert failing_opening(rules) is None
    assert failing_opening("Dogs are not allowed on this pier. Use another one.") is not None


def test_a_list_of_exceptions_is_no_exception() -> None:
    assert failing_opening("TideError: low (3 times)\nWindError: none (1 time)") is None
    assert failing_opening("TideError: low\n  at pier 3") is not None


@pytest.mark.parametrize(
    "unit", ["not ", "the pier ", "a_b ", "is not ", "'x' ", "no ", "x: ", "must be; ", "Pier. "]
)
def test_the_look_for_signs_takes_no_time(unit: str) -> None:
    start = process_time()
    for tool in ("acting", "asking"):
        sign_of_refusal((unit * 240)[:240], tool=tool)
    assert process_time() - start < 1


@pytest.mark.parametrize(
    ("tool", "body", "failed"),
    [
        ("join_tow", {"message": "This tow is already full"}, True),
        ("get_tow", {"message": "This tow is already full"}, False),
        ("join_tow", {"message": "This tow is already full", "tow": {"seats": 4}}, False),
        ("join_tow", {"message": "You have joined the tow"}, False),
        ("disable_account", {"message": "The account has been disabled."}, False),
        ("create_account", {"message": "The account has been disabled."}, True),
        ("drop_tow", {"deleted": True, "message": "Tow not found any more"}, False),
        ("drop_tow", {"deleted": False, "message": "Tow not found"}, True),
    ],
)
def test_the_words_of_a_body_are_read_like_others(
    tool: str, body: dict[str, object], *, failed: bool
) -> None:
    found = call_outcome(ToolExecutionResult(tool, {}, body))
    assert (found.success is False) is failed


@pytest.mark.parametrize(
    ("tool", "body", "failed"),
    [
        ("check_task_status", {"task_id": "t", "status": "failed", "error": "disk full"}, False),
        ("get_job", {"job_id": "4", "state": "TIMED_OUT", "error_message": "too slow"}, False),
        ("get_export", {"export_id": "4", "status": "cancelled", "error": "by Ann"}, False),
        # Its own work, a work that is not there, a word of the call itself, a thing and no work.
        ("export_pages", {"export_id": "4", "status": "failed", "error": "disk full"}, True),
        ("get_job", {"job_id": "4", "status": "failed", "error": "job not found"}, True),
        ("get_job", {"job_id": "4", "status": "error", "error": "disk full"}, True),
        ("get_user", {"user_id": "4", "status": "failed", "error": "disk full"}, True),
        ("run_job", {"job_id": "4", "status": "failed", "error": "disk full"}, True),
    ],
)
def test_how_a_work_went_is_told_to_who_looks_after_it(
    tool: str, body: dict[str, str], *, failed: bool
) -> None:
    outcome = call_outcome(ToolExecutionResult(tool, {}, body))
    assert outcome.success is not failed


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("Backup of pier 4 failed.", True),
        ("Backup complete: 0 failed, 12 stored", False),
        ("No backup failed.", False),
        ('Note 4 created. Heading: "Card declined".', False),
        ('Card "Mend failed crane" moved to Blocked.', False),
        ('Card "Mend crane" rejected.', True),
        ("tide_chart rejected.", True),
        ("Request 8 approved; request 9 was rejected before.", False),
        ("Request 9 was rejected before.", True),
    ],
)
def test_a_work_fails_in_its_own_sentence(text: str, *, failed: bool) -> None:
    assert (failing_opening(text) is not None) is failed


def test_half_a_letter_in_a_text_of_ones_own_ends_nothing() -> None:
    assert sign_of_refusal("berth \ud800 is required") is not None


@pytest.mark.parametrize(
    ("text", "failed"), [("There is no goblin.", True), ("There was no damage.", False)]
)
def test_what_was_not_there_is_what_came_of_a_deed(text: str, *, failed: bool) -> None:
    found = call_outcome(ToolExecutionResult("attack_goblin", {}, text))
    assert (found.success is False) is failed


@pytest.mark.parametrize(
    ("tool", "text", "failed"),
    [
        ("cancel_tow", "Tow 9 cannot be cancelled.", True),
        ("cancel_tow", "The pilot's name does not match the tow", True),
        ("cancel_tow", "Tow 9 cancelled. It cannot be booked again.", False),
        ("cancel_tow", "Tow 9 is off; this cannot be revoked", False),
    ],
)
def test_who_is_to_stop_it_is_told_that_it_goes_on(tool: str, text: str, *, failed: bool) -> None:
    found = call_outcome(ToolExecutionResult(tool, {}, text))
    assert (found.success is False) is failed
