"""The addresses of the explorer, its limits and its headers.

Every address takes the same values in its query or, as JSON, in its body (`questions.py`), and
answers in JSON: what the page shows, or `{"error": ..., "hint": ...}` with a status that says whose
fault it is. docs/guide/explore.md describes them all.

Who may ask: a page of this server, in the browser of the user who started it. Every path starts
with a secret that only the printed address holds, because any user of the machine can connect to
the loopback. The `Host` must be a name of the loopback, so that no other site can reach us under a
name of its own; a question that the browser marks as another site's is refused; a body must be
JSON, which a browser lets no other site send; and no answer allows another origin to read it.

How much may be asked: texts, files, bodies and answers are bounded (`questions.py`, `training.py`,
`opening.py`), a body must arrive in time, and a few questions are answered at the same time while
the others wait. One address changes something, and takes a file instead of JSON: `/api/open`. Only
a `POST` of `application/octet-stream` reaches it, which a browser lets no other site send either,
and one file is read at a time.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from subword import SubwordError, __version__
from subword.explorer import building, opening, text, training, vocabulary
from subword.explorer.explored import Explored
from subword.explorer.questions import MOST_BODY, MOST_TEXT, Question, RefusedError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: A question about the tokenizers, and its answer.
Answer = Callable[[Sequence[Explored], Question], dict[str, Any]]
Endpoint = Callable[[Request], Awaitable[Response]]

#: The names that a browser on this machine has for us.
HOSTS = {"127.0.0.1", "localhost", "[::1]"}

#: How many questions are answered at the same time, and how long the body of one may take to
#: arrive, in seconds.
MOST_AT_ONCE = 2
MOST_WAITING = 10.0

HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Guard:
    """Refuses strangers, takes the secret off the path, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, secret: str) -> None:
        self.app = app
        self.prefix = f"/{secret}/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        path, size = scope["path"], len(self.prefix)
        refused = stranger(Headers(scope=scope), path[size - 1 :])
        # Compared in constant time: how long a refusal takes says nothing about the secret.
        if not hmac.compare_digest(path[:size].encode(), self.prefix.encode()):
            message = (
                "expected the address that was printed at the start, found one without its key"
            )
            refused = refused or RefusedError(403, message)
        scope = {**scope, "path": path[size - 1 :], "raw_path": None}
        await (self.app if refused is None else failure(refused))(scope, receive, guarded)


def stranger(headers: Headers, path: str) -> RefusedError | None:
    """What is wrong with who asks: another host, or the page of another site."""
    host = headers.get("host", "")
    if host_name(host) not in HOSTS:
        message = f'expected the host 127.0.0.1 or localhost, found "{host[:100]}"'
        return RefusedError(421, message)
    if path.startswith("/api/") and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        return RefusedError(403, "expected a request of this page, found one of another site")
    return None


def host_name(host: str) -> str:
    """A host without its port.

    >>> host_name("localhost:8000"), host_name("[::1]:8000"), host_name("evil.example")
    ('localhost', '[::1]', 'evil.example')
    """
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


def application(explored: Sequence[Explored], secret: str) -> Starlette:
    """The explorer of these tokenizers, as an ASGI application below `/secret/`."""
    explored = [*explored]  # more may be opened
    at_once = asyncio.Semaphore(MOST_AT_ONCE)
    answers: dict[str, Answer] = {
        "tokenizers": about,
        "encode": text.encoded,
        "compare": text.compared,
        "samples": text.sampled,
        "tokens": text.named,
        "token": building.token,
        "larger": building.larger,
        "find": building.find,
        "vocabulary": vocabulary.vocabulary,
        "kinds": vocabulary.kinds,
        "train": training.train,
    }
    routes = [
        Route(f"/api/{name}", endpoint(explored, answer, at_once), methods=["GET", "POST"])
        for name, answer in answers.items()
    ]
    routes.append(Route("/api/open", opener(explored, at_once), methods=["POST"]))
    routes += [Route(path, file(*found)) for path, found in files().items()]
    handlers: dict[Any, Any] = {HTTPException: not_found, Exception: broken}
    guard = Middleware(Guard, secret=secret)
    app = Starlette(routes=routes, middleware=[guard], exception_handlers=handlers)
    # A slash too many is another address, and not a reason to send a browser elsewhere.
    app.router.redirect_slashes = False
    return app


