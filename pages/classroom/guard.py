"""Stands before the app of a class: nothing of it answers whoever has not signed in."""

from pathlib import Path
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from core.messages import N_
from pages.classroom import cookie, sign_in
from pages.classroom.passwords import Attempts, matches
from pages.classroom.settings import Classroom
from pages.classroom.sign_in import Form
from pages.classroom.visitors import TEACHER, NameTakenError, Visitor, admitted, is_known

HEALTH = "/_stcore/health"
"""Whoever watches over the server asks there; it says nothing of anybody."""
READING = ("GET", "HEAD", "OPTIONS")
"""Methods of requests that change nothing."""
LARGEST_FORM = 10_000
"""Bytes."""
FREE_OF_MACHINE, FREE_OF_NAME = 100, 5
"""So many failures cost nothing: a class may come from one address."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """Lets through who has signed in, and asks everybody else to."""

    def __init__(self, app: ASGIApp, classroom: Classroom, runs: Path) -> None:
        """Stand before an app.

        Args:
            app: What is guarded.
            classroom: Whose passwords count.
            runs: The folder of runs, in which names are kept.
        """
        self._app, self._classroom, self._runs = app, classroom, runs
        self._of_machine, self._of_name = Attempts(FREE_OF_MACHINE), Attempts(FREE_OF_NAME)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            # A page of another port of this machine would come with the same cookie.
            if _is_from_here(HTTPConnection(scope)) and self._is_let_in(scope):
                await self._app(scope, receive, send)
            else:
                # Before it is accepted, this refuses it (403).
                await send({"type": "websocket.close", "code": 1008})
        elif scope["path"] == sign_in.SIGN_OUT:
            gone = _redirected("/")
            gone.delete_cookie(cookie.NAME)
            await gone(scope, receive, send)
        elif scope["path"] == sign_in.SIGN_IN and scope["method"] == "POST":
            answer = await self._sign_in(Request(scope, receive))
            await answer(scope, receive, send)
        elif scope["method"] not in READING and not _is_from_here(HTTPConnection(scope)):
            await Response("", 403, HEADERS)(scope, receive, send)
        elif scope["path"] == HEALTH or self._is_let_in(scope):
            await self._app(scope, receive, send)
        else:
            await self._ask(Request(scope))(scope, receive, send)

    def _is_let_in(self, scope: Scope) -> bool:
        kept = HTTPConnection(scope).cookies.get(cookie.NAME, "")
        visitor = cookie.visitor_of(self._classroom, kept)
        return visitor is not None and is_known(self._runs, visitor)

    def _ask(self, request: Request) -> Response:
        if "text/html" not in request.headers.get("accept", ""):
            return Response("", 401, HEADERS)
        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        form = Form(then=asked if sign_in.is_here(asked) else "/")
        return _page(request, form, status=401)

    async def _sign_in(self, request: Request) -> Response:
        if not _is_from_here(request):
            return Response("", 403, HEADERS)
        content = bytearray()
        async for part in request.stream():
            content += part
            if len(content) > LARGEST_FORM:
                return Response("", 413, HEADERS)
        form = sign_in.read(bytes(content))
        machine = request.client.host if request.client else ""
        try:
            _begin_attempt(self._of_machine, machine)
            # What is compared takes its time, in which others are answered.
            visitor = await run_in_threadpool(self._visitor, form)
        except _TooOftenError as error:
            return _page(request, form, status=429, seconds=error.seconds)
        if isinstance(visitor, str):
            return _page(request, form, status=403, problem=visitor)
        self._of_machine.note(machine, failed=False)
        answer = _redirected(form.then)
        answer.set_cookie(
            cookie.NAME,
            cookie.written(self._classroom, visitor),
            max_age=cookie.seconds(self._classroom),
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return answer

    def _visitor(self, form: Form) -> Visitor | str:
        """Return who has signed in, or why nobody has.

        Raises:
            _TooOftenError: Somebody guessed words of this name.
        """
        if matches(form.password, self._classroom.teacher_password):
            return TEACHER
        if not matches(form.password, self._classroom.password):
            return N_("This is not the password of the class.")
        name = form.name.casefold()
        _begin_attempt(self._of_name, name)
        try:
            visitor = admitted(self._runs, form.name, form.word)
        except NameTakenError as error:
            return error.args[0] if error.args else str(error)
        except OSError:
            return N_("your name cannot be kept: the disk of the class is full or read-only")
        self._of_name.note(name, failed=False)
        return visitor


class _TooOftenError(Exception):
    """Nothing is tried for a while."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def _begin_attempt(attempts: Attempts, who: str) -> None:
    """Count an attempt as failed until it succeeds: many at the same time are counted, too.

    Raises:
        _TooOftenError: It is not tried now.
    """
    if seconds := attempts.wait(who):
        raise _TooOftenError(max(1.0, seconds))
    attempts.note(who, failed=True)


def _page(
    request: Request, form: Form, *, status: int, problem: str = "", seconds: float = 0.0
) -> Response:
    languages = request.headers.get("accept-language", "")
    return HTMLResponse(sign_in.page(languages, form, problem, seconds), status, HEADERS)


def _redirected(to: str) -> RedirectResponse:
    # A post becomes a get.
    return RedirectResponse(quote(to, safe="/?&=%#:+,;@!$'()*~"), 303, HEADERS)


def _is_from_here(request: HTTPConnection) -> bool:
    """Say whether a page of this server asks, as far as the browser says."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")
