"""The glossary: each term of the field explained in two sentences, with a view that shows it.

It is a page, and wherever a term stands on another page it is explained beside the pointer that
rests on it, or after a tap.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.frame import links, texts
from pages.frame.language import ENGLISH

_SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Term:
    """One term in the visitor's language."""

    name: str
    """In tests and texts, the same in every language."""
    forms: tuple[str, ...]
    """How it is written; the first is its heading."""
    english: str
    """Its heading in English."""
    text: str
    """What it is, in two sentences."""
    page: str
    """The page with a view that shows it."""
    query: Mapping[str, str]
    """What that page opens with."""
    of_the_model: bool
    """Whether it is of the paper's model, not of training and of finding out."""


def terms() -> list[Term]:
    """Return all terms in the visitor's language."""
    english = texts.toml("glossary", ENGLISH)
    return [
        Term(
            name,
            tuple(entry["forms"]),
            english[section][name]["forms"][0],
            entry["text"],
            *links.read(entry["link"]),
            of_the_model=section == "model",
        )
        for section in ("model", "use")
        for name, entry in texts.toml("glossary")[section].items()
    ]


def lend() -> None:
    """Let the page explain its terms; those that the paper explains are not underlined."""
    data = {
        "everydayPhrases": texts.toml("glossary")["everyday"],
        "glossary": [
            {"forms": term.forms, "text": term.text, "marked": not term.of_the_model}
            for term in terms()
        ],
    }
    # Nothing in a text can end the script.
    written = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    script = f"<script>Object.assign(window, {written});\n{_SCRIPT}</script>"
    st.html(script, unsafe_allow_javascript=True)
