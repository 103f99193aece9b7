"""A page that draws a pass and computes it itself: a model in the browser, without a server."""

import base64
import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..component.assets import assets_of, joined, text_of, with_named_export
from ..component.page import facts_html, inside_style, page_style
from ..component.payload import Array, framed
from ..messages import N_

SCRIPT = "pass.js"
"""The file of the script that all pages share."""

# Every text of the page that is not the picture's own.
DEFAULT_LIVE_TEXTS: Mapping[str, str] = {
    "sentence": N_("Sentence"),
    "show": N_("Show"),
    "examples": N_("Examples"),
    "reference": N_("Reference"),
    "reference.help": N_("the true output, to be fed to the decoder instead of its own words"),
    "looks": N_("“{query}” looks at **{key}** with **{weight}** of its attention ({where})."),
    "writes": N_("The model writes “{text}”"),
    "changes": N_(
        "Without {heads} the model writes “**{new}**” instead of “{old}” at step {step}: {text}"
    ),
    "loses": N_(
        "Without {heads}, “**{word}**” at step {step} goes from {before} to **{after}**, with "
        "“{other}” at {rest}; the text stays the same."
    ),
    "heads": N_("{n} heads"),
    "cut": N_("Only the first {n} tokens are read: the model has no more positions."),
    "stopped": N_("It was stopped at the length limit."),
    "unknown": N_("Never seen in training: {words}."),
    "enter": N_("Press Enter to show it."),
    "loads": N_("The model is being loaded; the examples are here already."),
    "waits": N_("The model is being loaded; then your sentence is shown."),
    "computes": N_("Computing …"),
    "ready": N_("Computed in this browser: what you type is sent nowhere."),
    "empty": N_("Type a sentence and press Enter"),
    "missing": N_("The model could not be loaded: its file is missing."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A sentence whose pass is stored in the page.

    Attributes:
        name: On its button.
        sentence: Any text.
        reference: Its true translation; empty where none is known.
        text: What the model writes.
        payload: The pass, packed by `viz.whole.whole.pack`.
    """

    name: str
    sentence: str
    reference: str
    text: str
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePage:
    """A page.

    Attributes:
        title: A sentence.
        lead: HTML that says what is shown.
        language: As browsers call it (BCP 47).
        links: Text of a link → its address; of the page itself an empty one.
        examples: At least one; the first is shown at once.
        heads: Each head, `site:index` → what people call it.
        pronouns: Words of the source, in small letters, whose lines stand out.
        finder: The head that finds what they stand for, and its name; both empty without one.
        facts: Name → text, below the picture.
        model: The address of the file that `model_script` wrote.
        texts: Replacements for some of `DEFAULT_LIVE_TEXTS`.
    """

    title: str
    lead: str
    language: str
    links: Mapping[str, str]
    examples: Sequence[Example]
    heads: Mapping[str, str]
    pronouns: Sequence[str]
    finder: tuple[str, str]
    facts: Mapping[str, str]
    model: str
    texts: Mapping[str, str]

    def html(self) -> str:
        """Return the page; it needs two scripts beside it, `SCRIPT` and that of its model."""
        texts = {**DEFAULT_LIVE_TEXTS, **self.texts}
        assets = assets_of("whole")
        examples = [
            {
                "name": each.name,
                "sentence": each.sentence,
                "reference": each.reference,
                "text": each.text,
                "payload": base64.b64encode(each.payload).decode(),
            }
            for each in self.examples
        ]
        page = {
            "examples": examples,
            "heads": dict(self.heads),
            "pronouns": list(self.pronouns),
            "finder": self.finder,
            "model": self.model,
            "texts": texts,
        }
        escaped = {name: html.escape(text) for name, text in texts.items()}
        return text_of("live/live.html").format(
            language=html.escape(self.language),
            title=html.escape(self.title),
            lead=self.lead,
            style=page_style() + text_of("live/live.css"),
            links=" ".join(_link(text, address) for text, address in self.links.items()),
            sentence=escaped["sentence"],
            show=escaped["show"],
            examples=escaped["examples"],
            reference=escaped["reference"],
            reference_help=escaped["reference.help"],
            component_style=inside_style(assets.css),
            component=assets.html,
            facts=facts_html(self.facts),
            # Nothing in it can be taken for a tag.
            page=json.dumps(page, ensure_ascii=False).replace("<", "\\u003c"),
            script=SCRIPT,
        )


def _link(text: str, address: str) -> str:
    if not address:
        return f'<a aria-current="page">{html.escape(text)}</a>'
    return f'<a href="{html.escape(address)}">{html.escape(text)}</a>'


def page_script() -> str:
    """Return the script of all pages, which a browser may also load from a file."""
    return f'(() => {{\n"use strict";\n{with_named_export(joined("live/live"))}\n}})();\n'


def model_script(header: Mapping[str, Any], arrays: Sequence[Array]) -> str:
    """Return a script that hands a model over to its page.

    A script, since a page that was opened from a file may read no other file.

    Args:
        header: What JSON can hold of it.
        arrays: Its numbers.
    """
    return f'receiveModel("{base64.b64encode(framed(header, arrays)).decode()}");\n'
