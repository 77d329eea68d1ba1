"""The arena's page in a real browser: what is typed, streamed, stopped, stored and found again."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from tests.arena.live_server import FRAMEWORKS, ArenaServer, arena_server
from tests.web.accessibility import barriers
from tests.web.arena_talk import posed, wait_until_answered
from tests.web.patient_client import CLIENT

from assay.agents.scripted.behaviours import HOSTILE
from assay.readers import read_runs
from assay.store import Store
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    Opened = Callable[..., Page]

TURNS = (
    "I hate cold weather.",
    "What's the weather in Oslo?",
    "Compare the weather in Oslo and Madrid.",
    "What's the weather in Atlantis?",
    "And tomorrow in Tampere?",
)
# Notes the lengths of the newest answers whenever something changes.
WATCH = """() => {
  window.lengths = {};
  new MutationObserver(() => {
    for (const answer of document.querySelectorAll("#now [data-answer]"))
      (window.lengths[answer.closest(".cell").id] ??= []).push(answer.textContent.length);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


# An answer was seen in pieces. A page that is late to hear of a prompt has the first words at once,
# so the first answers are slow in coming.
STREAMED = "() => Object.values(window.lengths).some((of) => new Set(of).size > 8)"
PACE = 0.01


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArenaServer]:
    """Both frameworks, at the pace of a model."""
    store = tmp_path_factory.mktemp("both") / "store"
    with arena_server(store, FRAMEWORKS, deadline=15.0, pace=PACE) as server:
        yield server


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArenaServer]:
    """A good agent beside one that dies, one that blocks and one that never ends."""
    agents = ["plain", *(f"tests.arena.live_server:{name}" for name in ("dies", "blocks", "waits"))]
    store = tmp_path_factory.mktemp("odd") / "store"
    with arena_server(store, agents, deadline=8.0) as server:
        yield server


def ask(page: Page, text: str) -> None:
    page.fill("#prompt", text)
    page.keyboard.press("Enter")


def answered(page: Page, number: int) -> None:
    """Wait until all agents are done with a prompt: some take all the time that they have."""
    expect(page.locator(f"#p{number} .clock")).to_be_visible()
    expect(page.locator("[data-send]")).to_be_enabled()


def begin(opened: Opened, server: ArenaServer, text: str, **settings: Any) -> Page:
    page = opened(f"{server.address}/arena", **settings)
    ask(page, text)
    page.wait_for_url(re.compile("/arena/[0-9a-f]{32}$"))
    return page


def test_a_conversation_of_five_turns(both: ArenaServer, open_page: Opened) -> None:
    page = begin(open_page, both, TURNS[0])
    answered(page, 1)
    page.evaluate(WATCH)
    both.model.pace = 0.25
    for number, text in enumerate(TURNS[1:], start=2):
        ask(page, text)
        page.wait_for_function(STREAMED)
        both.model.pace = PACE
        answered(page, number)
    expect(page.locator("[data-note]")).to_contain_text(re.compile("A answered, .+ · B answered, "))
    lengths = page.evaluate("window.lengths")
    assert {f"p{n}-{letter}" for n in range(2, 6) for letter in "AB"} <= lengths.keys()
    assert all(of_one == sorted(of_one) for of_one in lengths.values())
    for letter, name in zip("AB", FRAMEWORKS, strict=True):
        cell = page.locator(f"#p3-{letter}")
        expect(cell.locator("header")).to_contain_text(name)
        expect(cell.locator("header")).to_contain_text("script, no model")
        expect(cell.locator(".calls li")).to_have_count(2)
        expect(cell.locator("[data-answer]")).to_contain_text("Oslo is 2.6°C")
        assert re.search(r"[0-9.]+ m?s", cell.locator(".facts").inner_text())
        expect(cell.locator(".metrics > li")).to_have_count(15)
        steps = [step.split(": ", 1)[1] for step in _steps(page, f"#p3-{letter}", "execution")]
        assert steps[0] == "you → agent: prompt"
        assert sum("agent → tools: get_current_weather" in step for step in steps) == 2
        assert steps[-1] == "agent → you: answer"
        expect(page.locator(f"#p4-{letter} .calls .st.fail")).to_have_text("failed")
        (learned, *_) = _steps(page, f"#p1-{letter}", "learning")
        assert "you → preferences: dislikes_cold: yes" in learned
    expect(page.locator("#claim")).to_contain_text("Cannot tell A from B yet.")
    expect(page.locator("#claim")).to_contain_text("5 prompts paired")
    orders = page.locator(".asked p").all_inner_texts()
    assert len(orders) == 5
    assert all(re.match("asked in the order (A, B|B, A), drawn by lot", order) for order in orders)
    _is_stored_and_survives_a_reload(page)


def test_an_answer_is_told_also_where_only_the_end_of_the_prompt_brings_it(
    both: ArenaServer, open_page: Opened
) -> None:
    """News of a cell may be slower to fetch than the whole prompt, and find it up to date."""
    page = begin(open_page, both, TURNS[0])
    told = re.compile("A answered, .+ · B answered, ")
    expect(page.locator("[data-note]")).to_contain_text(told)
    page.evaluate("() => document.querySelector('[data-note]').replaceChildren()")
    page.route(re.compile(r"/prompts/2/[AB]$"), lambda route: route.fulfill(body="<p>"))
    ask(page, TURNS[1])
    expect(page.locator("[data-note]")).to_contain_text(told)


def _steps(page: Page, cell: str, diagram: str) -> list[str]:
    items = page.locator(f"{cell} details[data-key={diagram}] ol li")
    return [str(text) for text in items.all_text_contents()]


def _is_stored_and_survives_a_reload(page: Page) -> None:
    shown = page.locator("article").all_inner_texts()
    page.reload()
    assert page.locator("article").all_inner_texts() == shown
    lines = CLIENT.get(f"{page.url}/export").text.splitlines()
    runs = [json.loads(line) for line in lines]
    assert [run["input"] for run in runs] == [text for text in TURNS for _ in FRAMEWORKS]
    assert {run["framework"] for run in runs} == set(FRAMEWORKS)
    assert all(run["scores"][0]["name"] == "chatbot" for run in runs)
    page.click("#p5-A .whole a")
    expect(page.locator("main")).to_contain_text(TURNS[4])


@pytest.fixture(scope="module")
def session(both: ArenaServer) -> str:
    """The address of a session with one prompt, answered."""
    return posed(f"{both.address}/arena", TURNS[2])


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("dark", 390)])
def test_anybody_can_read_it(session: str, open_page: Opened, scheme: Any, width: int) -> None:
    size = {"width": width, "height": 844}
    page = open_page(session, color_scheme=scheme, viewport=size, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for address in (session, session.rpartition("/")[0]):
        if page.url != address:
            page.goto(address)
        assert barriers(page) == []


def test_one_agent_at_a_time_in_a_narrow_window(session: str, open_page: Opened) -> None:
    page = open_page(session, viewport={"width": 390, "height": 844})
    expect(page.locator("#p1-A")).to_be_visible()
    expect(page.locator("#p1-B")).to_be_hidden()
    page.locator("[data-show=B]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#p1-A")).to_be_hidden()
    expect(page.locator("#p1-B [data-answer]")).to_contain_text("Oslo")
    page.locator("#p1-B details[data-key=learning]").scroll_into_view_if_needed()
    switch, top = (page.locator(place).bounding_box() for place in ("[data-switch]", ".top"))
    assert switch is not None
    assert top is not None
    assert 0 <= top["y"] + top["height"] - switch["y"] <= 2  # no gap between, nothing covered


