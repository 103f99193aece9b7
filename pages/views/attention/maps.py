"""All heads of one kind of attention, and one of them large."""

from dataclasses import replace
from functools import partial

from core.inspection import inspect_sentence, merged
from core.model.attention import attend_probed
from core.studies.heads.findings import best_pronoun_head, most_needed_pronoun_head, pronouns_among
from pages.frame import address, clicks, components, notes, pin, selection, session, tour
from pages.frame.language import N_, _
from pages.frame.maps import maps_of
from pages.frame.opening import Opened
from pages.frame.selection import Selection
from pages.frame.view import Shown
from pages.views.attention import seen, weights


def draw(opened: Opened) -> Shown:
    """Ask for a head, and draw it large among all of its kind."""
    selected = selection.ask(opened)
    head, kind = selected.head, selected.kind
    pinned = pin.place(opened, selected.inspection, kind)
    shown = maps_of(
        opened.run, selected.inspection, head, _about_pronouns(opened), _zoom(selected), pinned
    )
    # What a tour asks is not answered by a mark.
    asked = tour.keeps_back()
    spoken = None if asked else (kind.query_side, seen.query_of(selected, selected.weights_QK))
    picture = components.attention_maps(
        replace(shown, spoken=spoken),
        key=session.MAPS,
        on_pick=partial(clicks.take_head, address.choose),
        on_zoom=clicks.take_zoom,
        on_pin=partial(pin.take, opened, selected.inspection, session.MAPS),
    )
    return Shown(
        name=f"{head.site}.{head.index}",
        title=notes.site_and_head(head),
        numbers=lambda: weights.numbers(selected, {head.index: selected.weights_QK}),
        python=weights.inspecting(selected, "from core.heads import Head")
        + f'numbers = inspection.weights_of(Head.parse("{head}"))\n',
        code=[attend_probed, inspect_sentence, *([merged] if selected.whole_words else [])],
        seen=seen.of_pinned(selected, selected.weights_QK, pinned),
        instead=seen.instead(selected, selected.weights_QK),
        pictures=[picture],
        how_to_read=_(_HOW_TO_READ),
        formula=weights.formula(selected),
    )


def _zoom(selected: Selection) -> str | None:
    """Return what the URL holds of a zoom; one into another sentence's maps is taken out of it."""
    opened = selected.opened
    of = (str(opened.path), opened.sentence, selected.kind, str(selected.whole_words))
    address.belongs_to(session.ZOOM, "\n".join(of))
    return address.linked(session.ZOOM)


def _about_pronouns(opened: Opened) -> str:
    """Say what was measured about the head that the sentence's pronouns need."""
    pronouns = pronouns_among(opened.task, opened.inspection.source_words)
    if not pronouns:
        return ""
    best, needed = best_pronoun_head(opened.run), most_needed_pronoun_head(opened.run)
    if best is None or needed is None:
        return notes.no_evaluation()
    source = opened.inspection.translation.source
    return notes.pronoun_head(opened.run, source, pronouns, best, needed)


_HOW_TO_READ = N_(
    """
- Each **row** is a token that looks (a *query*), each **column** a token that is looked at (a
  *key*). A row's weights sum to 1. Rest the pointer on a cell, or move with the arrow keys, to
  read its weight.
- In **encoder self-attention** every source token may look at every source token. In **decoder
  self-attention** a token may look at itself and at what was written before it: the hatched
  cells are hidden by the look-ahead mask. In **cross-attention** rows are target tokens and
  columns source tokens.
- A decoder row says *fed → predicted*: the token that went in, and the token that came out there.
  A decoder that fills in all words at once says no prediction, and has no look-ahead mask.
- The colours go from 0 to 1 for every head, so that the same weight always looks the same.
- A map is a hypothesis about what a head does. Silencing the head is a test: what that costs
  on held-out sentences is said above the maps where it was measured.
- A click on a word, or on a cell of its row, **pins** the word: it stays marked, here and in every
  other view that shows it. A second click on it lets go.
- Dotted tokens belong to words that training never saw.
"""
)
