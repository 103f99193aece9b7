import asyncio
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from classroom import warm_start

ROOT = Path(__file__).resolve().parents[2]
PASSWORDS = {"CLASS_PASSWORD": "all together", "TEACHER_PASSWORD": "mine alone"}
# Served as any server of ASGI would: what it prints is there before anybody may come.
SERVED = """
import sys
from starlette.testclient import TestClient
import class_app
from pages.frame import cached
with TestClient(class_app.app) as client:
    assert client.get("/_stcore/health").status_code == 200
    print(len(cached.models()), *(each for each in sys.modules if each.startswith("pages.")))
"""


class FakeRuntime:
    """Runs each page at once, but one of them never."""

    def __init__(self, never):
        self.never, self.asked, self.closed = never, [], []

    def connect_session(self, client, user_info):
        assert client.client_context.cookies == {"who": "me"}
        return "session"

    def handle_backmsg(self, session, message, *, client):
        page = message.rerun_script.page_name
        self.asked.append((page, message.rerun_script.query_string))
        # Begun anew for another reason, it does not stand yet.
        again = ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN)
        client.write_forward_msg(again)
        assert not client.stands.is_set()
        if page != self.never:
            done = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)
            client.write_forward_msg(done)

    def close_session(self, session):
        self.closed.append(session)


@pytest.mark.parametrize("never", ["heads", None])
def test_all_pages_are_gone_to_also_after_one_that_does_not_come(monkeypatch, never):
    runtime = FakeRuntime(never)
    monkeypatch.setattr(warm_start.Runtime, "instance", lambda: runtime)
    monkeypatch.setattr(warm_start, "SECONDS", 0.01)
    monkeypatch.setattr(warm_start.gc, "freeze", lambda: None)
    monkeypatch.setattr(warm_start.gc, "set_threshold", lambda *_: None)
    pages = warm_start.addresses()
    # In a thread: a browser of other tests may have a loop of its own in this one.
    with ThreadPoolExecutor(1) as thread:
        visited = thread.submit(asyncio.run, warm_start.visit({"who": "me"}, pages))
    missing = visited.result()
    assert runtime.asked == pages
    assert runtime.closed == ["session"]
    assert missing == ([never] if never else [])


def test_every_page_has_an_address():
    found = warm_start.addresses()
    assert found[0] == ("", "")
    listed = (ROOT / "app.py").read_text()
    assert all(f'"{page}"' in listed for page, _query in found[1:] if page != "visitors")
    assert {"attention", "heads", "training", "glossary"} <= {page for page, _query in found}


@pytest.mark.slow
def test_a_class_that_answers_has_all_modules_and_the_first_model_in_memory(tmp_path):
    environment = os.environ | PASSWORDS | {"CLASS_SETTINGS": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", SERVED], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    n_models, *modules = ended.stdout.split()
    assert int(n_models) >= 1
    views = {
        ".".join(each.relative_to(ROOT).with_suffix("").parts)
        for each in (ROOT / "pages" / "views").glob("*/*.py")
        if each.stem != "__init__"
    }
    assert views <= set(modules)
