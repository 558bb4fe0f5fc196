"""The application inside this process, for a client: no port, no socket; for tests and examples."""

import asyncio
import threading

import httpx
from fastapi import FastAPI


class Inside(httpx.BaseTransport):
    """Carries a client's calls to an application that runs in a thread of this process."""

    def __init__(self, app: FastAPI) -> None:
        self._app, self._carrier = app, httpx.ASGITransport(app)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """One call, with its whole answer."""
        return asyncio.run_coroutine_threadsafe(self._answered(request), self._loop).result()

    async def _answered(self, request: httpx.Request) -> httpx.Response:
        content = request.read()
        carried = httpx.Request(request.method, request.url, headers=request.headers, content=content)
        answer = await self._carrier.handle_async_request(carried)
        body = await answer.aread()
        return httpx.Response(answer.status_code, headers=answer.headers, content=body)

    def close(self) -> None:
        """Let go of the matches, and end the thread."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._app.state.matches.close(), self._loop).result()
        asyncio.run_coroutine_threadsafe(self._loop.shutdown_default_executor(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
