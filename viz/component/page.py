"""A page of HTML that works without a network, and a component within it."""

import base64
import html
import re
from collections.abc import Mapping

from .. import theme
from .assets import Assets, text_of, with_named_export, without_tags

# Nothing is fetched, whatever stands in the file.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)


def component_html(assets: Assets, packed: bytes, number: int) -> str:
    """Return a component with its payload as a part of a page.

    Args:
        assets: What it is made of.
        packed: Its payload.
        number: Which one of the page it is.

    Raises:
        ValueError: Its script does not export exactly one function as its default.
    """
    mounting = text_of("component/standalone.js").replace("NUMBER", str(number))
    return (
        f'<div id="view-{number}"><template shadowrootmode="open">'
        f"<style>{inside_style(assets.css)}</style>{assets.html}</template></div>\n"
        f'<script type="text/plain" id="payload-{number}">'
        f"{base64.b64encode(packed).decode()}</script>\n"
        f'<script type="module">{without_tags(with_named_export(assets.js) + mounting)}</script>'
    )


def page_html(title: str, facts: Mapping[str, str], content: str, language: str = "en") -> str:
    """Return a page that fetches nothing.

    Args:
        title: A sentence; any text.
        facts: What stands below the title: name → any text.
        content: HTML.
        language: Of all of it, as browsers call it (BCP 47).
    """
    return text_of("component/standalone.html").format(
        language=html.escape(language),
        policy=_POLICY,
        title=html.escape(title),
        style=page_style(),
        facts=facts_html(facts),
        content=content,
    )


def facts_html(facts: Mapping[str, str]) -> str:
    """Return names and texts, any of them, as the rows of a list of descriptions."""
    return "\n".join(
        f'<dt>{html.escape(name)}</dt><dd dir="auto">{html.escape(fact)}</dd>'
        for name, fact in facts.items()
    )


def page_style() -> str:
    """Return the CSS of a page that has none of Streamlit's variables."""
    style = text_of("component/standalone.css")
    for name, rgb in {"ACCENT_ON_DARK": theme.HEADS[5], "ACCENT": theme.SOURCE}.items():
        style = style.replace(name, theme.colour(rgb))
    return style


def inside_style(css: str) -> str:
    r"""Return CSS that cannot end the element that it stands in.

    A backslash changes nothing in the strings and comments in which such signs can stand.

    >>> inside_style("/* </style> */")
    '/* <\\/style> */'
    """
    return re.sub("</(?=style)", r"<\\/", css, flags=re.IGNORECASE)
