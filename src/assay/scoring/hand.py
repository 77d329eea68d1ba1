"""A process that does one thing for many cases: pickled batches in, what was found out.

Only our own two ends of a pipe speak here: nothing that anybody else wrote is ever unpickled.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from contextlib import suppress
from functools import lru_cache
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from assay.own_process import collect_seldom

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.judge.marks import Preparation
    from assay.test_case import AgentTestCase

    Found = list[tuple[object, ...] | None]

_LENGTH = struct.Struct("!Q")
# Not from the folder that the user happens to be in: what is called like a module there is none.
_LIFE = (sys.executable or "", "-P", "-c", "from assay.scoring.hand import work; work()")
_YIELDS = 5
# As much as a user may have; what a batch comes to is mostly less.
_BYTES_IN_PIPE = 1 << 20


class Hand:
    """The process as its parent sees it; it ends when its parent does."""

    def __init__(self) -> None:
        """Start it; what it says on its own is for nobody."""
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
            _LIFE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for the parent. Not a session of its own: many systems give each session
            # its share of the processor, and whoever leaves the way to others then does so to
            # nobody.
            process_group=0,
        )
        _widen(cast("BinaryIO", self._process.stdout))

    def give(self, preparations: bytes, cases: Sequence[AgentTestCase]) -> None:
        """Hand over a batch, an empty one for what cannot travel; raises OSError when it died."""
        frame = pickled((preparations, cases)) or pickle.dumps((preparations, []))
        _write(cast("BinaryIO", self._process.stdin), frame)

    def take(self) -> Found:
        """What was found for the batch that was given first; raises EOFError when it died."""
        frame = _read(cast("BinaryIO", self._process.stdout))
        if frame is None:
            raise EOFError
        try:
            found: Found = pickle.loads(frame)  # noqa: S301 - written by `work` below
        except Exception:  # noqa: BLE001 - a class of the user's may raise anything
            return []
        return found

    def end(self) -> None:
        """End it at once; whoever waits for what it found is told so."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Let go of the pipes, when nobody gives or takes any more."""
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was not read by a dead process cannot be flushed
                cast("BinaryIO", pipe).close()


def pickled(value: object) -> bytes | None:
    """The value as bytes; None where something in it cannot be pickled."""
    try:
        return pickle.dumps(value)
    except Exception:  # noqa: BLE001 - a class of the user's may raise anything
        return None


def work() -> None:
    """The life of the process: until nothing more comes in."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not write between the replies
    collect_seldom()
    with suppress(AttributeError, OSError):  # not every system has it
        os.nice(_YIELDS)  # whoever asks and reads answers goes first
    frames: SimpleQueue[bytes | None] = SimpleQueue()
    # The parent may give the next batch while the reply to the last is still on its way.
    Thread(target=_listen, args=(frames,), daemon=True).start()
    while (frame := frames.get()) is not None:
        _write(replies, _reply(frame))


def _listen(frames: SimpleQueue[bytes | None]) -> None:
    while (frame := _read(sys.stdin.buffer)) is not None:
        frames.put(frame)
    frames.put(None)


def _reply(frame: bytes) -> bytes:
    """What was found, as bytes; an empty list where cases or results cannot be pickled."""
    try:
        preparations, cases = pickle.loads(frame)  # noqa: S301 - written by `Hand.give` above
        functions = _functions(preparations)
        return pickle.dumps([prepared(functions, case) for case in cases])
    except Exception:  # noqa: BLE001 - a class of the user's may raise anything; it is done there
        return pickle.dumps([])


@lru_cache(maxsize=4)
def _functions(preparations: bytes) -> tuple[Preparation | None, ...]:
    found: tuple[Preparation | None, ...] = pickle.loads(preparations)  # noqa: S301 - as above
    return found


def prepared(
    functions: Sequence[Preparation | None], case: AgentTestCase
) -> tuple[object, ...] | None:
    """What the functions make of a case, in their order; None where one of them fails."""
    try:
        return tuple([None if prepare is None else prepare(case) for prepare in functions])
    except Exception:  # noqa: BLE001 - it is raised again, and told, where the case is judged
        return None


def _widen(pipe: BinaryIO) -> None:
    """Let whoever writes go on before all of it is read, where the system can do that."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl  # noqa: PLC0415 - not every system has it

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _BYTES_IN_PIPE)


def _write(pipe: BinaryIO, frame: bytes) -> None:
    pipe.write(_LENGTH.pack(len(frame)))
    pipe.write(frame)
    pipe.flush()


def _read(pipe: BinaryIO) -> bytes | None:
    """The next frame; None when there is none, or only half of one."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    frame: Any = pipe.read(length)
    return frame if len(frame) == length else None
