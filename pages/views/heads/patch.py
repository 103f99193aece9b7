"""Put what a head says in one sentence into another: which carries the difference?"""

import streamlit as st

from core.heads import STACK_LABELS, Site
from core.model import Patch
from core.runs.run import Run
from core.studies.effects.patching import PatchingError, PatchingStudy, patching_study
from pages.frame import cached, controls, notes, snippets
from pages.frame.components import matrices
from pages.frame.language import N_, _, capitalised, number, percent, percent_of_100, plain
from pages.frame.listed import ended, joined, listed, noted
from pages.frame.messages import explained
from pages.frame.opening import Opened
from pages.frame.translations import say
from pages.frame.typography import marked, typeset
from pages.frame.view import Shown
from pages.views.heads import named_heads, second_sentence
from viz.component.payload import TokenLabel
from viz.plane.matrices import Axis, Matrices, Matrix, numbered

INTO = "patch"
INTO_SECOND, INTO_FIRST = "into_second", "into_first"
STRONG = 0.1
"""Heads that restore less than this are not named."""
NAMED = 3
_FORMULA = r"""
\text{restored} = \frac{\Delta_{\text{patched}} - \Delta_{\text{into}}}
{\Delta_{\text{from}} - \Delta_{\text{into}}}, \qquad
\Delta = \log p(\text{token of “from”}) - \log p(\text{token of “into”})
"""
TRIES = (
    N_("Change the direction: does the same head carry the difference both ways?"),
    N_(
        "The model translate: which heads carry it there, and which layers, with all "
        "their heads together?"
    ),
    N_(
        "Change one word of the second sentence that does not matter for “it”, and "
        "“tired” to “wide” as well: is it still the same head?"
    ),
    N_(
        "Write “horse” for “animal” in the second sentence (*L'* becomes *Le*): the "
        "heads of cross-attention carry that difference."
    ),
)


def draw(opened: Opened) -> Shown | None:
    """Draw how much of the difference between two sentences each head carries."""
    first = opened.sentence
    with st.container(horizontal=True, vertical_alignment="center"):
        second = second_sentence.ask(opened)
        direction = _ask_direction()
    if not second_sentence.fits(opened, second):
        return None
    both = (first, second) if direction == INTO_SECOND else (second, first)
    if (study := _studied(opened, *both)) is None:
        return None
    say(_sentences(study, direction, opened.run))
    strong = [head for head, _share in study.strongest(STRONG, NAMED)]
    named_heads.warn_whatever_the_sentence(opened.run, strong)
    st.caption(_what_a_cell_is(study))
    picture = matrices(maps(study), key="patch_maps")
    st.caption(_measured(study))
    return Shown(
        name="patching",
        title=_("How much of the difference between two sentences each head carries"),
        numbers=study.table,
        python=_python(opened, *both),
        seen=_strongest(study, direction),
        code=(patching_study, Patch),
        pictures=[picture],
        about={"second_sentence": second},
        formula=_FORMULA,
        tries=[_(each) for each in TRIES],
    )


def _ask_direction() -> str:
    older = {"first into second": INTO_SECOND, "second into first": INTO_FIRST}
    directions = {INTO_SECOND: _("first into second"), INTO_FIRST: _("second into first")}
    return controls.choice(_("Direction"), INTO, directions, INTO_SECOND, older=older)


def _studied(opened: Opened, clean: str, corrupt: str) -> PatchingStudy | None:
    """Return what each head restores; where it cannot be measured, say why and return nothing."""
    try:
        return cached.of_run(patching_study, opened.path, clean, corrupt)
    except PatchingError as error:
        st.info(ended(capitalised(plain(explained(error)))))
    return None


def _sentences(study: PatchingStudy, direction: str, run: Run) -> str:
    """Return both translations in Markdown, one below the other."""
    clean, corrupt = _names(direction)
    texts = marked(typeset(study.clean.text, run), typeset(study.corrupt.text, run))
    lines = [
        _("From the {name}: {text}").format(name=clean, text=texts[0]),
        _("Into the {name}: {text}").format(name=corrupt, text=texts[1]),
    ]
    return "  \n".join(lines)


