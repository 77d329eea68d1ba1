"""Serve the scripted models until interrupted: `python -m assay.agents.scripted [PORT]`."""

from __future__ import annotations

import sys
from contextlib import suppress
from threading import Event

from assay.agents.scripted.server import ScriptedModel

if __name__ == "__main__":
    with ScriptedModel(int(sys.argv[1]) if len(sys.argv) > 1 else 0) as model:
        sys.stdout.write(f"{model.base_url}\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            Event().wait()
