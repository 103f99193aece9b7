import re
from dataclasses import replace
from html import unescape
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classroom import accounts, cookie
from classroom.accounts import Accounts
from classroom.guard import HEALTH
from classroom.names import MARK, admitted, admitted_by_account
from classroom.settings import Classroom
from pages.frame.service import OWNER, VISITORS, Visitor
from tests.classroom import test_accounts
from tests.classroom.conftest import ANN, CLASSROOM, asking


def cookie_of(headers):
    return headers["set-cookie"].partition("=")[2].partition(";")[0]


def test_nothing_answers_whoever_has_not_signed_in(ask):
    for path in ("/", "/runs", "/_stcore/upload_file/a/b", "/media/x.zip", "/static/a.js"):
        status, _, text = ask(path)
        assert status == 401
        assert "inside" not in text
    assert ask("/_stcore/stream", kind="websocket")[0] == "websocket.close"
    assert ask(HEALTH)[0] == 200
    assert ask(f"{HEALTH}/../stream")[0] == 401
    # What the browser calls this host is no part of what it asks for.
    assert ask("/", host=f"class.local{HEALTH}?")[0] == 401


def test_whoever_asks_for_a_page_is_asked_to_sign_in_and_led_there_afterwards(ask):
    status, headers, text = ask("/heads", accept="text/html")
    assert status == 401
    assert headers["cache-control"] == "no-store"
    assert 'value="/heads?layer=1"' in text
    status, headers, _ = ask("/sign-in", form=ANN | {"then": "/heads?layer=1&run=runs/été"})
    assert (status, headers["location"]) == (303, "/heads?layer=1&run=runs/%C3%A9t%C3%A9")


def test_a_password_opens_everything_and_the_cookie_is_for_no_script(ask, tmp_path):
    _, headers, _ = ask("/sign-in", form=ANN)
    kept = cookie_of(headers)
    assert cookie.visitor_of(CLASSROOM, kept) == admitted(tmp_path, "Ann", "my word")
    assert "HttpOnly" in headers["set-cookie"]
    assert "samesite=lax" in headers["set-cookie"].lower()
    assert ask("/", kept=kept)[2] == "inside"
    assert ask("/_stcore/stream", kind="websocket", kept=kept)[0] == "websocket.accept"


def test_the_teacher_comes_in_by_a_password_alone(ask):
    _, headers, _ = ask("/sign-in", form={"password": "mine alone"})
    assert cookie.visitor_of(CLASSROOM, cookie_of(headers)) == OWNER


@pytest.mark.parametrize(
    "wrong",
    [{"password": "all  together"}, {"password": ""}, {"name": ""}, {"word": ""}, {"name": "../x"}],
)
def test_what_is_wrong_opens_nothing_and_is_said(ask, wrong):
    status, headers, text = ask("/sign-in", form=ANN | wrong)
    assert status == 403
    assert "set-cookie" not in headers
    assert 'role="alert"' in text


def test_a_cookie_that_the_class_did_not_write_opens_nothing(ask, tmp_path):
    forged = cookie.written(Classroom(secret="another"), OWNER)
    assert ask("/", kept=forged)[0] == 401
    freed = admitted(tmp_path, "Ann", "my word")
    (tmp_path / VISITORS / "Ann" / MARK).unlink()
    for visitor in (freed, Visitor("nobody", "key")):
        assert ask("/", kept=cookie.written(CLASSROOM, visitor))[0] == 401


def test_a_form_that_is_too_large_is_not_read(ask):
    assert ask("/sign-in", form=ANN | {"name": "x" * 300_000})[0] == 413


def test_signing_out_takes_the_cookie_away(ask):
    status, headers, _ = ask("/sign-out", form={}, origin="http://class.local")
    assert status == 303
    assert "Max-Age=0" in headers["set-cookie"]


def test_no_link_signs_anybody_out(ask):
    kept = cookie.written(CLASSROOM, OWNER)
    assert "set-cookie" not in ask("/sign-out", kept=kept)[1]


