"""The arena's page in a browser: long sessions, two tabs, a restart, blind ones, and refusals."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from tests.arena.live_server import FRAMEWORKS, ArenaServer, arena_server
from tests.ports import lasting_port
from tests.web.accessibility import barriers
from tests.web.arena_talk import posed
from tests.web.patient_client import CLIENT

from assay.arena.history import FORMAT
from assay.run import Source
from assay.store import Store
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Route

    Opened = Callable[..., Page]

ECHO = "tests.arena.live_server:echo"
PROMPTS = 25


@pytest.fixture(scope="module")
def echoes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArenaServer]:
    """Two agents that say at once what was said."""
    store = tmp_path_factory.mktemp("echoes") / "store"
    agents = [ECHO, f"{ECHO}=scripted-sloppy"]
    with arena_server(store, agents, warm_up=False) as server:
        yield server


@pytest.fixture(scope="module")
def long(echoes: ArenaServer) -> str:
    """The address of a session of many prompts."""
    address = posed(f"{echoes.address}/arena", "Say this again.", repeat=20)
    posed(address, "And this.", repeat=PROMPTS - 20)
    CLIENT.get(f"{echoes.address}/arena")  # by then the store has it
    return address


def numbers(page: Page) -> list[int]:
    shown = page.locator("article").evaluate_all("(all) => all.map((one) => one.dataset.prompt)")
    return [int(number) for number in shown]


def test_earlier_prompts_are_loaded_by_the_keyboard_while_new_ones_come(
    long: str, open_page: Opened
) -> None:
    page = open_page(long)
    newest = numbers(page)[0]
    assert numbers(page) == list(range(newest, newest - 10, -1))
    expect(page.locator("#more")).to_contain_text(f"{newest - 10} earlier ones are not shown")
    page.locator("[data-more]").focus()
    page.keyboard.press("Enter")
    expect(page.locator(f"#q{newest - 10}")).to_be_focused()
    assert numbers(page) == list(range(newest, newest - 20, -1))
    page.fill("#prompt", "And a new one.")
    page.locator("#prompt").press("Enter")
    expect(page.locator(f"#p{newest + 1} .clock")).to_be_visible()
    assert numbers(page) == list(range(newest + 1, newest - 20, -1))
    expect(page.locator("#now h2")).to_contain_text("And a new one.")
    page.locator("[data-more]").click()
    expect(page.locator("#p1")).to_be_attached()
    assert numbers(page) == list(range(newest + 1, 0, -1))
    expect(page.locator("[data-more]")).to_have_count(0)


def test_an_address_with_a_prompt_leads_to_it(long: str, open_page: Opened) -> None:
    page = open_page(f"{long}#p3")
    page.wait_for_url(re.compile(r"\?before=4#p3$"))
    expect(page.locator("#p3")).to_be_in_viewport()
    newest = numbers(page)[0]
    assert numbers(page) == [newest, 3, 2, 1]
    expect(page.locator(".gap")).to_contain_text(f"{newest - 4} prompts between")
    page.fill("#prompt", "Still alive?")
    page.locator("#prompt").press("Enter")
    expect(page.locator(f"#p{newest + 1} .clock")).to_be_visible()
    assert numbers(page) == [newest + 1, newest, 3, 2, 1]
    page.get_by_role("link", name="Show the latest").click()
    page.wait_for_url(long)
    assert numbers(page)[:3] == [newest + 1, newest, newest - 1]


def test_earlier_prompts_are_reached_without_scripts(long: str, open_page: Opened) -> None:
    page = open_page(long, java_script_enabled=False)
    while (oldest := numbers(page)[-1]) > 1:
        page.locator("[data-more]").click()
        page.wait_for_url(f"{long}?before={oldest}#p{oldest - 1}")
        expect(page.locator(f"#p{oldest - 1}")).to_be_attached()
    expect(page.locator("[data-more]")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 320])
def test_anybody_can_read_a_page_of_earlier_prompts(
    long: str, open_page: Opened, width: int
) -> None:
    size = {"width": width, "height": 800}
    page = open_page(f"{long}?before=4", viewport=size, bypass_csp=True)
    assert barriers(page) == []


@pytest.fixture(scope="module")
def exaggerated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a session in which everything is too long."""
    agents = ["tests.arena.live_server:exaggerates", ECHO]
    store = tmp_path_factory.mktemp("exaggerated") / "store"
    with arena_server(store, agents, warm_up=False) as server:
        address = posed(f"{server.address}/arena", "line\n" * 40 + "word " * 500 + "V" * 2_000)
        for text in ("Please fail.", "Say nothing."):
            posed(address, text)
        yield address