def test_the_keyboard_is_enough(both: ArenaServer, open_page: Opened) -> None:
    page = open_page(f"{both.address}/arena")
    page.keyboard.press("/")
    page.keyboard.type("What's the weather")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("in Oslo?")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/arena/[0-9a-f]{32}$"))
    answered(page, 1)
    assert page.locator("#q1").inner_text().endswith("What's the weather\nin Oslo?")
    expect(page.locator("#claim")).to_contain_text("1 prompt paired")  # no part comes any more
    page.locator("#prompt").focus()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#p1-B details[data-key=metrics]')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#p1-B details[data-key=metrics] .metrics")).to_be_visible()


def test_it_works_without_scripts(both: ArenaServer, open_page: Opened) -> None:
    page = open_page(f"{both.address}/arena", java_script_enabled=False)
    page.fill("#prompt", "What's the weather in Oslo?")
    page.click("[data-send]")
    page.wait_for_url(re.compile("/arena/[0-9a-f]{32}$"))
    wait_until_answered(page.url)
    if page.locator("[data-look]").is_visible():
        page.click("[data-look]")
    for letter in "AB":
        expect(page.locator(f"#p1-{letter} [data-answer]")).to_contain_text("Oslo is 2.6°C")
    expect(page.locator("#verdict")).to_contain_text("score of the answers")


