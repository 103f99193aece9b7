"""Texts and numbers in the reader's language.

It is the language that the address names (`?lang=`) or that was chosen before, else the browser's,
else English. One process serves readers of several languages at the same time, so nothing is
translated when a module is imported: constants are marked there with `N_`, and `_` is called where
they are shown. Outside of a run of Streamlit everything is English, but for what `in_this_language`
makes.

Catalogues lie in `pages/locales/<language>/LC_MESSAGES`; a text that one lacks stays English.
"""

import functools
import gettext
import math
import string
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from numbers import Integral
from pathlib import Path
from typing import TypeVar

import streamlit as st
from babel import Locale, UnknownLocaleError
from babel.lists import format_list

from core.messages import N_ as N_
from pages.frame import session
from pages.frame.streamlit_internals import current_run
from viz.charts.signs import Signs
from viz.direction import isolated

Made = TypeVar("Made")

ENGLISH = "en"
LANGUAGE = "lang"
"""What the language is called in an address."""
TINY = 1e-5
"""Smaller differences are only given as smaller than this."""
LOCALES = Path(__file__).resolve().parents[1] / "locales"
DOMAIN = "app"


class _Known(threading.local):
    """The language of a thread: of its run, for a look into the session takes long, and outside."""

    run: object = None
    address = ""
    language = ENGLISH
    outside = ENGLISH


_known = _Known()


class _Template(str):
    """A text with {names}; what fills one keeps its direction to itself."""

    __slots__ = ()

    def format(self, *values: object, **named: object) -> str:
        """Return the text with what its names stand for."""
        apart = {name: _apart(value) for name, value in named.items()}
        return super().format(*map(_apart, values), **apart)


def _apart(value: object) -> object:
    return isolated(value) if isinstance(value, str) else value


def _(message: str) -> str:
    """Return an English text, written here or marked with `N_`, in the reader's language."""
    # Nothing is what gettext calls the catalogue's own description.
    return _Template(_texts().gettext(message)) if message else ""


def n_(singular: str, plural: str, n: int, shown: str | None = None) -> str:
    """Return a text in the form that the reader's language has for a number of things.

    The number itself stands for {n} in it, or what is to be shown instead.

    >>> [n_("{n} head", "{n} heads", n) for n in (1, 2000)]
    ['1 head', '2,000 heads']
    """
    text = _texts().ngettext(singular, plural, n)
    return _Template(text.replace("{n}", number(n) if shown is None else shown))


