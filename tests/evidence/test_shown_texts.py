"""What a command shows was written before; what it does can fail."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

from assay.evidence.outcome import call_outcome
from assay.evidence.shown_texts import shows_text
from assay.execution import ToolExecutionResult

SHOWING = (
    "cat tide.log",
    "cd pier && cat tide.log",
    "make; cat tide.log",
    "sudo tail -n 5 /var/log/tide.log",
    "/bin/cat tide.log | head -3",
    "grep -rn 'error: ; no' .",
    "make 2>&1 | grep error | head",
    "find . | xargs grep ebb",
    "git log -3",
    "git -C pier log",
    "docker logs tide",
    "gh run view 7",
    "kubectl describe pod tide",
    "docker inspect tide",
    "systemctl status tide",
    "bash -lc 'cd pier && rg ebb'",
)
DOING = (
    "make",
    "make 2>&1 | tail -20",
    "make && cat tide.log",
    "cat tide.log; make",
    "cat ebb.json | ./load",
    "git push origin main",
    "kubectl apply -f describe.yaml",
    "make status.o",
    "TIDE=1 timeout 20 cargo build",
    "cat > tide.sh <<EOF\nebb\nEOF\nmake",
    "bash -c 'cat tide.log; make'",
    "cd pier",
    "|",
    "",
)
FAILING = (
    "   Compiling tide\nerror: could not compile `tide` (bin) due to 1 previous error",
    "To pier.example:tide\n ! [rejected] main -> main\nerror: failed to push some refs to 'tide'",
    "To pier.example\nerror: failed to push some refs to 'tide'\nhint: Pull first\nhint:",
    "Cloning into 'tide'...\nfatal: early EOF",
    "ebb\nBUILD FAILED in 3s",
    "Auto-merging ebb\nCONFLICT: ebb\nAutomatic merge failed; fix conflicts and then commit them.",
    "cc -c ebb.c\nmake: *** [all] Error 2",
    "cc ebb.c\nmake[1]: *** [Makefile:3: ebb.o] Error 1\nmake: *** [Makefile:9: all] Error 2\n",
    "cc -c ebb.c\nmake: *** [ebb.o] Segmentation fault (core dumped)",
    "Entering directory 'pier'\ngmake: *** No rule to make target 'ebb'.  Stop.",
    "cc -c ebb.c\nmake: Target 'all' not remade because of errors.",
    "[3/9] CXX ebb.o\nFAILED: ebb.o\nninja: build stopped: subcommand failed.",
    "ebb\nerror: 404",
    "ebb\nerror: 3 boats are lost",
    "note: ebb\n" * 400 + "error: could not compile `tide` due to 2 previous errors",
)
PASSING = (
    "error in ebb\nflood",
    "ebb\nerrors: 0",
    "ebb\nthe error: none",
    "ebb\ntide.py:3: error: no ebb\nFound 1 error",
    "ebb\ntide.py:3: error: no ebb",
    "ebb\nMerge 7 failed",
    "ebb\nAll of them passed; none of them failed; done",
    "INFO: ebb\nINFO: flood\nINFO: ebb\nerror: lost a buoy",
    "ebb\nerror: no ebb\nhint: flood\nall is well",
    "epoch 1\nepoch 2\nerror: 0.023",
    "epoch 2\nerror: 1.2e-05",
    "epoch 2\nerror: 3.5 %",
    "epoch 2\nerror: ±0.4",
    "epoch 2\nerror: -0.4",
    "epoch 2\nerror: none",
    "cc -c ebb.c\nmake: [all] Error 1 (ignored)",
    "cc -c ebb.c\nmake: *** [all] Error 1 (ignored)",
    "make: *** [all] Error 2\nmake: trying again\nall is well",
    "ebb\nmake: Nothing to be done for 'all'.",
    "ebb\ntide: *** high water ***",
    "ebb\n*** [all] Error 2",
)


def outcome(result: str, command: Any, **known: Any) -> tuple[bool | None, str]:
    tool = known.pop("tool", "bash")
    found = call_outcome(ToolExecutionResult(tool, {"command": command}, result, **known))
    return found.success, found.rule


@pytest.mark.parametrize("command", SHOWING)
def test_commands_that_show(command: str) -> None:
    assert shows_text({"command": command})


@pytest.mark.parametrize("command", [command for command in SHOWING if "bash" not in command])
def test_commands_that_show_in_a_shell(command: str) -> None:
    assert shows_text({"cmd": ["bash", "-lc", command]})
    assert shows_text({"cmd": ["/bin/sh", "-c", command]})


@pytest.mark.parametrize("command", DOING)
def test_commands_that_do(command: str) -> None:
    assert not shows_text({"command": command})
    assert not shows_text({"cmd": ["bash", "-lc", command]})


def test_what_is_no_command_shows_nothing() -> None:
    for parameters in (None, "cat tide.log", {}, {"command": 7}, {"description": "cat tide.log"}):
        assert not shows_text(parameters)


@pytest.mark.parametrize("text", FAILING)
def test_the_last_words_of_a_command(text: str) -> None:
    for command in ("make", "make 2>&1 | tail -20"):
        assert outcome(text, command) == (False, "last_words")
    for command in ("cat tide.log", "make | grep error"):
        assert outcome(text, command) == (True, "no_error_found")
    assert outcome(text, "make", reported_success=True) == (True, "reported_success")


@pytest.mark.parametrize("text", PASSING)
def test_no_last_words(text: str) -> None:
    assert outcome(text, "tide") == (True, "no_error_found")


@pytest.mark.parametrize("tool", ["git", "deploy"])
def test_the_last_words_of_who_was_to_act(tool: str) -> None:
    merge = "Auto-merging ebb\nAutomatic merge failed; fix conflicts and then commit the result."
    assert outcome(merge, "merge", tool=tool) == (False, "last_words")
    assert outcome("Build 7 passed\nBuild 8 failed", "list", tool=tool)[0] is True


def test_the_message_of_a_long_text_is_its_end() -> None:
    found = call_outcome(ToolExecutionResult("bash", {}, FAILING[-1]))
    assert found.message is not None
    assert found.message.endswith("2 previous errors")


@pytest.mark.parametrize(
    "command",
    [
        'make; echo "exit code: $?"',
        "make; printf 'exit code: %d' $?",
        ["bash", "-lc", 'make; echo "exit code: $?"'],
    ],
)
def test_a_status_that_was_asked_for_is_an_answer(command: Any) -> None:
    for text in ("no ebb\nexit code: 2", "exit code: 2"):
        assert outcome(text, command)[0] is True
        assert outcome(text, "make || exit $?") == (False, "exit_code")
    assert outcome("no ebb\nexit_code=2", command) == (False, "exit_code")


SHOWN = (
    "X build\nProcess completed with exit code 1.",
    "State: Terminated\nReason: OOMKilled\nExit Code: 137",
    "boats: 4\nall of them moored\nexit status 2",
)


@pytest.mark.parametrize("text", SHOWN)
def test_a_status_that_ends_a_shown_text_is_a_part_of_it(text: str) -> None:
    for command in ("gh run view 7", "kubectl describe pod tide", "tail -3 ci.log"):
        assert outcome(text, command) == (True, "no_error_found")
    for command in ("make", "gh run rerun 7", "cat ebb | ./load", "make; echo done"):
        assert outcome(text, command) == (False, "exit_code")
    assert outcome(text, "tail -3 ci.log", reported_success=False)[0] is False


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("cat: ebb: No such file or directory\nexit code: 1", "cat ebb"),
        ("high\nlow\ncat: ebb: No such file or directory\nexit code: 1", "cat tide ebb"),
        ("high\n/bin/cat: ebb: No such file or directory\nexit code: 1", "cat tide ebb"),
        ("fatal: bad revision 'ebb'\nexit code: 128", "git log ebb"),
        ("[]\nError: No such object: ebb\nexit code: 1", "docker inspect ebb"),
        ("\nexit code: 1", "grep ebb tide.log"),
        ("exit code: 1", "grep ebb tide.log"),
        ("Exit code 1\nhigh\nlow", "cat tide ebb"),
        ("high\n[exit code: 1]", "cat tide ebb"),
        ("high\n**Exit code:** 1", "cat tide ebb"),
        ("high\n(exit code 1)", "cat tide ebb"),
        ("Command: cat tide ebb\nOutput: high\nExit Code: 1", "cat tide ebb"),
        ("Command: cat tide ebb\nOutput: high\nExit Code: 1\nSignal: (none)", "cat tide ebb"),
        ("STDOUT:\nhigh\n\nSTDERR:\nlow\n\nexit code: 1", "cat tide ebb"),
    ],
)
def test_a_status_of_who_ran_the_command_counts(text: str, command: str) -> None:
    assert outcome(text, command) == (False, "exit_code")


@pytest.mark.parametrize("part", ["cat: ", "\nexit code: 1", "error: 0", "\n\n", "a/", ": *** ["])
def test_hostile_endings_take_no_time(part: str) -> None:
    started = process_time()
    text = part * (300_000 // len(part))
    for ending in ("", "\nexit code: 1", "\nmake: *** [", "\nerror: 1"):
        outcome(text + ending, "cat tide")
        outcome(text + ending, "make")
    assert process_time() - started < 2


@pytest.mark.parametrize("tool", ["bash", "run_command", "execute_command"])
def test_a_log_may_speak_of_a_status_but_not_at_its_end(tool: str) -> None:
    log = "step 1\nexit code: 1\nretrying\nstep 2 done"
    assert outcome(log, "cat ci.log", tool=tool) == (True, "no_error_found")
    assert outcome(f"{log}\nexit code: 1", "make", tool=tool) == (False, "exit_code")
    assert outcome(f"{log}\nexit code: 0", "make", tool=tool) == (True, "exit_code")
    for reader in ("read_file", "search_docs", "web_fetch"):
        assert outcome(f"{log}\nexit code: 1", "", tool=reader)[0] is True


@pytest.mark.parametrize("reported", [True, None])
@pytest.mark.parametrize(
    ("command", "succeeded"),
    [
        ("ebb flag.png", False),
        ("ebb flag.png 2>&1 | head -3", False),
        ("make", False),
        # A reader of texts may itself be what is not there.
        ("cat tide.json | ebb .", False),
        ("cat build.log", True),
        ("cd pier && grep ' not found' build.log | tail", True),
        ("ebb || true", True),
        ("ebb; true", True),
        ("for i in 1 2; do ebb $i || true; done", True),
        ("(ebb || true) 2>&1", True),
        ("ebb || true && ebb", False),
    ],
)
def test_a_shell_that_ran_nothing_failed_whatever_was_reported(
    command: str, *, succeeded: bool, reported: bool | None
) -> None:
    told = "bash: line 1: ebb: command not found\n"
    call = ToolExecutionResult("bash", {"cmd": command}, told, reported_success=reported)
    assert call_outcome(call).success is succeeded
