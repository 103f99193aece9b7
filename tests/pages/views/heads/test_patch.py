import html

import numpy as np
import pytest

from core.heads import Head, Kind
from core.runs.run import load_run
from core.studies.effects.patching import patched_translation, patching_study
from core.studies.effects.position_patching import Part, position_patching
from tests.pages.conftest import ROOT, TIRED, WIDE, component, said, send_from
from tests.pages.drawing import assert_computes, assert_files, draw
from tests.viz.unpacked import unpack_matrices as unpack


@pytest.fixture
def open_patch(open_page):
    return lambda **query_params: open_page("heads", trial="patch", **query_params)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


def picture(at):
    return unpack(component(at, "matrices").bytes)


def read(at):
    return html.unescape(said(at))


def seen(at):
    [line] = [line for line in read(at).splitlines() if "**What you see:**" in line]
    return line


def expected(study, kind):
    sites = [site for site in study.sites if site.attention == kind]
    return np.array(
        [[*(study.heads[head] for head in site.heads(4)), study.sites[site]] for site in sites],
        np.float32,
    )


@pytest.mark.parametrize("direction", ["into_second", "into_first"])
def test_the_maps_are_the_shares_of_every_head_and_every_layer(open_patch, run, direction):
    at = open_patch(patch=direction)
    assert at.text_input(key="patch_with").value == WIDE
    first = direction == "into_second"
    study = patching_study(run, *((TIRED, WIDE) if first else (WIDE, TIRED)))
    for panel, kind in zip(picture(at).panels, Kind, strict=True):
        assert panel.values == pytest.approx(100 * expected(study, kind), abs=1e-2)
        # Blue is for heads that lead away from the other word, and here none does.
        assert (panel.scale, panel.limit) == ("weight", 100)
        # A head of one kind has nothing to do with that of another.
        assert not {*panel.rows.links} & {*panel.columns.links}
        assert [label.text for label in panel.columns.labels] == ["0", "1", "2", "3", "all"]
        assert not any(text.startswith("−0\u00a0") for row in panel.texts for text in row)
    one, other = ("“tired”", "“wide”") if first else ("“wide”", "“tired”")
    clean, corrupt = ("il", "elle") if first else ("elle", "il")
    # The head of the other views, which is enough.
    assert f"of **encoder layer 2, head 0** copied from {one} into {other}" in seen(at)
    assert f"the model writes **{clean}** instead of **{corrupt}**: " in seen(at)


def test_a_click_copies_that_heads_output_and_shows_the_translation(open_patch, run):
    at = open_patch()
    line = "“wide” with encoder layer 2, head 0 of “tired”: L’animal n’a pas traversé la rue"
    assert f"{line} parce **qu’il** était trop large." in read(at)
    assert picture(at).selected == (0, 2, 0)
    send_from(at, component(at, "matrices"), "pick", {"panel": 2, "row": 1, "column": 1})
    assert at.query_params["patched_head"] == "decoder.1.cross:1"
    head = Head.parse("decoder.1.cross:1")
    patched = patched_translation(run, TIRED, WIDE, head).text
    assert patched.split()[-1] in read(at)
    share = f"{100 * patching_study(run, TIRED, WIDE).heads[head]:.0f}"
    assert "With the output of **decoder layer 1, cross-attention head 1** copied" in seen(at)
    assert f"the model still writes **elle**: {share}\u00a0% of the way to **il**." in seen(at)
    # “all” is no head.
    send_from(at, component(at, "matrices"), "pick", {"panel": 2, "row": 1, "column": 4})
    assert at.query_params["patched_head"] == "decoder.1.cross:1"


def test_where_no_row_is_as_long_one_letter_is_changed_and_makes_room_later(open_patch):
    at = open_patch(model="copy")
    first, second = (at.text_input(key=key).value.split() for key in ("sentence", "patch_with"))
    assert len(first) == len(second) == 6
    assert sum(one != other for one, other in zip(first, second, strict=True)) == 1
    at.text_input(key="sentence").set_value("b a").run()
    assert len(at.text_input(key="patch_with").value.split()) == 2
    # What was typed stays.
    at.text_input(key="patch_with").set_value("c d e").run()
    at.text_input(key="sentence").set_value("b d").run()
    assert at.text_input(key="patch_with").value == "c d e"


def test_a_sentence_of_another_length_is_refused_with_both_lengths(open_patch):
    at = open_patch(patch_with=WIDE.replace("too", "far too"))
    [info] = at.info
    complaint = "The sentences have 14 and 16 tokens, special ones counted"
    assert complaint in html.unescape(info.value)
    assert not at.get("bidi_component")


LONGER = WIDE.replace("the street", "the big street")


@pytest.mark.parametrize("second", [WIDE, LONGER])
def test_a_vector_of_each_layer_is_copied_word_by_word(run, second):
    asked = {"trial": "patch", "patch_what": "stream", "model": run.name, "patch_with": second}
    drawing = draw("heads", asked)
    study = position_patching(run, TIRED, second, Part.STREAM)
    [panel] = picture(drawing.at).panels
    assert panel.values == pytest.approx(100 * study.shares_LP, abs=1e-2)
    rows = ["embedding", "layer 0", "layer 1", "layer 2"]
    assert [label.text for label in panel.rows.labels] == rows
    assert ("differ in length" in panel.note) == (second == LONGER)
    assert panel.visible is None or panel.visible.all(axis=0).tolist() == study.tried_P.tolist()
    layer, at = np.unravel_index(study.shares_LP[1:].argmax(), study.shares_LP[1:].shape)
    share = f"{100 * study.shares_LP[1 + layer, at]:.0f}\u00a0%"
    words = f"the one of **“{study.tokens[at].text}” in layer {layer}** restores most: **{share}**"
    assert words in html.unescape(drawing.seen[0])
    assert_files(drawing)
    assert_computes(drawing.python, drawing.about["columns"])
