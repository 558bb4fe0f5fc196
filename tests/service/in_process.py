"""The app without a network, called as an owner, an operator and a reader."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
from fastapi import FastAPI

from firstmover.service.app import create_app
from firstmover.service.demo import Demo
from firstmover.service.picture_cache import PictureCache
from firstmover.service.tokens import Tokens

ADDRESS = "http://127.0.0.1:8642"


class Caller:
    """The app without a network, in a thread of its own, with a token of each role."""

    def __init__(self, app: FastAPI, tokens: Tokens) -> None:
        self.pictures: PictureCache = app.state.pictures
        self.loop = asyncio.new_event_loop()
        self.thread = Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.life = app.router.lifespan_context(app)
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ADDRESS)
        self.tokens = {role: tokens.new(role, role)[0] for role in ("owner", "operator", "reader")}
        self.wait(self.life.__aenter__())

    def wait(self, awaited: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(awaited, self.loop).result(60)

    def __call__(
        self,
        method: str,
        path: str,
        role: str = "owner",
        *,
        headers: Mapping[str, str | None] | None = None,
        **more: Any,
    ) -> httpx.Response:
        given = {"authorization": f"Bearer {self.tokens[role]}"} | dict(headers or {})
        headers = {name: value for name, value in given.items() if value is not None}
        answer: httpx.Response = self.wait(self.client.request(method, f"/v1{path}", headers=headers, **more))
        return answer

    def read(self, path: str, role: str = "owner") -> Any:
        answer = self("GET", path, role)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def close(self) -> None:
        self.wait(self.client.aclose())
        self.wait(self.life.__aexit__(None, None, None))
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


def calling(folder: Path, demo: Demo | None = None) -> Iterator[Caller]:
    tokens = Tokens(folder / "tokens.json")
    caller = Caller(create_app(folder / "matches.db", folder / "runs", tokens, ["127.0.0.1:8642"], demo), tokens)
    yield caller
    caller.close()
