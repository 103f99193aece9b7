"""Signing in with an account that a school or company keeps (OpenID Connect).

The way there and back is Streamlit's, that of `st.login`: `[auth]` in `.streamlit/secrets.toml`
names the provider. What comes back is a cookie that Streamlit signs, with what the provider says of
somebody; here it is read, and who may come in decided.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streamlit.auth_util import get_cookie_with_chunks
from streamlit.user_info import generate_login_redirect_url
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from core.runs.folder import LONGEST

ROUTES = ("/auth/login", "/oauth2callback")
"""Streamlit's own: what they answer is nothing of the app."""
PROVIDER = "default"
"""What Streamlit calls the provider whose settings stand in `[auth]` itself."""
USUAL_NAME = "visitor"


@dataclass(frozen=True, slots=True)
class Accounts:
    """Whose accounts open a class: addresses of mail, or all of a domain (`@school.example`)."""

    visitors: tuple[str, ...] = ()
    teachers: tuple[str, ...] = ()
    unverified: bool = False
    """Whether addresses count that the provider does not call verified."""


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody, as a provider knows them."""

    identity: str
    """A hash of what the provider never gives to another."""
    name: str
    is_teacher: bool


def way_there() -> str:
    """Return the address at which the provider is asked who somebody is."""
    return generate_login_redirect_url(PROVIDER)


def claims_of(cookies: Mapping[str, str]) -> dict[str, Any]:
    """Return what a provider said of the owner of a browser; nothing where it was not asked."""
    secret = get_cookie_secret()

    def one(name: str) -> bytes | None:
        value = cookies.get(name)
        return None if value is None else decode_signed_value(secret, name, value.encode("latin-1"))

    try:
        found = json.loads(get_cookie_with_chunks(one, USER_COOKIE_NAME) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) and found.get("is_logged_in") is True else {}


def account_of(accounts: Accounts, claims: Mapping[str, Any]) -> Account | None:
    """Return whose account it is; None where it does not open the class."""
    mail, issuer, subject = (claims.get(name) for name in ("email", "iss", "sub"))
    if not (isinstance(mail, str) and isinstance(issuer, str) and isinstance(subject, str)):
        return None
    if claims.get("email_verified") is not True and not accounts.unverified:
        return None
    is_teacher = _is_among(mail, accounts.teachers)
    if not (is_teacher or _is_among(mail, accounts.visitors)):
        return None
    identity = hashlib.sha256(json.dumps([issuer, subject]).encode()).hexdigest()
    return Account(identity, _name(mail), is_teacher)


def cookies_of(cookies: Mapping[str, str]) -> list[str]:
    """Return the names of the cookies in which Streamlit keeps an account."""
    return [name for name in cookies if name.startswith(USER_COOKIE_NAME)]


def _is_among(mail: str, listed: tuple[str, ...]) -> bool:
    mail = mail.casefold()
    domain = mail[mail.rfind("@") :]
    return any(each.casefold() in (mail, domain) for each in listed)


def _name(mail: str) -> str:
    """Return what a visitor is called: the first part of the address, in signs of a folder's name.

    >>> _name("ann.lee+lab@school.example"), _name("@school.example")
    ('ann.lee-lab', 'visitor')
    """
    name = re.sub(r"[^\w.]+", "-", mail.rpartition("@")[0])
    return name[:LONGEST].strip("-_.") or USUAL_NAME