def translated(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the marked texts of a table in the reader's language."""
    return {name: _(text) for name, text in texts.items()}


def capitalised(text: str) -> str:
    """Return a text as a sentence or a title begins.

    >>> capitalised("encoder layer 0: W^O")
    'Encoder layer 0: W^O'
    """
    return text[:1].upper() + text[1:]


def number(
    value: float,
    digits: int | None = None,
    *,
    significant: int = 3,
    padded: bool = True,
    signed: bool = False,
) -> str:
    r"""Return a number as people read it, with a true minus sign.

    Args:
        value: A whole number is grouped by thousands; any other has significant digits.
        digits: The number of decimals instead.
        significant: The number of significant digits, where the value is not whole.
        padded: Whether zeros fill up the significant digits.
        signed: Whether a number above 0 has a plus sign.

    >>> number(12_000), number(0.5), number(-3.4349e-05), number(0.0), number(float("-inf"))
    ('12,000', '0.500', '−3.43e−05', '0', '−∞')
    >>> number(1234.5, 2), number(-0.04, 1), number(3, 1), number(0.5, padded=False)
    ('1,234.50', '0.0', '3.0', '0.5')
    >>> number(2, signed=True), number(0.12345, significant=4)
    ('+2', '0.1235')
    """
    sign = "+" if signed else "-"
    if digits is not None:
        text = f"{value:{sign}z,.{digits}f}"
    elif isinstance(value, Integral):
        text = f"{value:{sign},}"
    elif value == 0:
        text = "0"
    else:
        text = f"{value:{sign}{'#' * padded}.{significant}g}".rstrip(".").replace(".e", "e")
    return _localised(text.replace("inf", "∞"))


def brief(value: float) -> str:
    """Return a number below 1,000 in five characters at most, for a cell.

    >>> [brief(each) for each in (16.49, -13.52, 0.3812, -0.0712, 0.00021, -8.46e-06, 0.0)]
    ['16.5', '−13.5', '0.381', '−0.07', '2e−4', '−8e−6', '0']
    """
    size = abs(value)
    if size == 0:
        text = "0"
    elif size < 0.01:
        text = f"{value:.0e}".replace("e-0", "e-")
    elif size < 1:
        text = f"{value:.{3 if value > 0 else 2}f}"
    else:
        text = f"{value:.3g}"
    return _localised(text)


def bound(value: float) -> str:
    """Return a bound of a difference that shall be small, in few digits.

    >>> bound(6.39e-14), bound(7.6e-06), bound(0.0042), bound(0.0)
    ('0.00001', '0.00001', '0.0042', '0')
    """
    if 0 < value < TINY:
        return number(TINY, 5)
    return number(value, significant=2, padded=False)


def short(value: float) -> str:
    r"""Write three significant digits, and a large number without an exponent.

    >>> short(6.2832), short(62831.9), short(2.2e-16), short(0.0)
    ('6.28', '62,800', '2.2e−16', '0')
    """
    if abs(value) < 1000:
        return number(value, padded=False)
    return number(int(round(value, 2 - math.floor(math.log10(abs(value))))))


def percent(share: float) -> str:
    r"""Return a share as people read it, with a space at which no line breaks.

    It has one digit, and up to three where fewer would say that it is all or nothing: only what
    is exactly so is called 0 % or 100 %.

    >>> percent(0.9725), percent(1.0), percent(0.9995), percent(1e-9)
    ('97.2\xa0%', '100\xa0%', '99.95\xa0%', '<\xa00.001\xa0%')
    """
    value = 100 * share
    for digits in (1, 2, 3):
        text = f"{value:.{digits}f}"
        if value in (0, 100) or float(text) not in (0, 100):
            return _percent_sign(_localised(text.removesuffix(".0")))
    if value < 1:
        return "<\u00a0" + _percent_sign(_localised("0.001"))
    return ">\u00a0" + _percent_sign(_localised("99.999"))


def percent_of_100(value: float, decimals: int) -> str:
    r"""Return a percentage with this number of decimals.

    >>> percent_of_100(97.245, 1)
    '97.2\xa0%'
    """
    return _percent_sign(number(value, decimals))


def duration(seconds: float) -> str:
    r"""Return a time as people say it: two units at most, the smaller one rounded.

    >>> [duration(each).replace("\u00a0", " ") for each in (0.4, 48.2, 172, 3599.7, 90_000)]
    ['1 s', '48 s', '2 min 50 s', '1 h', '1 d 1 h']
    """
    # Estimates are not exact to the second.
    rounded = max(1, round(seconds)) if seconds < 60 else 10 * round(seconds / 10)
    at = next(index for index, (length, _text) in enumerate(_UNITS) if rounded >= length)
    if at < 2:
        smaller = _UNITS[at + 1][0]
        rounded = smaller * round(rounded / smaller)
        at = next(index for index, (length, _text) in enumerate(_UNITS) if rounded >= length)
    parts = []
    for length, text in _UNITS[at : at + 2]:
        count, rounded = divmod(rounded, length)
        parts += [_(text).format(n=count)] * (count > 0)
    return " ".join(parts)


_UNITS = (
    (86_400, N_("{n}\u00a0d")),
    (3600, N_("{n}\u00a0h")),
    (60, N_("{n}\u00a0min")),
    (1, N_("{n}\u00a0s")),
)
"""Seconds → text of a number of this unit."""


def joined(texts: Iterable[str | None]) -> str:
    """Return whole sentences one after the other, those that are empty left out.

    Chinese puts no space between them.

    >>> joined(["It is so.", None, "It stays so."])
    'It is so. It stays so.'
    """
    two = _("{said} {more}")
    sentences = [text for text in texts if text] or [""]
    return functools.reduce(lambda one, more: two.format(said=one, more=more), sentences)


def listed(texts: Iterable[str]) -> str:
    """Return texts with a comma between them.

    >>> listed(["one", "two"])
    'one, two'
    """
    return _(", ").join(map(isolated, texts))


def listed_apart(texts: Iterable[str]) -> str:
    """Return texts that hold commas themselves.

    >>> listed_apart(["one, two", "three"])
    'one, two; three'
    """
    return _("; ").join(map(isolated, texts))


def labelled(label: str, text: str) -> str:
    """Return a text after what it is about.

    >>> labelled("layer 0", "no change")
    'layer 0: no change'
    """
    return _("{label}: {text}").format(label=label, text=text)


def alternatives(texts: Iterable[str]) -> str:
    """Return alternatives.

    >>> alternatives(["he", "she"])
    'he or she'
    """
    return _(" or ").join(map(isolated, texts))


def enumerated(texts: Iterable[str]) -> str:
    """Return texts with "and" before the last.

    >>> enumerated(["he", "she"])
    'he and she'
    """
    return format_list([isolated(text) for text in texts], locale=_locale(visitor()))


_SYMBOLS = {code: 0x2400 + code for code in range(0x20) if not chr(code).isspace()}
"""Control character → the sign that stands for it."""


def plain(text: str) -> str:
    """Return Markdown that shows a text as it is, whatever signs it holds and way it runs."""
    return as_it_is(isolated(text))


def as_it_is(text: str) -> str:
    r"""Return Markdown that shows a part of a text, which takes its direction from the whole.

    Control characters, which an untrained model of bytes writes, are shown by their symbols.

    >>> as_it_is("a*\x1b")
    'a&#42;␛'
    """
    signs = (f"&#{ord(sign)};" if sign in string.punctuation else sign for sign in text)
    return "".join(signs).translate(_SYMBOLS)


def visitor() -> str:
    """Return the language of the reader of this run: that of a catalogue, or English."""
    run = current_run()
    if run is None:
        return _known.outside
    # A run of the same session has the same context, but may have another address.
    if _known.run is not run or _known.address != run.query_string:
        _known.language = _asked_for() or spoken(st.context.locale or "") or ENGLISH
        _known.run, _known.address = run, run.query_string
    return _known.language


def in_this_language(make: Callable[[], Made]) -> Callable[[], Made]:
    """Return a function that makes something in this language, also outside of any run."""
    return partial(in_language, visitor(), make)


def in_language(language: str, make: Callable[[], Made]) -> Made:
    """Make something in a language, outside of any run."""
    before, _known.outside = _known.outside, language
    try:
        return make()
    finally:
        _known.outside = before


def enter() -> None:
    """Begin to draw a page in the language that its address names; its links name it, too."""
    _known.run = None
    if asked := _asked_for():
        session.show(LANGUAGE, (asked,))


def choose(language: str) -> None:
    """Go on in another language; only in callbacks."""
    session.choose({LANGUAGE: language})
    _known.run = None


def signs() -> Signs:
    """Return the signs of numbers in the reader's language, for charts and tables."""
    return _signs(visitor())


def tag() -> str:
    """Return the reader's language as a BCP 47 tag, for `lang` and `Intl`."""
    return visitor().replace("_", "-")


def languages() -> list[str]:
    """Return English, and every language with a catalogue."""
    found = LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")
    return [ENGLISH, *sorted(file.parents[1].name for file in found)]


@cache
def own_name(of: str) -> str:
    """Return the name of a language in that language.

    >>> own_name("en"), own_name("zh_CN")
    ('English', '中文')
    """
    return capitalised(Locale.parse(of).get_language_name() or of)


def title() -> str:
    """Return the title of the page of languages: the other language, if there is but one.

    A reader who does not know the language of a page must find the way out of it.
    """
    others = [own_name(each) for each in languages() if each != visitor()]
    return others[0] if len(others) == 1 else _("Language")


def spoken(asked: str) -> str:
    """Return the language with this name or tag; empty where there is none.

    >>> spoken("en-GB"), spoken("EN"), spoken("tlh"), spoken("")
    ('en', 'en', '', '')
    """
    asked = asked.replace("-", "_").lower()
    by_name = {each.lower(): each for each in languages()}
    general = {name.split("_")[0]: each for name, each in by_name.items()}
    return by_name.get(asked) or general.get(asked.split("_")[0], "")


def _asked_for() -> str:
    """Return the chosen language, or that of the address; empty where there is neither."""
    # On arrival no page has taken over the address yet.
    return spoken(session.text_of(LANGUAGE) or session.query().get(LANGUAGE, ("",))[-1])


def _texts() -> gettext.NullTranslations:
    return _catalogue(LOCALES, visitor())


@cache
def _catalogue(locales: Path, language: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, locales, [language], fallback=True)


@cache
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language)
    except UnknownLocaleError:
        return Locale.parse(ENGLISH)


def _localised(number: str) -> str:
    """Return a number, written in English, with the signs that the reader's language has."""
    return signs().in_text(number.replace("-", "−"))


@cache
def _signs(language: str) -> Signs:
    if language == ENGLISH:
        return Signs()
    symbols, shares = _locale(language).number_symbols["latn"], _locale(language).percent_formats
    # Charts know no sign before the number.
    return Signs(symbols["decimal"], symbols["group"], shares[None].suffix[0] or "%")


def _percent_sign(number: str) -> str:
    """Return a number with the sign where the reader's language puts it."""
    language = visitor()
    if language == ENGLISH:
        return f"{number}\u00a0%"
    pattern = _locale(language).percent_formats[None]
    return f"{pattern.prefix[0]}{number}{pattern.suffix[0]}"
