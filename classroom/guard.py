"""The guard of a class: without having signed in, a visitor reaches nothing of the app."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from classroom import accounts, cookie, sign_in
from classroom.accounts import Accounts
from classroom.names import NameTakenError, admitted, admitted_by_account, is_known, is_new
from classroom.passwords import Attempts, matches
from classroom.settings import Classroom
from classroom.sign_in import Form
from core.messages import N_, error_text
from core.runs.folder import same
from pages.frame.service import OWNER, Visitor

HEALTH = "/_stcore/health"
"""For monitoring; the answer holds nothing of anybody."""
CANNOT_BE_KEPT = N_("your name cannot be kept: the disk of the class is full or read-only")
READING = ("GET", "HEAD", "OPTIONS")
"""Methods of requests that change nothing."""
LARGEST_FORM = 200_000
"""Bytes; an address may hold a long sentence, in nine letters a sign."""
FREE_OF_MACHINE, FREE_OF_NAME = 100, 5
"""Failures that cost nothing: a class may come from one address."""
FREE_NEW_NAMES = 100
"""Names that may be chosen at once from one address; from then on some in a minute."""
OF_ALL = {
    # Components of the app stand in frames of its own pages.
    "Content-Security-Policy": "frame-ancestors 'self'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""What every answer says, unless it says something else itself."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    ),
}
"""And what the guard's own answers say."""


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
        self._new_names = Attempts(FREE_NEW_NAMES)

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
        else:
            # An answer is an app, too.
            answer = await self._answer(Request(scope, receive)) or self._app
            await answer(scope, receive, _with_headers(send))

    async def _answer(self, request: Request) -> Response | None:
        """Return what is answered to a request; None where the app answers."""
        # Not of the request's URL: what a browser calls this host could be part of its path.
        path = request.scope["path"]
        if not _is_host(request.headers.get("host", "")):
            return Response("", 400, HEADERS)
        if request.method not in READING and not _is_from_here(request):
            return Response("", 403, HEADERS)
        if path == sign_in.SIGN_OUT and request.method == "POST":
            return _signed_out(request)
        if path == sign_in.SIGN_IN and request.method == "POST":
            return await self._sign_in(request)
        if path == HEALTH or self._is_let_in(request.scope):
            return None
        if self._classroom.accounts and path in accounts.ROUTES:
            return None
        if self._classroom.accounts and path == sign_in.BY_ACCOUNT:
            return self._to_provider(request)
        return await self._ask(request)

    def _is_let_in(self, scope: Scope) -> bool:
        signed = HTTPConnection(scope).cookies.get(cookie.NAME, "")
        visitor = cookie.visitor_of(self._classroom, signed)
        return visitor is not None and is_known(self._runs, visitor)

    async def _ask(self, request: Request) -> Response:
        if "text/html" not in request.headers.get("accept", ""):
            return Response("", 401, HEADERS)
        query = request.scope["query_string"].decode(errors="replace")
        asked = request.scope["path"] + (f"?{query}" if query else "")
        if asked == "/":
            # The provider leads back to it; any other address is what the visitor wants now.
            signed = request.cookies.get(cookie.DESTINATION, "")
            asked = cookie.destination_of(self._classroom, signed)
        form = Form(then=asked if sign_in.is_here(asked) else "/")
        if self._classroom.accounts and (claims := accounts.claims_of(request.cookies)):
            visitor = await run_in_threadpool(self._of_account, self._classroom.accounts, claims)
            if isinstance(visitor, Visitor):
                return self._let_in(request, visitor, form.then)
            refused = self._page(request, form, status=403, problem=visitor)
            # So that another account can be chosen.
            for name in accounts.cookies_of(request.cookies):
                refused.delete_cookie(name)
            return refused
        return self._page(request, form, status=401)

    def _of_account(self, allowed: Accounts, claims: Mapping[str, Any]) -> Visitor | str:
        """Return who comes by an account, or why nobody does."""
        account = accounts.account_of(allowed, claims)
        if account is None:
            return N_("This account does not open the class.")
        if account.is_teacher:
            return OWNER
        try:
            return admitted_by_account(self._runs, account.name, account.identity)
        except (NameTakenError, OSError):
            return CANNOT_BE_KEPT

    async def _sign_in(self, request: Request) -> Response:
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
            visitor = await run_in_threadpool(self._visitor, form, machine)
        except _TooOftenError as error:
            return self._page(request, form, status=429, seconds=error.seconds)
        if isinstance(visitor, str):
            return self._page(request, form, status=403, problem=visitor)
        # Others of the same address may have failed, or the same visitor at the teacher's password.
        self._of_machine.take_back(machine)
        return self._let_in(request, visitor, form.then)

    def _to_provider(self, request: Request) -> Response:
        answer = _redirected(accounts.way_there())
        signed = cookie.with_destination(self._classroom, request.query_params.get("then", "/"))
        _keep(request, answer, cookie.DESTINATION, signed, cookie.SECONDS_AT_PROVIDER)
        return answer

    def _let_in(self, request: Request, visitor: Visitor, then: str) -> Response:
        answer = _redirected(then)
        signed = cookie.written(self._classroom, visitor)
        _keep(request, answer, cookie.NAME, signed, cookie.seconds(self._classroom))
        if cookie.DESTINATION in request.cookies:
            answer.delete_cookie(cookie.DESTINATION)
        return answer

    def _page(
        self, request: Request, form: Form, *, status: int, problem: str = "", seconds: float = 0.0
    ) -> Response:
        by_account = self._classroom.accounts is not None
        languages = request.headers.get("accept-language", "")
        shown = sign_in.page(languages, form, problem, seconds, by_account=by_account)
        return HTMLResponse(shown, status, HEADERS)

    def _visitor(self, form: Form, machine: str) -> Visitor | str:
        """Return who has signed in, or why nobody has.

        Raises:
            _TooOftenError: Somebody guessed words of this name, or chose too many new names.
        """
        if matches(form.password, self._classroom.teacher_password):
            return OWNER
        if not matches(form.password, self._classroom.password):
            return N_("This is not the password of the class.")
        name = same(form.name)
        if is_new(self._runs, name):
            _begin_attempt(self._new_names, machine)
        _begin_attempt(self._of_name, name)
        try:
            visitor = admitted(self._runs, form.name, form.word)
        except NameTakenError as error:
            return error_text(error)
        except OSError:
            return CANNOT_BE_KEPT
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