def test_chinese_readers_find_chinese_words(both: ArenaServer, open_page: Opened) -> None:
    page = begin(open_page, both, "奥斯陆天气怎么样？", locale="zh-CN")
    answered(page, 1)
    expect(page.locator("#claim")).to_contain_text("目前还分不出 A 与 B 的高下")
    expect(page.locator("#p1-A header")).to_contain_text("脚本扮演")
    # Fifteen metrics, or those beside the ones that tell: a busy machine answers A and B unalike.
    expect(page.locator("#p1-A")).to_contain_text(re.compile(r"十五项指标|另外 \d+ 项指标"))


@pytest.mark.parametrize(
    ("direction", "told"),
    [("[hang]", "no answer within 15 s"), ("[drop]", ""), ("[http-500]", "")],
)
def test_a_model_that_fails_costs_one_turn(
    both: ArenaServer, open_page: Opened, direction: str, told: str
) -> None:
    page = begin(open_page, both, f"{direction} What's the weather in Oslo?")
    answered(page, 1)
    for letter in "AB":
        cell = page.locator(f"#p1-{letter}")
        if direction != "[drop]":  # a reply that breaks off is an answer to some frameworks
            expect(cell.locator("header")).to_contain_text("no answer")
            expect(cell.locator(".error")).to_contain_text(told)
            expect(cell.locator(".facts")).to_contain_text("0.00")
        else:
            expect(cell).to_contain_text("I was just about to")
    ask(page, "What's the weather in Oslo?")
    answered(page, 2)
    expect(page.locator("#p2-A [data-answer]")).to_contain_text("Oslo is 2.6°C")
    expect(page.locator("#p2-B [data-answer]")).to_contain_text("Oslo is 2.6°C")


def test_hostile_answers_are_text(both: ArenaServer, open_page: Opened) -> None:
    page = begin(open_page, both, "[hostile] <img src=x onerror=alert(1)>\u202e weather?")
    answered(page, 1)
    for _ in range(2):
        shown = page.locator("#p1-A [data-answer]").text_content() or ""
        assert "<script>document.title='taken'</script><img src=x onerror=alert(1)>" in shown
        assert "␛[31mred" in shown
        assert "⟨U+202E⟩esrever" in shown
        assert "\x1b" not in page.content()
        assert "\u202e" not in page.content()
        assert page.locator("main img, main script, #arena a[href^=javascript]").count() == 0
        assert page.title() == "Arena · assay"
        page.reload()
    assert HOSTILE in [json.loads(line)["actual_output"] for line in _exported(page)]


def _exported(page: Page) -> list[str]:
    return CLIENT.get(f"{page.url.partition('#')[0]}/export").text.splitlines()


def test_an_agent_that_dies_or_blocks_costs_its_column(odd: ArenaServer, open_page: Opened) -> None:
    page = begin(open_page, odd, "block, please: what's the weather in Oslo?")
    answered(page, 1)
    expect(page.locator("#p1-A [data-answer]")).to_contain_text("Oslo is 2.6°C")
    expect(page.locator("#p1-B .error")).to_contain_text("tried to end the program")
    expect(page.locator("#p1-B [data-answer]")).to_have_text("I was just")
    expect(page.locator("#p1-C .error")).to_contain_text("no answer within 8 s")
    expect(page.locator("#p1-D [data-answer]")).to_have_text("Well, let me think")
    expect(page.locator("#claim")).to_contain_text("Cannot tell the agents apart yet")
    expect(page.locator("#p1-B .facts")).to_contain_text("0.00")
    ask(page, "And now?")
    expect(page.locator("#p2-C [data-answer]")).to_have_text("I am back.")
    page.get_by_role("button", name="Stop").click()
    answered(page, 2)


def test_stop_keeps_what_was_said(tmp_path: Path, open_page: Opened) -> None:
    agents = [f"tests.arena.live_server:{name}" for name in ("echo", "waits")]
    with arena_server(tmp_path / "store", agents, deadline=200, warm_up=False) as server:
        page = begin(open_page, server, "Are you there?")
        expect(page.locator("#p1-B [data-answer]")).to_contain_text("let me think")
        expect(page.locator("#p1-A header")).to_contain_text("answered")
        page.get_by_role("button", name="Stop").click()
        answered(page, 1)
        expect(page.locator("#p1-B header")).to_contain_text("stopped")
        expect(page.locator("#p1-B")).to_contain_text("Stopped here")
        expect(page.locator("#p1-B .facts")).to_contain_text("not measured")
        expect(page.locator("#claim")).to_contain_text("Nothing to compare yet")
        expect(page.locator("#p1-B [data-answer]")).to_have_text("Well, let me think")
        _, stopped = [json.loads(line) for line in _exported(page)]
        assert stopped["actual_output"] is None
        assert stopped["partial_answer"] == "Well, let me think"
        page.goto("about:blank")


