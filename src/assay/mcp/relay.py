"""Stand between a client and a stdio server: frames pass untouched and are written down first."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections import deque
from contextlib import contextmanager, suppress
from threading import Lock, Thread, Timer
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from assay.errors import ServerUnavailable
from assay.mcp.faults import CLOSED, TIMED_OUT, UNREADABLE
from assay.mcp.frames import CANCELLED, FROM_CLIENT, FROM_SERVER, kind_of, messages_of, parse_frame
from assay.redaction import redact_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.mcp.faults import Injector
    from assay.mcp.frames import Recording

_TAIL_LINES, _TAIL_CHARACTERS = 20, 4000
_SECONDS_TO_LEAVE = 5.0
_SECONDS_TO_DIE = 1.0
# Waits until the recorder is gone, however it went, and ends the server and what it started.
_WATCH = 'cat >/dev/null; kill -TERM "-$0"; sleep 1; kill -KILL "-$0"'


class Ended(NamedTuple):
    """How a relayed session ended; `problem` says what was wrong, if anything was."""

    exit_code: int | None
    problem: str = ""


def label_of(command: Sequence[str]) -> str:
    """A command as recordings name it: in one line, without secrets."""
    return redact_text(shlex.join(command))


def shown_address(url: str) -> str:
    """An address as recordings name it: without a password and without what may be a key."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