def about(explored: Sequence[Explored], _: Question) -> dict[str, Any]:
    """The tokenizers and the limits."""
    limits = {"text": MOST_TEXT, "training_text": training.MOST_TRAINING_TEXT}
    limits |= {"merges": training.MOST_MERGES, "rows": vocabulary.MOST_ROWS}
    return {
        "version": __version__,
        "limits": limits | {"file": opening.MOST_FILE},
        "tokenizers": [one.about() for one in explored],
    }


def endpoint(explored: Sequence[Explored], answer: Answer, at_once: asyncio.Semaphore) -> Endpoint:
    """What an address does: read a question, answer it in a thread when it is its turn."""

    async def answered(request: Request) -> Response:
        try:
            question = Question(await values(request))
            return await in_turn(at_once, lambda: answer(explored, question))
        except (RefusedError, SubwordError) as error:
            return failure(error)

    return answered


def opener(explored: list[Explored], at_once: asyncio.Semaphore) -> Endpoint:
    """What the address that opens a tokenizer does: its name is a value, its file the body."""
    one_file = asyncio.Semaphore(1)  # so that memory holds one, however many are sent

    async def answered(request: Request) -> Response:
        try:
            async with one_file:
                body = await body_of(request, "application/octet-stream", opening.MOST_FILE)
                question = Question({**request.query_params, "file": body})
                return await in_turn(at_once, lambda: opening.opened(explored, question))
        except (RefusedError, SubwordError) as error:
            return failure(error)

    return answered


async def in_turn(at_once: asyncio.Semaphore, call: Callable[[], dict[str, Any]]) -> Response:
    """Answer in a thread, when it is its turn."""
    try:
        async with at_once:
            return await run_in_threadpool(lambda: as_json(call()))
    except asyncio.CancelledError:  # Ctrl-C: nobody waits for the answer any more
        raise RefusedError(503, "the explorer is ending") from None


async def values(request: Request) -> Mapping[str, Any]:
    """The values of a request: of its address, or of its body."""
    if request.method != "POST":
        return request.query_params
    body = await body_of(request, "application/json", MOST_BODY)
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError(400, "expected JSON, found something else") from None
    if not isinstance(found, dict):
        raise RefusedError(400, "expected an object of JSON, found another value")
    return found


async def body_of(request: Request, wanted: str, most: int) -> bytes:
    """The body of a request: of this type, not too long, and in time."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != wanted:
        raise RefusedError(415, f'expected a body of {wanted}, found "{kind[:100]}"')
    try:
        return await asyncio.wait_for(whole_body(request, most), MOST_WAITING)
    except asyncio.TimeoutError:
        message = f"expected a body within {MOST_WAITING:g} seconds, found only a part of it"
        raise RefusedError(408, message) from None


async def whole_body(request: Request, most: int) -> bytes:
    """The body of a request, unless it is too long."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise RefusedError(413, f"expected a body of at most {most:,} bytes, found more")
    return bytes(body)


def as_json(value: dict[str, Any], status: int = 200) -> Response:
    body = json.dumps(value, separators=(",", ":"))
    return Response(body, status, media_type="application/json")


def failure(error: RefusedError | SubwordError) -> Response:
    if isinstance(error, RefusedError):
        status, told, hint = error.status, error.message, error.hint
    else:
        status, told, hint = 400, error.summary, getattr(error, "hint", None)
    return as_json({"error": told} if hint is None else {"error": told, "hint": hint}, status)


async def not_found(request: Request, error: HTTPException) -> Response:
    """An address or a method that there is not."""
    what = f"{request.method} {request.url.path[:100]}"
    return failure(RefusedError(error.status_code, f"{what}: {error.detail.lower()}"))


async def broken(request: Request, error: Exception) -> Response:
    """A bug of ours: the terminal shows it, the page says that there is one."""
    return failure(RefusedError(500, f"{type(error).__name__}, which is a bug: tell us"))


def files() -> dict[str, tuple[bytes, str]]:
    """The files of the page by their address. No address is ever made into a path."""
    found = {}
    for entry in (resources.files("subword") / "explorer" / "static").iterdir():
        suffix = entry.name[entry.name.rfind(".") :]
        if suffix in TYPES:
            path = "/" if entry.name == "index.html" else f"/{entry.name}"
            found[path] = (entry.read_bytes(), TYPES[suffix])
    return found


def file(content: bytes, kind: str) -> Endpoint:
    """What the address of a file does."""

    async def sent(_: Request) -> Response:
        return Response(content, headers={"content-type": kind})

    return sent