def _keep(request: Request, answer: Response, name: str, signed: str, seconds: int) -> None:
    """Have a browser keep something for a while, that it shows this server alone and no script."""
    answer.set_cookie(
        name,
        signed,
        max_age=seconds,
        httponly=True,
        samesite="lax",
        secure=request.scope["scheme"] == "https",
    )


def _signed_out(request: Request) -> Response:
    gone = _redirected("/")
    # Else the account would sign in again at once.
    for name in (cookie.NAME, *accounts.cookies_of(request.cookies)):
        gone.delete_cookie(name)
    return gone


def _redirected(to: str) -> RedirectResponse:
    # A post becomes a get.
    return RedirectResponse(quote(to, safe="/?&=%#:+,;@!$'()*~"), 303, HEADERS)


def _is_from_here(request: HTTPConnection) -> bool:
    """Return whether a page of this server asks, as far as the browser says."""
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    return _is_host(host) and (origin is None or origin.partition("://")[2] == host)


def _is_host(text: str) -> bool:
    """Return whether a text can stand in an address as the name of a machine, maybe with a port."""
    try:
        return (urlsplit(f"//{text}").port or 0) >= 0
    except ValueError:
        return False


def _with_headers(send: Send) -> Send:
    """Return what sends an answer together with what every answer says."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message.setdefault("headers", []))
            for name, text in OF_ALL.items():
                headers.setdefault(name, text)
        await send(message)

    return sending
