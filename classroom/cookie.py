"""The signed cookies of a class: who somebody is, and which address was asked for.

A form carries the address itself. On the way to a provider of accounts and back the browser keeps
it, for a short time. The secret is that of the class: each replica reads what another has written.
"""

from itsdangerous import BadSignature, URLSafeTimedSerializer

from classroom.settings import Classroom
from classroom.sign_in import is_here
from pages.frame.service import Visitor

NAME, DESTINATION = "transformer_class", "transformer_class_destination"
SECONDS_AT_PROVIDER = 15 * 60
LONGEST_DESTINATION = 3_800
"""Bytes: browsers drop a cookie of more than 4,096, with its name and its attributes."""
_DAY = 24 * 3600


def written(classroom: Classroom, visitor: Visitor) -> str:
    """Return what a visitor's browser keeps."""
    return str(_signer(classroom, NAME).dumps([visitor.name, visitor.key]))


def visitor_of(classroom: Classroom, cookie: str) -> Visitor | None:
    """Return whose cookie it is; None where the class did not write it, or long ago."""
    try:
        name, key = _signer(classroom, NAME).loads(cookie, max_age=seconds(classroom))
    except BadSignature:
        return None
    return Visitor(str(name), str(key))


def seconds(classroom: Classroom) -> int:
    """Return for how long a visitor's cookie holds."""
    return classroom.days * _DAY


def with_destination(classroom: Classroom, address: str) -> str:
    """Return the cookie of an address; nothing for one of elsewhere, or one that is too long."""
    signed = str(_signer(classroom, DESTINATION).dumps(address)) if is_here(address) else ""
    return signed if len(signed) <= LONGEST_DESTINATION else ""


def destination_of(classroom: Classroom, cookie: str) -> str:
    """Return the address that was asked for; "/" where none was kept, or long ago."""
    try:
        signer = _signer(classroom, DESTINATION)
        address = str(signer.loads(cookie, max_age=SECONDS_AT_PROVIDER))
    except BadSignature:
        return "/"
    return address if is_here(address) else "/"


def _signer(classroom: Classroom, name: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(classroom.secret, salt=name)
