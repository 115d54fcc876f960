"""The page and its requests. GET reads, POST changes; the answer to every change is the new view."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request as Asked
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from semisvm.annotate.child import LearningProcess
from semisvm.annotate.saving import save
from semisvm.annotate.session import Refused, Session
from semisvm.annotate.view import groups_of, row_to_read, view_of

PAGE = Path(__file__).parent / "page"
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
IMAGES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}
MOST_POINTS = 100_000
"""Most rows on the map. Of more rows, a random draw is shown."""
LARGEST_BODY = 4 * 2**20

Answer = Callable[[Asked], Awaitable[Response]]


class Server:
    """The session behind the page."""

    def __init__(self, session: Session, start_learner: Callable[[Callable[[Any], None]], LearningProcess]):
        self._session = session
        self._start_learner = start_learner
        self._saving = asyncio.Lock()

    def application(self) -> Starlette:
        looks = {
            "/": self._page, "/page/{name}": self._part, "/view": self._view, "/row/{row:int}": self._row,
            "/image/{row:int}": self._image, "/groups": self._groups, "/checks": self._checks,
            "/places": self._places, "/marks": self._marks,
        }  # fmt: skip
        changes: dict[str, Callable[[dict], Any]] = {
            "/answer": lambda body: self._session.answer(_row(body), _text(body, "label")),
            "/skip": lambda body: self._session.skip(_row(body)),
            "/class": lambda body: self._session.name_class(_text(body, "label")),
            "/accept": lambda body: self._session.accept(_rows(body), body.get("label")),
            "/ask": lambda body: self._session.ask_these(_rows(body)),
            "/mend": lambda body: self._session.mend(_row(body), _text(body, "label")),
            "/merge": lambda body: self._session.merge(_text(body, "label"), _text(body, "to")),
            "/dismiss": lambda body: self._session.dismiss(_text(body, "key")),
            "/undo": lambda body: self._session.undo(),
        }
        routes = [Route(path, answer, methods=["GET"]) for path, answer in looks.items()]
        routes += [Route(path, self._changing(change), methods=["POST"]) for path, change in changes.items()]
        routes.append(Route("/save", self._save, methods=["POST"]))
        return Starlette(routes=routes, lifespan=self._lifespan)

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()

        def receive(body: Any) -> None:
            # the loop has ended when the page ends
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._session.receive, body)

        learner = self._start_learner(receive)
        self._session.learn_with(learner)
        try:
            yield
        finally:
            learner.end()

    # ---------------------------------------------------------------- changes

    def _changing(self, change: Callable[[dict], Any]) -> Answer:
        async def answer(asked: Asked) -> Response:
            try:
                body = await _body(asked)
                change(body)
            except Refused as why:
                return JSONResponse({"why": str(why), **view_of(self._session)}, 409)
            except OSError as why:
                return JSONResponse({"why": str(why), **view_of(self._session)}, 507)
            except (ValueError, TypeError, KeyError) as why:
                return JSONResponse({"why": f"The request cannot be read: {why}"}, 400)
            return JSONResponse(view_of(self._session))

        return answer

    async def _save(self, asked: Asked) -> Response:
        session = self._session
        async with self._saving:
            try:
                written = await run_in_threadpool(
                    save, session.sheet.request, session.result(), session.fingerprint, session.decisions.note_saving
                )
            except (ValueError, OSError) as why:
                return JSONResponse({"why": str(why)}, 409)
            if session.sheet.request.in_place:
                session.fingerprint = written
        return JSONResponse({"saved": str(session.sheet.request.out)})

    # ---------------------------------------------------------------- looks

    async def _page(self, asked: Asked) -> Response:
        return _static("index.html")

    async def _part(self, asked: Asked) -> Response:
        return _static(asked.path_params["name"])

    async def _view(self, asked: Asked) -> Response:
        """The view, or nothing where the page has the latest one."""
        if asked.query_params.get("since") == str(self._session.version):
            return Response(status_code=204)
        return JSONResponse(view_of(self._session))

    async def _row(self, asked: Asked) -> Response:
        row = asked.path_params["row"]
        if row >= len(self._session.sheet):
            return PlainTextResponse("There is no such row.\n", 404)
        return JSONResponse(row_to_read(self._session, row, whole=True))

    async def _image(self, asked: Asked) -> Response:
        row, sheet = asked.path_params["row"], self._session.sheet
        path = sheet.image(row) if row < len(sheet) else None
        if path is None or path.suffix.lower() not in IMAGES:
            return PlainTextResponse("There is no such image.\n", 404)
        return FileResponse(path, media_type=IMAGES[path.suffix.lower()])

    async def _groups(self, asked: Asked) -> Response:
        return JSONResponse(groups_of(self._session))

    async def _checks(self, asked: Asked) -> Response:
        found = []
        for one in self._session.findings():
            shown = None if one.row is None else row_to_read(self._session, one.row)
            found.append({**one.as_dict(), "shown": shown})
            if len(found) == 100:
                break
        return JSONResponse(found)

    async def _places(self, asked: Asked) -> Response:
        """The number of each row on the map, then its two coordinates; nothing until they are known."""
        ready = self._session.ready
        if ready is None:
            return Response(status_code=204)
        rows = self._on_the_map()
        body = rows.astype("<u4").tobytes() + ready.places[rows].astype("<f4").tobytes()
        return Response(body, media_type="application/octet-stream")

    async def _marks(self, asked: Asked) -> Response:
        """Class (65535: none), confidence in 255ths and origin of each row on the map."""
        rows = self._on_the_map()
        codes, confidence, origins = (one[rows] for one in self._session.marks())
        body = np.where(codes < 0, 65535, codes).astype("<u2").tobytes()
        body += np.round(255 * confidence).astype("u1").tobytes() + origins.astype("u1").tobytes()
        return Response(body, media_type="application/octet-stream")

    def _on_the_map(self) -> np.ndarray:
        n = len(self._session.sheet)
        if n <= MOST_POINTS:
            return np.arange(n)
        return np.sort(np.random.default_rng(0).choice(n, MOST_POINTS, replace=False))


def _static(name: str) -> Response:
    path = PAGE / name
    if path.parent != PAGE or path.suffix not in KINDS or not path.is_file():
        return PlainTextResponse("There is no such page.\n", 404)
    return Response(path.read_bytes(), media_type=KINDS[path.suffix])


async def _body(asked: Asked) -> dict:
    if int(asked.headers.get("content-length") or 0) > LARGEST_BODY:
        raise ValueError("it is too long")
    body = await asked.json()
    if not isinstance(body, dict):
        raise ValueError("an object is needed")
    return body


def _row(body: dict) -> int:
    row = body["row"]
    if not isinstance(row, int):
        raise ValueError("row has to be a number")
    return row


def _rows(body: dict) -> list[int]:
    rows = body["rows"]
    if not isinstance(rows, list) or not all(isinstance(row, int) for row in rows):
        raise ValueError("rows have to be numbers")
    return rows


def _text(body: dict, name: str) -> str:
    text = body[name]
    if not isinstance(text, str):
        raise ValueError(f"{name} has to be text")
    return text
