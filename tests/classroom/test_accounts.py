"""Who comes in with an account of elsewhere, by what its provider says.

The cookies are written as Streamlit writes them; tests/browser/test_accounts.py asks a provider.
"""

import json

import pytest
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from classroom.accounts import Accounts, account_of, claims_of, cookies_of

ALLOWED = Accounts(
    visitors=("@school.example", "guest@else.example"), teachers=("t@school.example",)
)
ANN = {
    "is_logged_in": True,
    "iss": "https://login.example",
    "sub": "17",
    "email": "Ann.Lee@School.example",
    "email_verified": True,
}


def cookies(claims, secret=None):
    """Return the cookies of a browser that came back from the provider."""
    signed = create_signed_value(
        secret or get_cookie_secret(), USER_COOKIE_NAME, json.dumps(claims)
    )
    return {USER_COOKIE_NAME: signed.decode()}


def test_what_the_provider_said_is_read_from_streamlits_cookie():
    assert claims_of(cookies(ANN)) == ANN
    assert cookies_of({"a": "", USER_COOKIE_NAME: "", f"{USER_COOKIE_NAME}_1": ""}) == [
        USER_COOKIE_NAME,
        f"{USER_COOKIE_NAME}_1",
    ]


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {USER_COOKIE_NAME: ""},
        {USER_COOKIE_NAME: json.dumps(ANN)},
        cookies(ANN, secret="another"),
        cookies(ANN | {"is_logged_in": False}),
        cookies([ANN]),
    ],
)
def test_what_streamlit_did_not_sign_is_nobodys(kept):
    assert claims_of(kept) == {}


def test_a_domain_or_an_address_opens_the_class():
    ann = account_of(ALLOWED, ANN)
    assert (ann.name, ann.is_teacher) == ("Ann.Lee", False)
    assert account_of(ALLOWED, ANN | {"email": "guest@else.example"})
    assert account_of(ALLOWED, ANN | {"email": "T@school.example"}).is_teacher


@pytest.mark.parametrize(
    "other",
    [
        {"email": "ann@else.example"},
        {"email": "ann@evil-school.example"},
        {"email": "ann@school.example.evil.org"},
        {"email": "x@school.example@evil.org"},
        {"email": "school.example"},
        {"email": None},
        {"email": ["t@school.example"]},
        {"email_verified": False},
        {"email_verified": "true"},
        {"sub": None},
        {"iss": 3},
    ],
)
def test_others_do_not_come_in(other):
    assert account_of(ALLOWED, ANN | other) is None


def test_addresses_that_nobody_verified_count_only_where_the_class_says_so():
    claims = {name: said for name, said in ANN.items() if name != "email_verified"}
    assert account_of(ALLOWED, claims) is None
    trusting = Accounts(visitors=ALLOWED.visitors, unverified=True)
    assert account_of(trusting, claims)


def test_an_account_is_known_by_its_provider_and_not_by_its_address():
    first = account_of(ALLOWED, ANN)
    assert (
        account_of(ALLOWED, ANN | {"email": "ann.chan@school.example"}).identity == first.identity
    )
    assert account_of(ALLOWED, ANN | {"sub": "18"}).identity != first.identity
    assert account_of(ALLOWED, ANN | {"iss": "https://else.example"}).identity != first.identity


def test_names_are_those_of_folders():
    for mail, name in {
        "../../x@school.example": "x",
        "<img>@school.example": "img",
        "élodie@school.example": "élodie",
        "@school.example": "visitor",
    }.items():
        assert account_of(ALLOWED, ANN | {"email": mail}).name == name
