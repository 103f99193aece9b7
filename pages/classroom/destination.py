"""The address that somebody asked for, kept while a provider is asked who she is.

A form carries the address itself. On the way to a provider and back it is kept by the browser: in a
cookie that is signed and ends soon, so that each replica of a class reads what another has written.
"""

from itsdangerous import BadSignature, URLSafeTimedSerializer

from pages.classroom.settings import Classroom
from pages.classroom.sign_in import is_here

NAME = "transformer_class_destination"
SECONDS = 15 * 60
"""So long may somebody take at the provider."""
LONGEST = 3_800
"""Bytes: browsers drop a cookie of more than 4,096, with its name and what is said of it."""


def written(classroom: Classroom, address: str) -> str:
    """Return what a browser keeps; nothing for an address of elsewhere, or one that is too long."""
    kept = str(_signer(classroom).dumps(address)) if is_here(address) else ""
    return kept if len(kept) <= LONGEST else ""


def address_of(classroom: Classroom, cookie: str) -> str:
    """Return the address that was asked for; "/" where none was kept, or long ago."""
    try:
        address = str(_signer(classroom).loads(cookie, max_age=SECONDS))
    except BadSignature:
        return "/"
    return address if is_here(address) else "/"


def _signer(classroom: Classroom) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(classroom.secret, salt=NAME)
