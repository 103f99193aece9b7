"""What languages are called, for those who look for theirs."""

from functools import cache

from babel import Locale

from pages.frame import language
from pages.frame.language import _, capitalised


@cache
def own_name(of: str) -> str:
    """Return what the speakers of a language call it.

    >>> own_name("en"), own_name("zh_CN")
    ('English', '中文')
    """
    return capitalised(Locale.parse(of).get_language_name() or of)


def title() -> str:
    """Return what the page is called where one chooses: the other language, if there is but one.

    Whoever does not know the language of a page must find the way out of it.
    """
    others = [own_name(each) for each in language.languages() if each != language.visitor()]
    return others[0] if len(others) == 1 else _("Language")
