"""All heads of one kind of attention, and one of them large."""

from dataclasses import replace
from functools import partial

from core.model.attention import attend_probed
from core.studies.heads.findings import best_pronoun_head, most_needed_pronoun_head, pronouns_among
from core.studies.heads.maps import maps_of_heads
from pages.frame import address, clicks, components, notes, pin, selection, session, tour
from pages.frame.maps import maps_of
from pages.frame.opening import Opened
from pages.frame.recipe import Recipe
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
        recipe=Recipe(maps_of_heads, selected.inspecting, (head,)),
        code=[attend_probed],
        seen=seen.of_pinned(selected, selected.weights_QK, pinned),
        instead=seen.instead(selected, selected.weights_QK),
        pictures=[picture],
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
