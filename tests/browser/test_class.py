"""A class with a real server: a teacher, two visitors, and somebody who has not signed in."""

import shutil
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from benchmarks.served_class import SECRETS, replica
from classroom.names import admitted
from tests.browser.conftest import ROOT

RUN = "runs/Ann/mine"
SHIPPED = len(list((ROOT / "gallery").glob("*/run.json")))
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Serve a class to which Ann and Ben have come, and in which Ann has a run."""
    runs = tmp_path_factory.mktemp("runs")
    for name in ("Ann", "Ben"):
        admitted(runs, name, f"word of {name}")
    shutil.copytree(ROOT / "gallery" / "copy", runs / ".class" / "Ann" / "mine")
    with replica(runs) as (address, _):
        yield address


@pytest.fixture
def signed_in(browser, address):
    """Return a function that returns the page of somebody who has signed in, led where she asked.

    Without a name it is the teacher's.
    """
    opened = []

    def page_of(name, path):
        page = browser.new_context().new_page()
        opened.append(page.context)
        page.goto(address + path)
        page.get_by_label("Password of the class").fill(
            SECRETS["CLASS_PASSWORD" if name else "TEACHER_PASSWORD"]
        )
        if name:
            page.get_by_label("Your name").fill(name)
            page.get_by_label("A word of your own").fill(f"word of {name}")
        page.get_by_role("button", name="Sign in").click()
        return page

    yield page_of
    for context in opened:
        context.close()


def test_without_signing_in_nothing_of_the_app_is_sent(address):
    for path in ("/", "/_stcore/host-config", "/runs", "/app.py"):
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address + path)


def test_the_app_of_one_user_asks_nobody(serve):
    with urllib.request.urlopen(serve("app.py")) as answer:
        assert answer.status == 200
        assert b"password" not in answer.read()
    recipe = (ROOT / "Makefile").read_text().partition("\nrun:")[2].partition("\n\n")[0]
    assert "app.py --server.address 127.0.0.1" in recipe
    assert "class" not in recipe


def test_a_link_to_anothers_run_opens_nothing_of_it(signed_in):
    page = signed_in("Ben", f"/?model={RUN}")
    expect(page.get_by_text(f"There is no run named {RUN}.")).to_be_visible()
    page.goto(page.url.partition("?")[0] + f"training?training=runs&runs={RUN}")
    expect(page.get_by_text(f"There is no run named {RUN}.")).to_be_visible()
    expect(page.get_by_text(f"{SHIPPED} models. ")).to_be_visible()
    expect(page.get_by_text("Signed in as Ben.")).to_be_visible()
    expect(page.get_by_text("Import a model")).to_have_count(0)


@pytest.mark.parametrize("name", ["Ann", ""])
def test_ones_own_runs_are_seen_by_oneself_and_by_the_teacher(signed_in, name):
    page = signed_in(name, f"/training?training=runs&runs={RUN}")
    expect(page.get_by_text(f"{SHIPPED + 1} models. ")).to_be_visible()
    expect(page.get_by_role("button", name="Delete")).to_be_visible()
    expect(page.get_by_text("Import a model")).to_have_count(0 if name else 1)


def test_whoever_signs_out_is_asked_again(signed_in):
    page = signed_in("Ann", "/training?training=runs")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password of the class")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Password of the class")).to_be_visible()
