import html
import re

import numpy as np
import pytest

from core.heads import Kind
from core.runs.run import load_run
from core.studies.effects.patching import patching_study
from pages.frame.language import percent
from pages.views.heads.patch import INTO_SECOND
from tests.pages.conftest import ROOT, component, said
from tests.viz.unpacked import unpack_matrices as unpack

TIRED = "The animal didn't cross the street because it was too tired."
WIDE = TIRED.replace("tired", "wide")


@pytest.fixture
def open_patch(open_page):
    return lambda **query_params: open_page("heads", trial="patch", **query_params)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


def panels(at):
    return unpack(component(at, "matrices").bytes).panels


def read(at):
    return html.unescape(said(at))


def expected(study, kind):
    sites = [site for site in study.sites if site.attention == kind]
    return np.array(
        [[*(study.heads[head] for head in site.heads(4)), study.sites[site]] for site in sites],
        np.float32,
    )


@pytest.mark.parametrize("direction", ["first into second", "second into first"])
def test_the_maps_are_the_shares_of_every_head_and_every_layer(open_patch, run, direction):
    at = open_patch(patch=direction)
    assert at.text_input(key="patch_with").value == WIDE
    both = (TIRED, WIDE) if direction == "first into second" else (WIDE, TIRED)
    study = patching_study(run, *both)
    kinds = Kind
    for panel, kind in zip(panels(at), kinds, strict=True):
        assert panel.values == pytest.approx(100 * expected(study, kind), abs=1e-2)
        assert (panel.scale, panel.limit) == ("signed", 100)
        assert [label.text for label in panel.columns.labels] == ["0", "1", "2", "3", "all"]
    brought = "turns “elle” into “il”"
    if direction != "first into second":
        brought = "turns “il” into “elle”"
    assert brought in read(at)
    assert f"Measured at step {study.step}" in read(at)


def test_the_strongest_heads_are_named_with_their_share(open_patch, run):
    at = open_patch()
    study = patching_study(run, TIRED, WIDE)
    ranked = sorted(study.heads.items(), key=lambda item: -item[1])
    best, share = ranked[0]
    site, head = best.site, best.index
    stack = site.stack
    where = (
        f"**{stack} layer {site.layer}, {site.sublayer}-attention head {head}** says in the first"
    )
    [seen] = [line for line in read(at).splitlines() if "**What you see**" in line]
    assert where in seen
    assert f"turns “elle” into “il”: **{percent(share)}** of the way." in seen
    (second, next_share) = ranked[1]
    assert f"{second.site.sublayer}-attention head {second.index} ({percent(next_share)})" in seen


def test_the_words_that_differ_are_marked(open_patch):
    at = open_patch()
    assert "From the first: L’animal n’a pas traversé la rue parce **qu’il** était trop" in read(at)
    assert "Into the second: L’animal n’a pas traversé la rue parce **qu’elle** était" in read(at)


def test_cells_say_no_negative_zero(open_patch):
    texts = [text for panel in panels(open_patch()) for row in panel.texts for text in row]
    assert not any(text.startswith("−0\u00a0") for text in texts)
    assert "0\u00a0%" in texts


def test_sentences_that_are_translated_alike_are_refused_in_one_sentence(open_patch):
    at = open_patch(patch_with=TIRED)
    [info] = at.info
    complaint = "The model writes the same after both sentences: there is no difference."
    assert complaint in html.unescape(info.value)
    assert not at.get("bidi_component")


def test_a_direction_that_cannot_be_falls_back(open_patch):
    at = open_patch(patch="both")
    assert at.segmented_control(key="patch").value == INTO_SECOND
    assert len(panels(at)) == 3


def test_letters_of_the_copy_task_can_be_patched(open_patch):
    at = open_patch(model="copy", sentence="k d a f q z", patch_with="k d a f q w")
    assert len(panels(at)) == 3
    assert "turns “w” into “z”" in read(at)


def test_another_noun_is_carried_by_cross_attention_as_what_to_try_says(open_patch):
    at = open_patch(patch_with=TIRED.replace("animal", "horse"))
    carried = r"\*\*decoder layer \d, cross-attention head \d\*\* says .* into “L'”"
    assert re.search(carried, read(at))


def test_a_model_of_other_sizes_can_be_patched(open_patch, own_random):
    own_random(n_encoder_layers=1, n_decoder_layers=3, n_heads=16)
    at = open_patch(model="runs/random", sentence="a b c", patch_with="d q z")
    if at.info:
        assert "writes the same after both sentences" in html.unescape(at.info[0].value)
    else:
        assert [panel.values.shape for panel in panels(at)] == [(1, 17), (3, 17), (3, 17)]


@pytest.mark.parametrize(
    ("older", "name"), [("first into second", "into_second"), ("second into first", "into_first")]
)
def test_a_link_to_a_direction_of_before_opens_it(open_patch, older, name):
    assert open_patch(patch=older).segmented_control(key="patch").value == name
