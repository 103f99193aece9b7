"""The view "patch": which head carries what makes two sentences different."""

import streamlit as st

from core.analysis.effects.counterparts import alike_in_length, length
from core.analysis.effects.patching import PatchingError, PatchingStudy, patching_study
from core.decoding.sentence import SentenceError
from core.heads import Head, Site
from core.model import Patch
from core.runs.run import Run
from pages.frame import address, cached, controls, lesson, session
from pages.frame.components import matrices
from pages.frame.lesson import Explanation
from pages.frame.opening import Opened
from pages.frame.text import _, percent, plain
from pages.views.heads import warnings
from pages.views.heads.override_words import head_named, marked, say
from pages.views.heads.patch_pictures import columns, maps
from viz.charts.number_tables import three_digits

OTHER, INTO = "patch_with", "patch"
INTO_SECOND, INTO_FIRST = "first into second", "second into first"
STRONG = 0.1
"""Heads that restore less than this are not named."""
NAMED = 3
_DRAWER = "patch_offered"
_FORMULA = r"""
\text{restored} = \frac{\Delta_{\text{patched}} - \Delta_{\text{into}}}
{\Delta_{\text{from}} - \Delta_{\text{into}}}, \qquad
\Delta = \log p(\text{token of “from”}) - \log p(\text{token of “into”})
"""


def draw(opened: Opened) -> None:
    """Draw how much of the difference between two sentences each head carries."""
    first = opened.sentence
    with st.container(horizontal=True, vertical_alignment="center"):
        second = _other_sentence(opened)
        n_first, n_second = (_length(opened.run, each) for each in (first, second))
        counted = _("tokens: first {first}, second {second}")
        st.caption(counted.format(first=n_first, second=n_second), width="content")
        directions = controls.words([INTO_SECOND, INTO_FIRST])
        direction = controls.choice(_("Direction"), INTO, directions, INTO_SECOND)
    if n_first != n_second:
        st.info(_unequal(n_first, n_second))
        return
    both = (first, second) if direction == INTO_SECOND else (second, first)
    if (study := _studied(opened, *both)) is None:
        return
    names = (_("first"), _("second"))
    clean, corrupt = names if direction == INTO_SECOND else reversed(names)
    texts = marked(study.clean.text, study.corrupt.text)
    lines = [
        _("From the {name}: {text}").format(name=clean, text=texts[0]),
        _("Into the {name}: {text}").format(name=corrupt, text=texts[1]),
    ]
    say(_strongest(study), "  \n".join(lines))
    warnings.draw(warnings.of_heads(opened.run, [head for head, _share in _strong(study)]))
    matrices(maps(study), key="patch_maps")
    st.caption(_measured(study))
    lesson.numbers("patching", columns(study))
    lesson.explained(
        Explanation(
            formula=_FORMULA,
            tries=(
                _("Change the direction: does the same head carry the difference both ways?"),
                _(
                    "The model translate: which heads carry it there, and which layers, with all "
                    "their heads together?"
                ),
                _(
                    "Change one word of the second sentence that does not matter for “it”, and "
                    "“tired” to “wide” as well: is it still the same head?"
                ),
                _(
                    "Write “horse” for “animal” in the second sentence (*L'* becomes *Le*): the "
                    "heads of cross-attention carry that difference."
                ),
            ),
            code=(patching_study, Patch),
        )
    )


def _other_sentence(opened: Opened) -> str:
    """Ask for a sentence; until one is typed, one of equal length that is most like the first."""
    first = opened.sentence
    examples = tuple(example.source for example in (opened.task.examples if opened.task else ()))
    with st.spinner(_("Looking for a second sentence …"), show_time=False):
        default = cached.of_run(alike_in_length, opened.path, first, examples)
    # What was offered beside other sentences makes room; what was typed does not.
    offered = session.drawer(_DRAWER)
    address.belongs_to(OTHER, first, giving_way={"", first, *examples, *offered})
    offered[default] = True
    return controls.text(
        _("Second sentence"),
        OTHER,
        default,
        labelled=False,
        placeholder=_("Type a second sentence with as many tokens, and press Enter"),
    )


def _length(run: Run, sentence: str) -> int:
    """Return how many tokens the encoder reads, EOS counted; 0 where there is no text."""
    try:
        return length(run, sentence)
    except SentenceError:
        return 0


def _unequal(n_first: int, n_second: int) -> str:
    """Say how long the second sentence must be."""
    if not n_second:
        text = _("Type a second sentence of {n} tokens, EOS counted, as the first one has.")
        return text.format(n=n_first)
    return _(
        "This sentence has {second} tokens, the first {first}, EOS counted. Patching puts what a "
        "head says at a token in the place of another token’s, so both must have equally many."
    ).format(first=n_first, second=n_second)


def _studied(opened: Opened, clean: str, corrupt: str) -> PatchingStudy | None:
    """Return what each head restores; where it cannot be measured, say why and return nothing."""
    try:
        with st.spinner(_("Patching every head …"), show_time=False):
            return cached.of_run(patching_study, opened.path, clean, corrupt)
    except PatchingError as error:
        text = plain(str(error))
        st.info(f"{text[:1].upper()}{text[1:]}.")
    return None


def _strongest(study: PatchingStudy) -> str:
    """Name the heads that restore most, or the layer where no head does."""
    strong = _strong(study)
    site, share = max(study.sites.items(), key=lambda item: item[1])
    whole = _("All heads of {where} together: {share}.").format(
        where=_sublayer(site), share=percent(share)
    )
    parts = {"from_token": plain(study.clean_token.text), "to": plain(study.corrupt_token.text)}
    if not strong:
        text = _("No head alone brings “{from_token}” back in the place of “{to}”.")
        return f"{text.format(**parts)} {whole}"
    named = ", ".join(f"**{head_named(head)}** ({percent(share)})" for head, share in strong)
    text = _("What brings “{from_token}” back in the place of “{to}”: {named}.")
    return f"{text.format(named=named, **parts)} {whole}"


def _strong(study: PatchingStudy) -> list[tuple[Head, float]]:
    """Return the heads that are named with their shares, the largest first."""
    heads = sorted(study.heads.items(), key=lambda item: item[1], reverse=True)
    return [(head, share) for head, share in heads if share >= STRONG][:NAMED]


def _sublayer(site: Site) -> str:
    stack = {"encoder": _("encoder"), "decoder": _("decoder")}[site.stack]
    kind = _("self-attention") if site.attention.is_self else _("cross-attention")
    text = _("{stack} layer {layer} ({kind})")
    return text.format(stack=stack, layer=site.layer, kind=kind)


def _measured(study: PatchingStudy) -> str:
    return _(
        "Measured at step {step}, after the same words: log p(“{one}”) − log p(“{other}”) is "
        "{clean} nats in the sentence patched from, {corrupt} in the one patched into. A head "
        "restores 0 if its values change nothing there, and 1 if they bring all of the difference "
        "back; all heads together restore {everything}. The colours end at ±1. One pair of "
        "sentences (n = 1): an observation, not a law."
    ).format(
        step=study.step,
        one=plain(study.clean_token.text),
        other=plain(study.corrupt_token.text),
        clean=three_digits(study.clean_difference),
        corrupt=three_digits(study.corrupt_difference),
        everything=three_digits(study.everything),
    )
