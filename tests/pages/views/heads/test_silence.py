import numpy as np
import pytest

from core.evaluate.intervals import Difference
from core.heads import Kind
from core.runs.files import HEADS
from core.runs.run import load_run
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.effects.measuring import store_effects
from core.studies.heads.findings import best_pronoun_head
from core.studies.heads.question import heads_of
from pages.frame.language import percent
from pages.views.heads import silence_grid, silence_measuring
from tests.pages.conftest import ROOT, chart_rows, component, said, send_from
from viz.plane import matrices

GOATS = "The goats avoided the bridges because they were thirsty."
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."
KINDS = list(Kind)


@pytest.fixture
def open_silence(open_page):
    return lambda **query_params: open_page("heads", trial="silence", **query_params)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


def grid(at):
    """Return the panels of the grid of heads."""
    return matrices.unpack(component(at, "matrices").bytes).panels


def silent(at):
    """Return what the cells call off: (panel, row, column)."""
    return [
        (panel, row, column)
        for panel, matrix in enumerate(grid(at))
        for row, line in enumerate(matrix.texts)
        for column, text in enumerate(line)
        if text.split()[:1] == [silence_grid.OFF]
    ]


def click(at, panel, row, column):
    send_from(at, component(at, "matrices"), "pick", {"panel": panel, "row": row, "column": column})


def linked(at):
    return at.query_params["silent"]


def test_it_opens_on_the_example_that_changes_until_another_is_chosen(open_silence):
    at = open_silence(model="everyday")
    assert at.text_input(key="sentence").value == GOATS
    assert "the translation **changes**" in said(at)
    at.button(key="example_0").click().run()
    assert at.text_input(key="sentence").value == TIRED
    # Whatever head is clicked, the sentence stays.
    click(at, 0, 0, 0)
    assert at.text_input(key="sentence").value == TIRED


def toggle_layer(at, site):
    at.menu_button(key=silence_grid.LAYERS).click(site).run()
    assert not at.exception, at.exception


def changed(head, change, loss):
    share = Difference(0.9, 0.9 + change, change - 0.02, change + 0.02, 400)
    costs = Difference(0.1, 0.1 + loss, loss - 0.02, loss + 0.02, 400)
    return HeadEffect(head, exact_match=share, loss=costs, pronoun=None)


def measured(path, changes=()):
    """Store effects: none of any head but those given, in the order of the model's heads."""
    own = load_run(path)
    by_head = dict(zip(heads_of(own.model), changes, strict=False))
    heads = [changed(head, by_head.get(head, 0.0), 0.0) for head in heads_of(own.model)]
    store_effects(own, HeadEffects(tuple(heads), 400, 7, own.step))
    return own


def test_it_opens_with_the_head_that_finds_antecedents_silent(open_silence, run):
    head = best_pronoun_head(run).head
    assert silent(open_silence()) == [(KINDS.index(head.kind), head.layer, head.index)]


def test_a_click_silences_a_head_and_another_lets_it_speak(open_silence):
    at = open_silence(silent="none")
    assert silent(at) == []
    click(at, 2, 1, 3)
    assert (silent(at), linked(at)) == ([(2, 1, 3)], "decoder.1.cross:3")
    click(at, 0, 0, 1)
    assert linked(at) == "encoder.0.self:1,decoder.1.cross:3"
    click(at, 2, 1, 3)
    click(at, 0, 0, 1)
    assert (silent(at), linked(at)) == ([], "none")


def test_a_whole_layer_is_one_choice_away(open_silence):
    at = open_silence(silent="encoder.0.self:1,decoder.0.cross:0")
    toggle_layer(at, "encoder.0.self")
    assert silent(at) == [*((0, 0, head) for head in range(4)), (2, 0, 0)]
    toggle_layer(at, "encoder.0.self")
    assert silent(at) == [(2, 0, 0)]


def test_one_button_lets_all_heads_speak(open_silence):
    at = open_silence(silent="encoder.0.self:1,decoder.0.cross:0")
    at.button(key=silence_grid.NOTHING).click().run()
    assert (silent(at), linked(at)) == ([], "none")
    assert "No head is changed" in said(at)


@pytest.mark.parametrize(
    "value",
    ["", "all", "encoder.9.self:0", "encoder.0.self:99", "encoder.2.self", ":::", "9" * 5000],
)
def test_a_link_to_heads_that_are_not_there_falls_back(open_silence, value):
    assert silent(open_silence(silent=value)) == silent(open_silence())