@pytest.mark.parametrize("width", [1280, 320])
def test_what_is_too_long_stays_in_its_place(
    exaggerated: str, open_page: Opened, width: int
) -> None:
    size = {"width": width, "height": 800}
    page = open_page(exaggerated, viewport=size, bypass_csp=True)
    assert barriers(page) == []
    for place in ("#q1", "#p1-A .calls", "#p2-A .error"):
        box = page.locator(place).bounding_box()
        assert box is not None
        assert box["height"] < 500
    expect(page.locator("#p1-A")).to_contain_text("10 more calls")
    expect(page.locator("#p3-A")).to_contain_text("The answer is empty.")
    expect(page.locator("#p3-A .facts")).to_contain_text("0.00")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_two_tabs_of_one_session_show_the_same(echoes: ArenaServer, open_page: Opened) -> None:
    address = posed(f"{echoes.address}/arena", "Hello, both of you.")
    one, other = open_page(address), open_page(address)
    other.fill("#prompt", "I am still typing")
    one.fill("#prompt", "From the first tab.")
    one.locator("#prompt").press("Enter")
    for page in (one, other):
        expect(page.locator("#now #p2 .clock")).to_be_visible()
        expect(page.locator("#p2-B [data-answer]")).to_have_text("From the first tab.")
        expect(page.locator("[data-send]")).to_be_enabled()
    expect(other.locator("#prompt")).to_have_value("I am still typing")


def test_what_is_typed_while_a_prompt_is_on_its_way_stays(
    echoes: ArenaServer, open_page: Opened
) -> None:
    page = open_page(posed(f"{echoes.address}/arena", "Hello."))
    held: list[Route] = []
    page.route("**/prompts", lambda route: held.append(route))  # noqa: PLW0108 - it needs a function
    page.fill("#prompt", "Send this.")
    page.locator("#prompt").press("Enter")
    while not held:
        page.wait_for_timeout(10)
    page.fill("#prompt", "I type on")
    with page.expect_response("**/prompts"):
        held[0].continue_()
    expect(page.locator("#p2 .clock")).to_be_visible()
    expect(page.locator("#p2-A [data-answer]")).to_have_text("Send this.")
    expect(page.locator("#prompt")).to_have_value("I type on")


def test_what_is_typed_outlives_a_restart_of_the_server(tmp_path: Path, open_page: Opened) -> None:
    agents, port = [ECHO, f"{ECHO}=scripted-sloppy"], lasting_port()
    with arena_server(tmp_path / "store", agents, warm_up=False, port=port) as server:
        address = posed(f"{server.address}/arena", "Before the restart.")
        page = open_page(address, outlives_server=True)
        page.fill("#prompt", "I am still typing")
        posed(page.url, "And one more.")
        expect(page.locator("#p2 .clock")).to_be_visible()
    expect(page.locator("[data-note]")).to_contain_text("does not answer")
    with arena_server(tmp_path / "store", agents, warm_up=False, port=port):
        expect(page.locator("[data-note]")).to_contain_text("goes on from the store")
        expect(page.locator("#prompt")).to_have_value("I am still typing")
        page.locator("#prompt").press("Enter")
        expect(page.locator("#p3 .clock")).to_be_visible()
        expect(page.locator("#p3 .told")).to_contain_text("and what their tools had returned")
        page.goto("about:blank")


