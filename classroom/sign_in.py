"""The page on which one signs in to a class, as HTML; and what was typed there."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import parse_qs, urlencode

from classroom.accounts import ROUTES
from classroom.names import SHORTEST_WORD
from core.messages import Message
from pages.frame import APP_NAME, language
from pages.frame.language import _, n_, number
from pages.frame.messages import explained

SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
BY_ACCOUNT = f"{SIGN_IN}/account"
_NO_PAGES = (SIGN_IN, SIGN_OUT, "/auth/", *ROUTES)
"""Where nobody is led who has signed in: each would ask again, or sign out."""
LONGEST = 200
"""Letters of what is typed into one field."""
_PAGE = Template((Path(__file__).parent / "sign_in.html").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Form:
    """What somebody typed."""

    password: str = ""
    name: str = ""
    word: str = ""
    then: str = "/"
    """The address that was asked for."""


def read(content: bytes) -> Form:
    """Return what was typed.

    >>> read(b"password=all+together&name=Ann&then=%2Fheads%3Flayer%3D1")
    Form(password='all together', name='Ann', word='', then='/heads?layer=1')
    >>> read(b"then=%2F%2Felsewhere.org").then, read(b"then=https%3A%2F%2Felsewhere.org").then
    ('/', '/')
    """
    try:
        found = _queries(content.decode(), most=10)
    except ValueError:
        found = {}
    typed = {name: value[:LONGEST] for name, value in found.items()}
    then = found.get("then", "/")
    return Form(
        password=typed.get("password", ""),
        name=typed.get("name", "").strip(),
        word=typed.get("word", ""),
        then=then if is_here(then) else "/",
    )


def _queries(text: str, most: int | None = None) -> dict[str, str]:
    """Return the first value of each name.

    Raises:
        ValueError: There are more than `most`.
    """
    found = parse_qs(text, max_num_fields=most)
    return {name: values[0] for name, values in found.items()}


def is_here(address: str) -> bool:
    """Return whether an address is one of this app, and not of another machine."""
    return (
        address.startswith("/")
        and not address.startswith(("//", *_NO_PAGES))
        and address.isprintable()
        and "\\" not in address
    )


def page(
    languages: str, form: Form, problem: str = "", seconds: float = 0.0, *, by_account: bool = False
) -> str:
    """Return the page in the visitor's language.

    Args:
        languages: What the browser asks for: the header `Accept-Language`. The address that was
            asked for goes before it, where it says a language.
        form: What was typed before; passwords are not shown again.
        problem: Why one could not come in.
        seconds: The time for which no further attempt is made.
        by_account: Whether accounts of elsewhere open the class, too.
    """

    def made() -> str:
        return _page(form, problem, round(seconds), by_account=by_account)

    linked = _queries(form.then.partition("?")[2]).get(language.LANGUAGE, "")
    return language.in_language(language.spoken(linked) or _accepted(languages), made)


def _page(form: Form, problem: str, seconds: int, *, by_account: bool) -> str:
    alert_text = explained(problem) if isinstance(problem, Message) else _(problem)
    if seconds:
        alert_text = n_(
            "Too many attempts. Try again in {n} second.",
            "Too many attempts. Try again in {n} seconds.",
            seconds,
        ).format(n=number(seconds))
    texts = {
        "tag": language.tag(),
        "title": APP_NAME,
        "password": _("Password of the class"),
        "name": _("Your name"),
        "about_name": _("Others in the class do not see your runs; the teacher does."),
        "word": _("A word of your own"),
        "about_word": _(
            "Choose one when you come for the first time, {n} letters or more. With it you come "
            "back to your runs. A teacher types the teacher’s password, and nothing else."
        ).format(n=SHORTEST_WORD),
        "submit": _("Sign in"),
        "then": form.then,
        "typed": form.name,
        "longest": str(LONGEST),
        "action": SIGN_IN,
    }
    shown = {name: escape(text) for name, text in texts.items()}
    alert = f'<p role="alert">{escape(alert_text)}</p>' if alert_text else ""
    account = escape(_("Sign in with your account"))
    way = escape(f"{BY_ACCOUNT}?{urlencode({'then': form.then})}")
    link = f'<a class="account" href="{way}">{account}</a>'
    return _PAGE.substitute(shown, problem=alert, account=link if by_account else "")


def _accepted(languages: str) -> str:
    """Return the first language of a header `Accept-Language` that the app knows.

    >>> _accepted("tlh, en-GB;q=0.9"), _accepted("")
    ('en', 'en')
    """
    asked = (each.partition(";")[0].strip() for each in languages.split(","))
    return next((found for each in asked if (found := language.spoken(each))), language.ENGLISH)