def test_every_head_that_was_measured_has_its_colour_and_its_row(open_silence, own_copy):
    own = measured(own_copy, [0.0, -0.3, 0.05])
    at = open_silence(model="runs/mine", silent="encoder.0.self:0")
    n_heads = own.settings.model.n_heads
    panel = grid(at)[0]
    words, details = (
        [one for line in lines for one in line][:4] for lines in (panel.texts, panel.details)
    )
    assert [word.strip() for word in words] == ["off ·", "−30", "5.0", "·"]
    assert details[0] == "off; 95\u00a0% from −2.00 to 2.00, n = 400: no change found"
    assert details[1] == "95\u00a0% from −32.0 to −28.0, n = 400"
    assert "in points, on 400 held-out rows of letters, seed 7." in said(at)
    assert (panel.scale, panel.limit) == ("signed", 50)
    np.testing.assert_array_equal(
        panel.values.flatten()[:3], 100 * np.array([0.0, -0.3, 0.05], np.float32)
    )
    [table] = at.dataframe
    assert len(table.value) == len(heads_of(own.model))
    first = table.value.iloc[0]
    assert (first["attention"], first["layer"], first["head"]) == (
        "encoder self",
        1 // n_heads,
        1 % n_heads,
    )
    np.testing.assert_allclose(
        list(first[["before", "after", "change", "low", "high"]]),
        [0.9, 0.6, -30, -32, -28],
    )
    assert "400 held-out rows of letters, seed 7" in said(at)
    assert "of heads that change nothing, about one in twenty" in said(at)


def test_the_figure_of_the_colours_can_be_chosen(open_silence, own_copy):
    measured(own_copy, [-0.3])
    at = open_silence(model="runs/mine", effect="loss")
    assert not grid(at)[0].values.any()
    # The copy task has no pronouns.
    assert at.segmented_control(key="effect").options == ["exact match", "loss"]


def test_what_is_measured_meanwhile_is_shown_at_the_next_look(open_silence, own_copy):
    at = open_silence(model="runs/mine")
    assert grid(at)[0].scale == "weight"
    assert not at.dataframe
    measured(own_copy, [-0.3])
    at.run()
    assert grid(at)[0].scale == "signed"
    assert not [button for button in at.button if button.key == silence_measuring.START]
    measured(own_copy, [-0.1])
    at.run()
    assert grid(at)[0].values[0, 0] == 100 * np.float32(-0.1)


def test_damaged_figures_are_said_and_can_be_measured_again(open_silence, own_copy):
    (own_copy / HEADS).write_text("{")
    at = open_silence(model="runs/mine")
    assert "heads.json" in at.error[0].value.replace("&#46;", ".")
    assert at.button(key=silence_measuring.START)
    assert silent(at)


def test_a_model_of_many_heads_has_room_for_every_mark(open_silence, own_random):
    own_random(n_encoder_layers=12, n_decoder_layers=12, n_heads=16)
    at = open_silence(model="runs/random", sentence="a b")
    [first] = silent(at)
    assert first[0] == 2
    assert [panel.values.shape for panel in grid(at)] == [(12, 16)] * 3
    # Beside the sentence there would be none.
    assert not at.columns
    click(at, 0, 11, 15)
    assert linked(at) == f"encoder.11.self:15,decoder.{first[1]}.cross:{first[2]}"


def seen(at):
    return next(each.value for each in at.markdown if "**What you see**" in each.value)


def test_what_is_seen_is_the_word_that_gives_way_to_another(open_silence):
    at = open_silence(model="everyday", sentence=GOATS)
    rows = chart_rows(at)
    most = max(rows, key=lambda row: abs(row["after"] - row["before"]))
    assert (most["word"], most["best"]) == ("elles", "ils")
    assert seen(at).endswith(
        "Without encoder layer 2, head 0 the translation **changes**. "
        f"**elles** gives way to **ils**: {percent(most['before'])} → "
        f"**{percent(most['after'])}**."
    )
    assert not [button for button in at.button if button.key == "instead"]


def test_where_the_translation_stays_it_says_so_and_offers_one_that_changes(open_silence):
    at = open_silence(model="everyday", sentence=WIDE)
    assert "the translation **stays**; another head may take over." in seen(at)
    at.button(key="instead").click().run()
    assert at.text_input(key="sentence").value == GOATS
    assert "the translation **changes**" in seen(at)


def test_a_model_that_reads_no_pairs_is_told_of_none(open_silence, opened_path, elsewhere):
    elsewhere("OWN", opened_path("gpt2").parent)
    at = open_silence(model=f"runs/{opened_path('gpt2').name}")
    assert "Click a head to silence it (off); the colour is how sharply it looks." in said(at)
    assert "pairs" not in said(at)


def test_of_what_was_not_measured_the_grid_says_so(open_silence):
    at = open_silence(head_does="uniform")
    title = "**What silencing each head costs on held-out sentences** (“uniform” was not measured)"
    assert title in said(at)
    assert "was not measured" not in said(open_silence())