def test_every_answer_stands_in_no_frame_of_another_site_and_is_what_it_says(ask):
    kept = cookie.written(CLASSROOM, OWNER)
    asked = (
        ask("/", kept=kept),
        ask(HEALTH),
        ask("/"),
        ask("/", accept="text/html"),
        ask("/sign-in", form=ANN),
        ask("/sign-out", form={}),
        ask("/sign-in", form=ANN, origin="null"),
    )
    for _, headers, _ in asked:
        assert "frame-ancestors" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


NOBODYS = Classroom(secret="without passwords, which are slow")
BROKEN = ["http://[::1", "http://", "//", "[", "http://class.local:x", "null", "http://a]b", ""]
TEXT = st.one_of(
    st.sampled_from(BROKEN),
    st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=40),
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    headers=st.fixed_dictionaries(
        dict.fromkeys(("origin", "host", "x_forwarded_for", "accept_language"), TEXT)
    ),
    jar=TEXT,
    query=TEXT,
)
def test_no_header_and_no_query_breaks_an_answer(tmp_path_factory, headers, jar, query):
    ask = asking(tmp_path_factory.getbasetemp())
    cookies = f"{cookie.NAME}={jar}; _streamlit_user={jar}; transformer_class_destination={jar}"
    headers |= {"cookie": cookies, "accept": "text/html"}
    class_local = headers | {"host": "class.local"}
    for given_headers in (headers, class_local):
        for classroom in (NOBODYS, replace(NOBODYS, accounts=OPEN.accounts)):
            for path in ("/", HEALTH, "/heads", "/sign-in/account"):
                found = ask(path, query=query, classroom=classroom, **given_headers)
                assert found[0] < 500
            found = ask("/sign-in", form={"name": jar}, classroom=classroom, **given_headers)
            assert found[0] < 500
            found = ask("/_stcore/stream", kind="websocket", classroom=classroom, **given_headers)
            assert found[0] == "websocket.close"


@pytest.mark.parametrize(
    "origin", ["http://elsewhere.org", "http://class.local:8000", "http://localhost", *BROKEN]
)
def test_a_page_of_another_site_or_port_reaches_nothing_with_a_cookie(ask, cheap, origin):
    with_cookie = {"kept": cookie.written(cheap, OWNER), "classroom": cheap}
    status, *_ = ask("/_stcore/stream", kind="websocket", origin=origin, **with_cookie)
    assert status == "websocket.close"
    for path in ("/sign-in", "/sign-out", "/_stcore/upload_file/a/b"):
        assert ask(path, form=ANN, origin=origin, **with_cookie)[0] == 403
    here = with_cookie | {"origin": "http://class.local"}
    assert ask("/_stcore/stream", kind="websocket", **here)[0] == "websocket.accept"
    assert ask("/_stcore/upload_file/a/b", form={}, **here)[2] == "inside"
    assert ask("/sign-in", form=ANN, **here | {"kept": ""})[0] == 303


OPEN = replace(CLASSROOM, accounts=Accounts(("@school.example",), ("t@school.example",)))
ACCOUNT = {"is_logged_in": True, "iss": "i", "sub": "1", "email_verified": True}


def kept_of(mail):
    """Return the cookie header of a browser that came back from the provider."""
    [(name, signed)] = test_accounts.cookies(ACCOUNT | {"email": mail}).items()
    return f"{name}={signed}"


def test_an_account_signs_in_and_is_led_where_it_asked(ask, tmp_path):
    shown = ask("/heads", classroom=OPEN, accept="text/html", cookie=kept_of("ann@school.example"))
    assert (shown[0], shown[1]["location"]) == (303, "/heads?layer=1")
    visitor = cookie.visitor_of(OPEN, cookie_of(shown[1]))
    assert visitor == admitted_by_account(tmp_path, "other", account_of(OPEN).identity)
    assert visitor.name == "ann"
    shown = ask("/", classroom=OPEN, accept="text/html", cookie=kept_of("t@school.example"))
    assert cookie.visitor_of(OPEN, cookie_of(shown[1])) == OWNER