def test_a_turn_that_a_restart_ends_is_shown_as_it_was_kept(
    tmp_path: Path, open_page: Opened
) -> None:
    agents, port = [ECHO, "tests.arena.live_server:waits"], lasting_port()
    store = tmp_path / "store"
    with arena_server(store, agents, deadline=200, warm_up=False, port=port) as server:
        begun = CLIENT.post(f"{server.address}/arena", data={"prompt": "Go on, both."})
        page = open_page(f"{server.address}{begun.headers['location']}", outlives_server=True)
        expect(page.locator("#p1-B [data-answer]")).to_have_text("Well, let me think")
        page.fill("#prompt", "I am still typing")
    with arena_server(store, agents, warm_up=False, port=port):
        expect(page.locator("#p1-B header")).to_contain_text("stopped")
        expect(page.locator("#p1-B [data-answer]")).to_have_text("Well, let me think")
        expect(page.locator("#prompt")).to_have_value("I am still typing")
        page.goto("about:blank")


def test_a_session_that_was_never_kept_is_told(tmp_path: Path, browser: Browser) -> None:
    page, port = browser.new_page(), lasting_port()
    with arena_server(tmp_path / "one", [ECHO], warm_up=False, port=port) as server:
        page.goto(posed(f"{server.address}/arena", "Hello."))
    with arena_server(tmp_path / "other", [ECHO], warm_up=False, port=port):
        note = page.locator("[data-note]")
        expect(note).to_contain_text("does not know this session")
        page.fill("#prompt", "Hello?")
        page.locator("#prompt").press("Enter")
        expect(note).to_contain_text("Begin a new one")
        expect(page.locator("#prompt")).to_have_value("Hello?")
        page.close()


# All at once, so that no part is swapped in between.
SCROLL = """() => {
  const [cell, answer] = ["#p1-A", "#p1-A [data-answer]"].map((x) => document.querySelector(x));
  answer.scrollTop = 120;
  answer.focus();
  cell.querySelector(".calls").scrollTop = 70;
}"""


def test_what_a_reader_scrolled_opened_and_focused_stays_so(
    tmp_path: Path, open_page: Opened
) -> None:
    agents = [f"tests.arena.live_server:{name}" for name in ("exaggerates", "waits")]
    with arena_server(tmp_path / "store", agents, deadline=200, warm_up=False) as server:
        begun = CLIENT.post(f"{server.address}/arena", data={"prompt": "Go on, both."})
        page = open_page(f"{server.address}{begun.headers['location']}")
        answer, calls = page.locator("#p1-A [data-answer]"), page.locator("#p1-A .calls")
        expect(page.locator("#p1-A header")).to_contain_text("answered")
        page.locator("#p1-A details[data-key=call-3] summary").click()
        expect(page.locator("#p1-B [data-answer]")).to_have_text("Well, let me think")
        page.evaluate(SCROLL)
        CLIENT.post(f"{page.url}/stop")
        expect(page.locator("#p1 .clock")).to_be_visible()
        assert answer.evaluate("(box) => box.scrollTop") == 120
        assert calls.evaluate("(box) => box.scrollTop") == 70
        expect(answer).to_be_focused()
        expect(page.locator("#p1-A details[data-key=call-3]")).to_have_attribute("open", "")
        expect(page.locator("#p1-B details[open]")).to_have_count(0)
        page.goto("about:blank")


def test_the_focus_goes_back_to_the_prompt_when_all_is_stopped(
    tmp_path: Path, open_page: Opened
) -> None:
    agents = ["tests.arena.live_server:waits"]
    with arena_server(tmp_path / "store", agents, deadline=200, warm_up=False) as server:
        begun = CLIENT.post(f"{server.address}/arena", data={"prompt": "Go on."})
        page = open_page(f"{server.address}{begun.headers['location']}")
        expect(page.locator("#p1-A [data-answer]")).to_have_text("Well, let me think")
        page.get_by_role("button", name="Stop").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#p1-A header")).to_contain_text("stopped")
        expect(page.locator("#prompt")).to_be_focused()
        page.goto("about:blank")