def _names(direction: str) -> tuple[str, str]:
    """Return which sentence is patched from, and which one into."""
    first, second = _("first"), _("second")
    return (first, second) if direction == INTO_SECOND else (second, first)


def _strongest(study: PatchingStudy, direction: str) -> str:
    """Name the heads that restore most, or the layer where no head does."""
    strong = study.strongest(STRONG, NAMED)
    site, share = study.strongest_site
    whole = _("All heads of {where} together: {share}.").format(
        where=_sublayer(site), share=percent(share)
    )
    one, other = _names(direction)
    parts = {"from_token": plain(study.clean_token.text), "to": plain(study.corrupt_token.text)}
    parts |= {"one": one, "other": other}
    if not strong:
        text = _("No head alone turns “{to}” into “{from_token}”.")
        return joined([text.format(**parts), whole])
    (head, most), *others = strong
    text = _(
        "What **{head}** says in the {one} sentence, put into the {other}, turns “{to}” into "
        "“{from_token}”: **{share}** of the way."
    )
    first = text.format(head=notes.within_sentence(head), share=percent(most), **parts)
    if not others:
        return joined([first, whole])
    named = listed(noted(notes.within_sentence(head), percent(share)) for head, share in others)
    return joined([first, _("Next: {named}.").format(named=named)])


def _sublayer(site: Site) -> str:
    return _("{stack} layer {layer} ({kind})").format(
        stack=_(STACK_LABELS[site.stack]),
        layer=site.layer,
        kind=_(site.attention.sublayer_label),
    )


def maps(study: PatchingStudy) -> Matrices:
    """Return one matrix for each kind of attention: layers × heads, and all heads together."""
    panels = []
    for kind, shares in study.restored_maps().items():
        heads = [TokenLabel(str(head)) for head in range(shares.shape[1] - 1)]
        panels.append(
            Matrix(
                title=_(kind.label),
                values=100 * shares,
                limit=100.0,
                rows=numbered(_("layer"), len(shares)),
                columns=Axis(name=_("head"), labels=(*heads, TokenLabel(_("all")))),
                scale="signed",
                texts=[
                    [percent_of_100(100 * share, 0) for share in row] for row in shares.tolist()
                ],
                value_name=_("on the way from “{other}” to “{one}”, in %").format(
                    other=study.corrupt_token.text, one=study.clean_token.text
                ),
            )
        )
    return Matrices(panels=panels)


def _what_a_cell_is(study: PatchingStudy) -> str:
    return _(
        "Each cell is one experiment: the model reads the sentence of “{other}”, but this one "
        "head gives what it gives in the sentence of “{one}”. 0 %: nothing changes. 100 %: “{one}” "
        "is as probable as there."
    ).format(one=plain(study.clean_token.text), other=plain(study.corrupt_token.text))


def _measured(study: PatchingStudy) -> str:
    return _(
        "Measured at step {step}, after the same words: log p(“{one}”) − log p(“{other}”) is "
        "{clean} nats in the sentence patched from, {corrupt} in the one patched into; all heads "
        "together go {everything} of the way. Colours end at ±100 %. One pair of sentences "
        "(n = 1): an observation, not a law."
    ).format(
        step=study.step,
        one=plain(study.clean_token.text),
        other=plain(study.corrupt_token.text),
        clean=number(study.clean_difference),
        corrupt=number(study.corrupt_difference),
        everything=percent(study.everything),
    )


def _python(opened: Opened, clean: str, corrupt: str) -> str:
    imports = "from core.studies.effects.patching import patching_study"
    lines = [
        f"study = patching_study(run, {snippets.quoted(clean)}, {snippets.quoted(corrupt)})",
        "numbers = study.table()",
    ]
    return snippets.loading(opened.path, imports) + "\n".join([*lines, ""])