def account_of(classroom):
    return accounts.account_of(classroom.accounts, ACCOUNT | {"email": "ann@school.example"})


def led_by_account(ask, query, asked_on_return=""):
    """Return where an account is led that has signed in by a link of the page to sign in."""
    status, headers, _ = ask("/sign-in/account", query=query, classroom=OPEN)
    assert (status, headers["location"].partition("?")[0]) == (303, "/auth/login")
    assert "HttpOnly" in headers["set-cookie"]
    cookies = f"{kept_of('ann@school.example')}; {headers['set-cookie'].partition(';')[0]}"
    back = ask("/", query=asked_on_return, classroom=OPEN, accept="text/html", cookie=cookies)
    return back[1]["location"]


def test_an_account_comes_back_from_the_provider_to_the_view_that_it_asked_for(ask):
    view = "model=translate&trial=patch&patched=path&lang=zh_CN"
    page = ask("/heads", query=view, classroom=OPEN, accept="text/html")[2]
    [link] = re.findall(r'href="/sign-in/account\?(.*?)"', page)
    assert led_by_account(ask, unescape(link)) == f"/heads?{view}"
    assert led_by_account(ask, unescape(link), "layer=2") == "/?layer=2", "asked for since then"
    assert led_by_account(ask, "") == "/"


@pytest.mark.parametrize(
    "then",
    [
        "//elsewhere.org",
        "https://elsewhere.org",
        "elsewhere.org",
        "/\\elsewhere.org",
        "/\t/elsewhere.org",
        "/\r\nLocation: https://elsewhere.org",
        "javascript:alert(1)",
        "/sign-out",
        "/auth/logout",
        "/oauth2callback?code=1",
    ],
)
def test_nobody_is_led_elsewhere_by_a_password_or_an_account(ask, cheap, then):
    assert ask("/sign-in", form=ANN | {"then": then}, classroom=cheap)[1]["location"] == "/"
    assert led_by_account(ask, urlencode({"then": then})) == "/"


def test_a_password_leads_to_an_address_of_a_long_sentence(ask):
    view = f"/heads?source={quote('他没有过马路，因为它太累了。' * 100)}"
    assert ask("/sign-in", form=ANN | {"then": view})[1]["location"] == view


def test_an_account_of_elsewhere_is_refused_and_may_be_changed(ask):
    status, headers, text = ask(
        "/", classroom=OPEN, accept="text/html", cookie=kept_of("ann@else.example")
    )
    assert status == 403
    assert "This account does not open the class." in text
    assert "Max-Age=0" in headers["set-cookie"]
    # The other account is led where this one was to go.
    assert "then=%2F%3Flayer%3D1" in text


def test_without_accounts_no_way_leads_past_the_passwords(ask):
    for path in ("/auth/login", "/oauth2callback", "/sign-in/account"):
        assert ask(path)[0] == 401
    assert ask("/", accept="text/html", cookie=kept_of("t@school.example"))[0] == 401


def test_with_accounts_the_way_to_the_provider_and_nothing_else_is_open(ask):
    for path in ("/auth/login", "/oauth2callback"):
        assert ask(path, classroom=OPEN)[2] == "inside"
    for path in ("/auth/logout", "/auth/login/x", "/", "/_stcore/host-config"):
        assert ask(path, classroom=OPEN)[0] == 401
    assert "/sign-in/account" in ask("/", classroom=OPEN, accept="text/html")[2]


def test_signing_out_takes_the_account_away_too(ask):
    _, headers, _ = ask("/sign-out", form={}, classroom=OPEN, cookie=kept_of("ann@school.example"))
    assert headers["set-cookie"].startswith("_streamlit_user=")