class StdioServer:
    """A server started as a child; it ends with us, even where we are killed."""

    def __init__(self, command: Sequence[str], *, cwd: str | None = None) -> None:
        """Start it; its errors go to our standard error, and the last of them are kept."""
        try:
            self.process = subprocess.Popen(  # noqa: S603 - the user's own command
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=1 << 16,
                start_new_session=True,
                cwd=cwd,
            )
        except (OSError, ValueError) as exc:
            why = getattr(exc, "strerror", None) or exc
            raise ServerUnavailable(f"{label_of(command)} cannot be started: {why}") from exc
        self._watch = subprocess.Popen(  # noqa: S603
            ["/bin/sh", "-c", _WATCH, str(self.process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self._errors = Thread(target=self._pass_errors, daemon=True)
        self._errors.start()

    @property
    def stdin(self) -> IO[bytes]:
        """Where its frames go."""
        assert self.process.stdin is not None  # noqa: S101 - it was asked for
        return self.process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """Where its frames come from."""
        assert self.process.stdout is not None  # noqa: S101
        return self.process.stdout

    @property
    def last_words(self) -> str:
        """The end of what it wrote to standard error, secrets masked."""
        self._errors.join(timeout=_SECONDS_TO_DIE)
        return redact_text("".join(self._tail).strip()[-_TAIL_CHARACTERS:])

    def send(self, raw: bytes) -> bool:
        """Write a frame; False where it does not listen any more."""
        try:
            self.stdin.write(raw if raw.endswith(b"\n") else raw + b"\n")
            self.stdin.flush()
        except (OSError, ValueError):
            return False
        return True

    def hang_up(self) -> None:
        """Tell it that there is nothing more to come."""
        with suppress(OSError, ValueError):
            self.stdin.close()

    def stop(self, *, patience: float = 0.0) -> int | None:
        """End it and whatever it started; the code that it ended with by itself, or None."""
        code = None
        with suppress(subprocess.TimeoutExpired):
            code = self.process.wait(timeout=patience)
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=_SECONDS_TO_DIE)
                break
        self._watch.kill()
        self._watch.wait()
        self._watch.stdin.close()  # type: ignore[union-attr]  # a pipe
        return code

    def _pass_errors(self) -> None:
        assert self.process.stderr is not None  # noqa: S101
        for line in self.process.stderr:
            self._tail.append(line.decode(errors="replace"))
            with suppress(OSError, ValueError):
                sys.stderr.buffer.write(line)
                sys.stderr.buffer.flush()


class StdioRelay:
    """One session between the client at our standard input and output and a server."""

    def __init__(
        self, command: Sequence[str], recording: Recording, injector: Injector | None = None
    ) -> None:
        """Start the server; what it is sent and answers is recorded."""
        self._label = label_of(command)
        self._recording = recording
        self._injector = injector
        self._pending: dict[str, Any] = {}
        self._lock = Lock()
        self._client_left = self._disconnected = False
        self._spoke = False
        self._server = StdioServer(command)
        recording.note("start", command=self._label, pid=self._server.process.pid)

    def run(self) -> Ended:
        """Relay until either side ends."""
        Thread(target=self._from_client, daemon=True).start()
        answers = Thread(target=self._from_server, daemon=True)
        answers.start()
        was_ended = False
        with _ended_in_order():
            try:
                answers.join()
            except (KeyboardInterrupt, SystemExit):
                was_ended = True
        code = self._server.stop(patience=0.0 if was_ended else _SECONDS_TO_DIE)
        return self._end(code, by_us=was_ended or self._client_left)

    def _end(self, code: int | None, *, by_us: bool) -> Ended:
        words = self._server.last_words
        crashed = not self._disconnected and (not by_us or code not in {0, None})
        problem = ""
        if crashed:
            state = f"exit code {code}" if code is not None else "it closed its output"
            first = "the server ended" if self._spoke else f"{self._label} did not start"
            problem = f"{first} ({state})" + (f": {words}" if words else "")
            for request_id in list(self._pending.values()):
                self._recording.unanswered(request_id, f"{CLOSED}: {problem}")
        if self._injector is not None:
            for request_id, mark in self._injector.withheld():
                self._recording.unanswered(request_id, TIMED_OUT, fault=mark)
        self._recording.note("exit", exit_code=code, stderr=words)
        return Ended(code, problem)

    def _from_client(self) -> None:
        # A file of its own: the interpreter cannot close standard input while this thread reads.
        with open(0, "rb", closefd=False) as frames:
            for raw in frames:
                self._take_from_client(raw)
        self._client_left = True
        self._server.hang_up()
        # A server that ignores the end of its input is not left behind.
        late = Timer(_SECONDS_TO_LEAVE, self._server.process.terminate)
        late.daemon = True
        late.start()

    def _take_from_client(self, raw: bytes) -> None:
        messages = messages_of(parse_frame(raw))
        with self._lock:
            for message in messages:
                if kind_of(message) == "request":
                    self._pending[repr(message["id"])] = message["id"]
        self._recording.frame(FROM_CLIENT, raw)
        fault = None
        if self._injector is not None and len(messages) == 1:
            fault = self._injector.take_request(messages[0])
            self._note_cancelled(messages[0])
        if fault is None:
            self._server.send(raw)
        elif fault.disconnect:
            self._recording.unanswered(fault.request_id, CLOSED, fault=fault.mark)
            self._pending.clear()
            self._disconnected = True
            self._server.process.kill()
        elif fault.reply is not None:
            self._to_client(fault.reply, fault=fault.mark)
        else:
            self._pending.pop(repr(fault.request_id), None)

    def _note_cancelled(self, message: dict[str, Any]) -> None:
        if self._injector is None or message.get("method") != CANCELLED:
            return
        request_id = (message.get("params") or {}).get("requestId")
        for withheld, mark in self._injector.withheld(request_id):
            self._pending.pop(repr(withheld), None)
            self._recording.unanswered(withheld, TIMED_OUT, fault=mark)

    def _from_server(self) -> None:
        for raw in self._server.stdout:
            self._spoke = True
            if self._injector is None:
                self._to_client(raw)
                continue
            changed = self._injector.take_answer(raw)
            about = {"fault": changed.mark} if changed.mark else {}
            if changed.delay:
                late = Timer(changed.delay, self._to_client, [changed.raw], about)
                late.start()
            else:
                self._to_client(changed.raw, **about)

    def _to_client(self, raw: bytes, **about: Any) -> None:
        """Write a frame of the server down, then hand it on."""
        messages = messages_of(parse_frame(raw))
        with self._lock:
            for message in messages:
                if kind_of(message) == "response":
                    self._pending.pop(repr(message.get("id")), None)
        self._recording.frame(FROM_SERVER, raw, **about)
        if not messages and (mark := about.get("fault")):
            self._pending.pop(repr(mark["request_id"]), None)
            problem = UNREADABLE
            self._recording.unanswered(mark["request_id"], problem, fault=mark)
        data = memoryview(raw if raw.endswith(b"\n") else raw + b"\n")
        with self._lock, suppress(BrokenPipeError):
            while data:
                data = data[os.write(1, data) :]


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let whoever terminates us have a recording that says how it ended."""

    def leave(*_: object) -> None:
        raise SystemExit

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
