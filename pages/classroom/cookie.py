"""The cookie that says who somebody is: signed, so that nobody can write one."""

from itsdangerous import BadSignature, URLSafeTimedSerializer

from pages.classroom.settings import Classroom
from pages.classroom.visitors import Visitor

NAME = "transformer_class"
_DAY = 24 * 3600


def written(classroom: Classroom, visitor: Visitor) -> str:
    """Return what a visitor's browser keeps."""
    return str(_signer(classroom).dumps([visitor.name, visitor.key]))


def visitor_of(classroom: Classroom, cookie: str) -> Visitor | None:
    """Return whose cookie it is; None where the class did not write it, or long ago."""
    try:
        name, key = _signer(classroom).loads(cookie, max_age=seconds(classroom))
    except BadSignature:
        return None
    return Visitor(str(name), str(key))


def seconds(classroom: Classroom) -> int:
    """Return for how long a cookie holds."""
    return classroom.days * _DAY


def _signer(classroom: Classroom) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(classroom.secret, salt=NAME)
