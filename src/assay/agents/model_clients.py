"""One OpenAI client for all turns of an agent: making one takes longer than many an answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from assay.extras import require

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from assay.agents.protocol import ModelEndpoint


class ModelClients:
    """Clients that share their connections, as long as they are asked for in one event loop.

    Every turn has an address of its own; what costs time, the certificates above all, is the same.
    """

    def __init__(self, extra: str) -> None:
        """Make none yet; `extra` brings the package where it is missing."""
        self._openai = require("openai", extra=extra)
        self._home: AbstractEventLoop | None = None
        self._shared: Any = None

    def client(self, model: ModelEndpoint) -> Any:
        """An `AsyncOpenAI` for the endpoint of a turn."""
        known = {"base_url": model.base_url, "api_key": model.api_key}
        if self._home is not asyncio.get_running_loop():
            # Connections live and end with the loop they were made in.
            self._home, self._shared = asyncio.get_running_loop(), self._openai.AsyncOpenAI(**known)
        return self._shared.with_options(**known)

    async def close(self) -> None:
        """Let the connections go."""
        if self._shared is not None and self._home is asyncio.get_running_loop():
            await self._shared.close()
        self._home = self._shared = None