def test_a_restart_keeps_every_session(tmp_path: Path, open_page: Opened) -> None:
    agents = ["plain", "plain=scripted-ungrounded"]
    with arena_server(tmp_path / "store", agents) as server:
        page = begin(open_page, server, "What's the weather in Oslo?")
        answered(page, 1)
        ask(page, "And tomorrow?")
        answered(page, 2)
        name, shown = page.url.rsplit("/", 1)[1], page.locator("article").all_inner_texts()
        page.click("text=New session")
        page.wait_for_url(f"{server.address}/arena")
        ask(page, "A second session, please.")
        page.wait_for_url(re.compile(f"/arena/(?!{name})[0-9a-f]{{32}}$"))
        answered(page, 1)
        page.goto("about:blank")
    with arena_server(tmp_path / "store", agents) as server:
        page = open_page(f"{server.address}/arena")
        rows = page.locator(".sessions tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.nth(0)).to_contain_text("A second session, please.")
        page.click("text=What's the weather in Oslo? >> nth=-1")
        page.wait_for_url(f"{server.address}/arena/{name}")
        kept = page.locator("article").all_inner_texts()
        # Line by line, so that a difference can be read.
        assert [turn.splitlines() for turn in kept] == [turn.splitlines() for turn in shown]
        expect(page.locator(".told")).to_contain_text("The next prompt goes on from here")
        with page.expect_download() as download:
            page.click("text=Export as JSONL")
        exported = tmp_path / "session.jsonl"
        download.value.save_as(exported)
    cases = [case for case in read_runs(exported) if isinstance(case, AgentTestCase)]
    assert [case.framework for case in cases] == [*agents, *agents]
    again = Store.create(tmp_path / "again")
    with again.writer() as writer:
        assert all(writer.add(case) for case in cases)


def test_a_session_goes_on_after_a_restart(tmp_path: Path, open_page: Opened) -> None:
    with arena_server(tmp_path / "store", ["plain"], warm_up=False) as server:
        page = begin(open_page, server, "What's the weather in Oslo?")
        answered(page, 1)
        name = page.url.rsplit("/", 1)[1]
        page.goto("about:blank")
    with arena_server(tmp_path / "store", ["plain"], warm_up=False) as server:
        page = open_page(f"{server.address}/arena/{name}")
        ask(page, "And tomorrow?")
        answered(page, 2)
        expect(page.locator("#p2 .told")).to_contain_text("told what was said before")
        expect(page.locator("#p2-A .calls .args")).to_contain_text("Oslo")
        page.goto("about:blank")
    others = ["plain=scripted-forgetful"]
    with arena_server(tmp_path / "store", others, warm_up=False) as server:
        page = open_page(f"{server.address}/arena/{name}")
        expect(page.locator(".told").first).to_contain_text("can be read, not continued: plain (")
        expect(page.locator("#p2 .told")).to_contain_text("told what was said before")
        page.get_by_role("button", name="What's the weather in Oslo?").click()
        page.wait_for_url(re.compile(f"/arena/(?!{name})[0-9a-f]{{32}}$"))
        answered(page, 1)
        page.goto("about:blank")


def test_only_ones_own_requests_are_answered(both: ArenaServer) -> None:
    address = f"{both.address}/arena"
    elsewhere = {"Origin": "https://evil.example"}
    assert CLIENT.post(address, data={"prompt": "hi"}, headers=elsewhere).status_code == 403
    assert CLIENT.get(f"{address}/{'0' * 32}").status_code == 404
    assert CLIENT.post(f"{address}/{'0' * 32}/prompts", data={"prompt": "x"}).status_code == 404
    assert CLIENT.post(address, data={"prompt": "x" * 2_000_000}).status_code == 413
    refused = CLIENT.post(address, data={"prompt": "x" * 30_000})
    assert refused.status_code == 400
    assert "longer than 20,000" in refused.text
    assert "the prompt is empty" in CLIENT.post(address, data={"prompt": "  "}).text


def test_one_prompt_at_a_time(odd: ArenaServer) -> None:
    begun = CLIENT.post(f"{odd.address}/arena", data={"prompt": "wait"})
    place = f"{odd.address}{begun.headers['location']}"
    again = CLIENT.post(
        f"{place}/prompts", data={"prompt": "more"}, headers={"Accept": "application/json"}
    )
    assert (again.status_code, again.json()) == (
        409,
        {"problem": "the agents are still answering: wait, or stop them"},
    )
    assert CLIENT.post(f"{place}/stop").status_code == 303


def test_a_page_goes_on_where_the_server_let_its_session_go(
    both: ArenaServer, open_page: Opened
) -> None:
    page = begin(open_page, both, "What's the weather in Oslo?")
    answered(page, 1)
    CLIENT.get(f"{both.address}/arena")  # by then the store has it
    both.loop.call_soon_threadsafe(both.live.rooms.forget_idle, 0.0)
    expect(page.locator("[data-note]")).to_contain_text("let this session go")
    ask(page, "And tomorrow?")
    answered(page, 2)
    expect(page.locator("#p2 .told")).to_contain_text("Continued from the store")
    for letter in "AB":
        expect(page.locator(f"#p2-{letter} .calls .args")).to_contain_text("Oslo")


def test_a_blind_session_tells_no_names_until_it_is_judged(
    both: ArenaServer, open_page: Opened
) -> None:
    page = open_page(f"{both.address}/arena")
    page.check("input[name=blind]")
    page.fill("input[name=repeat]", "2")
    ask(page, "What's the weather in Oslo?")
    page.wait_for_url(re.compile("/arena/[0-9a-f]{32}$"))
    answered(page, 2)
    for place in (page.url, *(f"{page.url}/prompts/{n}" for n in (1, 2)), f"{page.url}/verdict"):
        shown = CLIENT.get(place).text
        assert not any(name in shown for name in (*FRAMEWORKS, "scripted-good", "debuggability"))
    expect(page.locator("#p2 .asked")).to_contain_text("repeated, 2 of 2")
    page.click("#p2 .choose button[value=A]")
    expect(page.locator("#p2 .chosen")).to_contain_text("A preferred")
    expect(page.locator("#p1-A header")).to_contain_text("name hidden")
    page.click("#p1 .choose button[value=same]")
    expect(page.locator("#p1 .chosen")).to_contain_text("no difference")
    expect(page.locator("#p1-A header")).not_to_contain_text("name hidden")
    names = [page.locator(f"#p1-{letter} header .agent").inner_text() for letter in "AB"]
    assert sorted(names) == sorted(FRAMEWORKS)
    expect(page.locator("#verdict")).to_contain_text("preferred by you")
    values = {
        run["framework"]: [
            score["value"] for score in run["scores"] if score["name"] == "preferred"
        ]
        for run in map(json.loads, _exported(page))
        if run["attempt"] == 2
    }
    assert values == {names[0]: [1.0], names[1]: [0.0]}


def test_only_the_agents_that_were_chosen_answer(odd: ArenaServer, open_page: Opened) -> None:
    page = open_page(f"{odd.address}/arena")
    for letter in "BCD":
        page.uncheck(f"input[name=agents][value={letter}]")
    page.get_by_role("button", name="What's the weather in Oslo?").click()
    page.wait_for_url(re.compile("/arena/[0-9a-f]{32}$"))
    answered(page, 1)
    assert page.locator("#p1 .cell").count() == 1
    expect(page.locator("#claim")).to_contain_text("One agent: nothing to compare it with.")
    nobody = CLIENT.post(f"{odd.address}/arena", data={"prompt": "hi", "agents": "Z"})
    assert (nobody.status_code, "choose at least one" in nobody.text) == (400, True)
    many = CLIENT.post(f"{odd.address}/arena", data={f"x{n}": "1" for n in range(50)})
    assert many.status_code == 413


@pytest.mark.parametrize("name", ["arena.html", "arena_parts.html"])
def test_every_word_of_the_page_has_its_translation(name: str) -> None:
    pages = files("assay.render.pages")
    words = tomllib.loads((pages / "words" / "zh.toml").read_text("utf-8"))
    said = re.findall(r"""\bt\("([^"]+)"[,)]""", (pages / "templates" / name).read_text("utf-8"))
    assert len(said) > 20
    assert [text for text in said if text not in words] == []