def test_nobody_to_ask(echoes: ArenaServer, open_page: Opened) -> None:
    page = open_page(f"{echoes.address}/arena")
    for letter in "AB":
        page.uncheck(f"input[name=agents][value={letter}]")
    page.fill("#prompt", "Is anybody there?")
    page.locator("#prompt").press("Enter")
    expect(page.locator("[data-note]")).to_contain_text("Nobody to ask: tick at least one agent.")
    expect(page.locator("input[name=agents][value=A]")).to_be_focused()
    assert page.url.endswith("/arena")
    reply = CLIENT.post(
        f"{echoes.address}/arena", data={"prompt": "Is <anybody> there?", "choose": "1"}
    )
    assert reply.status_code == 400
    assert "nobody to ask: choose at least one agent" in reply.text
    assert "Is &lt;anybody&gt; there?</textarea>" in reply.text
    assert CLIENT.post(f"{echoes.address}/arena", data={"prompt": "All."}).status_code == 303


def test_a_refused_prompt_stays_in_the_form(echoes: ArenaServer) -> None:
    fields = {"prompt": "Which?", "choose": "1", "agents": "B", "blind": "1", "repeat": "3"}
    page = CLIENT.post(f"{echoes.address}/arena", data=fields).text
    assert "a blind session needs two agents or more" in page
    boxes = re.findall(r'<input type="(?:checkbox|number)"[^>]*>', page)
    assert [("checked" in box) for box in boxes if "agents" in box] == [False, True]
    assert any('name="repeat" value="3"' in box for box in boxes)
    assert any('name="blind" value="1" checked' in box for box in boxes)


DIRECTIONS = ("[http-500]", "[unknown-tool]", "[broken-arguments]", "[call get_any {}]")


def test_errors_tell_no_framework_in_a_blind_session(tmp_path: Path, open_page: Opened) -> None:
    betrays = "tests.arena.live_server:betrays"
    agents = [*FRAMEWORKS, "plain", betrays]
    with arena_server(tmp_path / "store", agents, deadline=20) as server:
        address = posed(f"{server.address}/arena", DIRECTIONS[0], blind="1")
        for direction in DIRECTIONS[1:]:
            posed(address, f"{direction} What's the weather in Oslo?")
        parts = [f"prompts/{n}" for n in range(1, 5)] + [f"prompts/{n}/A" for n in range(1, 5)]
        pages = [CLIENT.get(place).text for place in (address, *(f"{address}/{p}" for p in parts))]
        # What the agents answered is theirs to say.
        blind = unescape(re.sub('(?s)<div class="answer.*?</div>', "", "".join(pages)))
        runs = [json.loads(line) for line in CLIENT.get(f"{address}/export").text.splitlines()]
        said = [words for run in runs for words in _errors(run)]
        assert len(said) > 8
        assert [words for words in said if words in blind] == []
        assert not re.search("google|adk|agent.framework|pydantic|openai", blind, re.IGNORECASE)
        page = open_page(address)
        expect(page.locator("#p1 .error").first).to_contain_text(
            "shown once every prompt is judged"
        )
        for number in range(1, 5):
            page.click(f"#p{number} .choose button[value=unclear]")
            expect(page.locator(f"#p{number} .chosen")).to_be_visible()
        expect(page.locator("#p1 .error", has_text="google.adk.runners").first).to_be_visible()
        page.goto("about:blank")


def _errors(run: dict[str, Any]) -> list[str]:
    """What a framework said in its own words: the error, its notes, and of calls that failed."""
    notes = [e["data"]["text"] for e in run["events"] if e["kind"] == "note"]
    calls = [c for c in run["execution_data"]["tool_executions"] if not c["success"]]
    told = [run.get("error"), *notes, *(call.get("error_message") for call in calls)]
    return [words for words in told if words]


