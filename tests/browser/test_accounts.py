"""A class that opens with accounts of a provider: the whole way, there and back."""

import re
import urllib.error
import urllib.request
from http.cookiejar import CookieJar

import pytest
from playwright.sync_api import expect

from benchmarks.served_class import replica
from pages.frame.service import visitors
from tests.browser import provider
from tests.browser.conftest import free_port

ANN = {"sub": "17", "email": "ann@school.example", "email_verified": True}
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def asked():
    """A provider of accounts."""
    with provider.served() as found:
        yield found


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def address(asked, runs):
    """Serve a class that opens with accounts of a school."""
    port = free_port()
    (runs / "class.toml").write_text(
        '[accounts]\nvisitors = ["@school.example"]\nteachers = ["t@school.example"]\n'
    )
    said = {
        "redirect_uri": f"http://127.0.0.1:{port}/oauth2callback",
        "cookie_secret": "a secret of some length",
        "server_metadata_url": f"{asked.address}/.well-known/openid-configuration",
        **provider.CLIENT,
    }
    lines = "\n".join(f'{name} = "{value}"' for name, value in said.items())
    (runs / "secrets.toml").write_text(f"[auth]\n{lines}\n")
    with replica(runs, port) as (address, _):
        yield address


def signed_in(address):
    """Return what a new browser finds that signs in with its account: status and cookies."""
    kept = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(kept))
    request = urllib.request.Request(f"{address}/sign-in/account", headers={"Accept": "text/html"})
    try:
        with opener.open(request) as answer:
            status = answer.status
    except urllib.error.HTTPError as error:
        status = error.code
    return status, {cookie.name for cookie in kept}


def test_an_account_of_the_school_opens_the_class_and_has_runs_of_its_own(asked, address, runs):
    asked.said = ANN
    status, cookies = signed_in(address)
    assert status == 200
    assert "transformer_class" in cookies
    assert visitors(runs) == ["ann"]
    # The same account is the same visitor, whatever its address is now; another one is not.
    asked.said = ANN | {"email": "ann.lee@school.example"}
    signed_in(address)
    assert visitors(runs) == ["ann"]
    asked.said = ANN | {"sub": "18"}
    signed_in(address)
    assert visitors(runs) == ["ann", "ann-2"]


@pytest.mark.parametrize(
    "said",
    [{"email": "ann@else.example"}, {"email_verified": False}, {"iss": "http://else.example"}],
)
def test_other_accounts_do_not(asked, address, said):
    asked.said = ANN | {"sub": "19"} | said
    status, cookies = signed_in(address)
    assert status in (401, 403)
    assert "transformer_class" not in cookies


def test_an_answer_that_nobody_asked_for_opens_nothing(address):
    request = urllib.request.Request(
        f"{address}/oauth2callback?code=code-0&state=guessed", headers={"Accept": "text/html"}
    )
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(request)


def test_in_a_browser_a_link_leads_to_its_view_by_way_of_the_provider(asked, address, browser):
    asked.said = ANN
    page = browser.new_context().new_page()
    page.goto(f"{address}/heads?model=translate&trial=roles&lang=zh_CN")
    page.get_by_role("link", name="用你的账号登录").click()
    expect(page.get_by_text("每个头起什么作用")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/heads\?.*\bmodel=translate\b(?!-)"))
    # The address is kept no longer than it is needed.
    kept = {cookie["name"] for cookie in page.context.cookies()}
    assert "transformer_class" in kept
    assert "transformer_class_destination" not in kept
    page.context.close()
