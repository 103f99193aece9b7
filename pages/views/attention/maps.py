"""All heads of one kind of attention, and one of them large."""

from core.analysis.heads.findings import best_pronoun_head, most_needed_pronoun_head, pronouns_among
from core.inspection import inspect_sentence, merged
from core.model.attention import attend_probed
from pages.frame import address, clicks, components, maps, notes, session
from pages.frame.export import Taking
from pages.frame.opening import Opened
from pages.frame.selection import Looked
from pages.views.attention import lines_of
from viz.plane.map_payload import component_assets, pack


def draw(looked: Looked) -> Taking:
    """Draw the maps."""
    shown = maps.maps_of(
        looked.inspection,
        looked.kind,
        (looked.layer, looked.head.index),
        _about_pronouns(looked.opened),
        _zoom(looked),
    )
    components.attention_maps(
        shown, key=session.MAPS, on_pick=clicks.take_head, on_zoom=clicks.take_zoom
    )
    return Taking(
        name=f"{looked.site}.{looked.head.index}",
        title=notes.site_and_head(looked.head),
        numbers=lambda: lines_of.weights(looked, {looked.head.index: looked.weights_QK}),
        lines=lines_of.inspecting(looked, "from core.heads import Head")
        + f'numbers = inspection.weights_of(Head.parse("{looked.head}"))\n',
        code=[attend_probed, inspect_sentence, *([merged] if looked.whole_words else [])],
        component=(component_assets(), lambda: pack(shown, whole=True)),
    )


def _zoom(looked: Looked) -> str | None:
    """Return what the URL holds of a zoom; one into another sentence's maps is taken out of it."""
    opened, kept = looked.opened, session.drawer("zoom")
    of = (opened.path, opened.sentence, looked.kind, looked.whole_words)
    if kept.setdefault("of", of) != of:
        kept["of"] = of
        address.choose({session.ZOOM: None})
    return address.linked(session.ZOOM)


def _about_pronouns(opened: Opened) -> str:
    """Say what was measured about the head that the sentence's pronouns need."""
    pronouns = pronouns_among(opened.task, opened.inspection.source_words)
    if not pronouns:
        return ""
    best, needed = best_pronoun_head(opened.run), most_needed_pronoun_head(opened.run)
    if best is None or needed is None:
        return notes.no_evaluation()
    return notes.pronoun_head(pronouns, best, needed)
