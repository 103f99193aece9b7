import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from classroom import cookie, passwords
from classroom.guard import Guard
from classroom.passwords import hashed
from classroom.settings import Classroom
from tests.pages.conftest import (  # noqa: F401
    _caches_of_what_is_replaced,
    _packages_looked_through_once,
    _widgets_by_name,
    elsewhere,
    open_app,
    open_page,
    own_runs,
)

CLASSROOM = Classroom(
    password=hashed("all together"), teacher_password=hashed("mine alone"), secret="of this class"
)
ANN = {"password": "all together", "name": "Ann", "word": "my word"}


async def whatever(scope, receive, send):
    """The app that is guarded: it says yes to all."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"inside"})


@pytest.fixture
def ask(tmp_path):
    """Return a function that asks a guard for something: status, headers and text."""
    return asking(tmp_path)


def asking(tmp_path):
    guards = {}

    def asked(
        path="/", *, query="layer=1", kind="http", form=None, kept="", classroom=None, **headers
    ):
        sent, client = [], headers.pop("client", "10.0.0.1")
        guard = guards.setdefault(classroom, Guard(whatever, classroom or CLASSROOM, tmp_path))
        headers = {"host": "class.local", "cookie": f"{cookie.NAME}={kept}"} | headers
        scope = {
            "type": kind,
            "method": "GET" if form is None else "POST",
            "path": path,
            "query_string": query.encode("latin-1") if form is None else b"",
            "scheme": "http",
            "server": ("class.local", 80),
            "client": (client, 1),
            "headers": [
                (name.replace("_", "-").encode(), text.encode("latin-1"))
                for name, text in headers.items()
            ],
        }

        async def receive():
            return {"type": "http.request", "body": urlencode(form or {}).encode()}

        async def send(message):
            sent.append(message)

        # In a thread: a browser of other tests may have a loop of its own in this one.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, guard(scope, receive, send)).result()
        given = {name.decode(): text.decode() for name, text in sent[0].get("headers", [])}
        text = b"".join(each.get("body", b"") for each in sent).decode()
        return sent[0].get("status", sent[0]["type"]), given, text

    return asked


@pytest.fixture
def cheap(monkeypatch):
    """Return a class whose passwords cost nothing, while the clock stands still."""
    monkeypatch.setattr(passwords, "time", SimpleNamespace(monotonic=lambda: 100.0))
    monkeypatch.setattr(passwords.hashlib, "scrypt", lambda password, **_: password)
    return Classroom(
        password=hashed("all together"), teacher_password=hashed("mine alone"), secret="cheap"
    )
