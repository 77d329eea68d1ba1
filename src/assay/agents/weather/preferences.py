"""What is known of each user, kept in one small file a user, or in memory."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, TypeGuard

from assay.agents.weather.learning import FLAGS, Learned, learn
from assay.errors import UnknownName

LEARNED = "learned_from_conversations"
_LAST_KEPT = 50


class PreferenceBook:
    """Preferences by user: read, set, and learned from what was said; safe for many threads."""

    def __init__(self, folder: str | Path | None = None) -> None:
        """Keep the book in a folder; without one it is forgotten with the process."""
        self._folder = None if folder is None else Path(folder)
        self._pages: dict[str, dict[str, Any]] = {}
        self._lock = Lock()

    def of(self, user_id: str) -> dict[str, Any]:
        """What is known of a user: flags, how much was learned, and from which words."""
        with self._lock:
            return json.loads(json.dumps(self._page(user_id)))  # type: ignore[no-any-return]

    def set(self, user_id: str, flag: str, *, value: bool) -> dict[str, Any]:
        """Set one flag as the user asked for it."""
        if flag not in FLAGS:
            raise UnknownName("preference", flag, FLAGS)
        with self._lock:
            page = self._page(user_id)
            self._take(page, Learned(flag, value, "set by the user"))
            self._keep(user_id, page)
        return self.of(user_id)

    def learn(self, user_id: str, said: str) -> list[Learned]:
        """Take what the words tell of the user; returns what was new."""
        with self._lock:
            page = self._page(user_id)
            news = [new for new in learn(said) if page["flags"].get(new.flag) is not new.value]
            for new in news:
                self._take(page, new)
            if news:
                self._keep(user_id, page)
        return news

    def restore(self, user_id: str, page: object) -> None:
        """Go on with what a record says was known of a user; what is no page is passed over."""
        with self._lock:
            if _is_page(page):
                self._pages[user_id] = json.loads(json.dumps(page))

    def forget(self, user_id: str) -> None:
        """Let a user go from memory; a folder keeps what it has."""
        with self._lock:
            self._pages.pop(user_id, None)

    def _take(self, page: dict[str, Any], new: Learned) -> None:
        page["flags"][new.flag] = new.value
        page[LEARNED] += 1
        page["learned"] = [
            *page["learned"],
            {"flag": new.flag, "value": new.value, "said": new.said},
        ][-_LAST_KEPT:]

    def _page(self, user_id: str) -> dict[str, Any]:
        if user_id not in self._pages:
            self._pages[user_id] = self._read(user_id)
        return self._pages[user_id]

    def _read(self, user_id: str) -> dict[str, Any]:
        blank: dict[str, Any] = {"flags": {}, LEARNED: 0, "learned": []}
        if self._folder is None:
            return blank
        try:
            found = json.loads((self._folder / _file_name(user_id)).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return blank
        return found if _is_page(found) else blank

    def _keep(self, user_id: str, page: dict[str, Any]) -> None:
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._folder / _file_name(user_id)
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        fresh.write_text(json.dumps(page, ensure_ascii=False), encoding="utf-8")
        fresh.replace(file)


def _is_page(found: object) -> TypeGuard[dict[str, Any]]:
    if not isinstance(found, dict):
        return False
    kinds = {"flags": dict, LEARNED: int, "learned": list}
    return all(isinstance(found.get(key), kind) for key, kind in kinds.items())


def _file_name(user_id: str) -> str:
    """A name made of the user's: whatever a user is called, it is no path."""
    return f"{sha256(user_id.encode()).hexdigest()[:24]}.json"