def test_prompts_to_be_judged_are_found(echoes: ArenaServer, open_page: Opened) -> None:
    address = posed(f"{echoes.address}/arena", "Judge me.", repeat=12, blind="1")
    page = open_page(address)
    expect(page.locator("#waiting")).to_contain_text("12 prompts are still to be judged.")
    page.get_by_role("link", name="Judge prompt 1").click()
    page.click("#p1 .choose button[value=same]")
    expect(page.locator("#p1 .chosen")).to_be_in_viewport()
    expect(page.locator("#waiting")).to_contain_text("11 prompts are still to be judged.")


def test_an_open_page_says_what_is_wrong_with_the_arena(tmp_path: Path, open_page: Opened) -> None:
    store, whole, full = (tmp_path / name for name in ("store", "whole", "full"))
    whole.mkdir()
    full.write_text("a full disk, as far as the store can tell")
    store.symlink_to(whole)
    with arena_server(store, [ECHO], warm_up=False) as server:
        page = open_page(posed(f"{server.address}/arena", "Hello."))
        CLIENT.get(f"{server.address}/arena")
        _lead(store, full)
        page.fill("#prompt", "Is there room?")
        page.locator("#prompt").press("Enter")
        expect(page.locator("[data-problem]")).to_contain_text("1 turn waits for it")
        _lead(store, whole)
        expect(page.locator("[data-problem]")).to_be_hidden()
        page.goto("about:blank")


def _lead(link: Path, target: Path) -> None:
    """Let a link lead elsewhere, in one step: the arena looks every second."""
    fresh = link.with_name("fresh")
    fresh.symlink_to(target)
    fresh.replace(link)


ODD_NAMES = (
    'a"; filename="evil.sh',
    "../../etc/passwd",
    "line\r\nSet-Cookie: a=b",
    "x" * 3_000,
    "天气?#&%2F",
    "",
)


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an arena over a store whose sessions have these names."""
    path = tmp_path_factory.mktemp("strange") / "store"
    place = {"letter": "A", "order": "A", "of": 1, "blind": False, "retold": False}
    with Store.create(path).writer() as writer:
        for number, name in enumerate(ODD_NAMES):
            case = AgentTestCase(f"What is odd in {number}?", "The name.", framework=ECHO)
            case.model, case.run_id, case.extra["arena"] = "scripted-good", f"odd-{number}", place
            case.source = Source(path=name, format=FORMAT, position=1)
            writer.add(case)
    with arena_server(path, [ECHO], warm_up=False) as server:
        yield f"{server.address}/arena"


@pytest.mark.parametrize("number", [number for number, name in enumerate(ODD_NAMES) if name])
def test_a_session_of_a_strange_store_can_be_opened_and_exported(
    number: int, strange: str, open_page: Opened
) -> None:
    page = open_page(strange)
    page.get_by_role("link", name=f"What is odd in {number}?").click()
    expect(page.locator("#p1-A [data-answer]")).to_have_text("The name.")
    reply = CLIENT.get(f"{page.url}/export")
    assert reply.status_code == 200
    header = reply.headers["content-disposition"]
    assert re.fullmatch(r'attachment; filename="arena-[0-9A-Za-z]{1,8}\.jsonl"', header)
    assert json.loads(reply.text)["actual_output"] == "The name."
    page.fill("#prompt", "And on?")
    page.locator("#prompt").press("Enter")
    expect(page.locator("#p2 .clock")).to_be_visible()


def test_a_session_without_a_name_keeps_nobody_from_the_others(strange: str) -> None:
    page = CLIENT.get(strange)
    assert page.status_code == 200
    assert all(f"What is odd in {number}?" in page.text for number in range(len(ODD_NAMES)))
