import numpy as np
import pytest

from core.decoding.sentence import translate
from core.evaluate.intervals import Difference
from core.heads import Head, Kind
from core.runs.run import RunError, load_run
from core.studies.effects import measuring
from core.studies.effects.ablation import Intervention, average_mixed, outcome
from core.studies.effects.head_effects import HeadEffect, HeadEffects
from core.studies.effects.measuring import store_effects
from core.studies.heads.findings import best_pronoun_head
from core.studies.heads.question import heads_of
from pages.frame.language import percent
from pages.views.heads import silence, silence_grid
from tests.pages.conftest import ROOT, chart_rows, component, said, send_from
from tests.viz.unpacked import unpack_matrices

GOATS = "The goats avoided the bridges because they were thirsty."
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."


@pytest.fixture
def open_silence(open_page):
    return lambda **query_params: open_page("heads", trial="silence", **query_params)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


def grid(at):
    """Return the panels of the grid of heads."""
    return unpack_matrices(component(at, "matrices").bytes).panels


def silent(at):
    """Return what the cells call off: (panel, row, column)."""
    return [
        (panel, row, column)
        for panel, matrix in enumerate(grid(at))
        for row, line in enumerate(matrix.texts)
        for column, text in enumerate(line)
        if silence_grid.OFF in text
    ]


def click(at, panel, row, column):
    send_from(at, component(at, "matrices"), "pick", {"panel": panel, "row": row, "column": column})


def measured(path, changes=(), *, n=400, all_there_are=False):
    """Store effects: none of any head but those given, in the order of the model's heads."""
    own = load_run(path)
    by_head = dict(zip(heads_of(own.model), changes, strict=False))
    heads = [changed(head, by_head.get(head, 0.0), n) for head in heads_of(own.model)]
    store_effects(own, HeadEffects(tuple(heads), n, 7, own.step, all_there_are))
    return own


def changed(head, change, n):
    share = Difference(0.9, 0.9 + change, change - 0.02, change + 0.02, n)
    return HeadEffect(head, share, Difference(0.1, 0.1, -0.02, 0.02, n), pronoun=None)


def seen(at):
    return next(each.value for each in at.markdown if "**What you see:**" in each.value)


def chances(at):
    """Return the probabilities before and after, and those of the words that lead now."""
    values = [row["value"] for row in chart_rows(at)]
    n = len(values) // 3
    return values[:n], values[n : 2 * n], values[2 * n :]


def button(at):
    return [each.label for each in at.button if each.key == silence.START]


def test_it_opens_on_an_example_that_changes_with_the_head_that_finds_antecedents_off(
    open_silence, run
):
    at = open_silence(model="everyday")
    head = best_pronoun_head(run).head
    assert at.text_input(key="sentence").value == GOATS
    assert silent(at) == [(list(Kind).index(head.kind), head.layer, head.index)]
    before, after, lead = chances(at)
    most = int(np.argmax(np.abs(np.subtract(after, before))))
    assert chart_rows(at)[most]["name"] == "elles → ils"
    assert lead[most] > after[most]
    assert seen(at).endswith(
        "Without encoder layer 2, head 0 the translation **changes**: “elles” falls from "
        f"{percent(before[most])} to **{percent(after[most])}**, “ils” leads with "
        f"{percent(lead[most])}."
    )
    at.button(key="example_0").click().run()
    assert at.text_input(key="sentence").value == TIRED
    # Whatever head is clicked, the sentence stays.
    click(at, 0, 0, 0)
    assert at.text_input(key="sentence").value == TIRED


@pytest.mark.slow
def test_clicks_a_whole_layer_and_one_button_change_the_heads_in_the_link(open_silence):
    at = open_silence(silent="none")
    assert silent(at) == []
    click(at, 2, 1, 3)
    assert (silent(at), at.query_params["silent"]) == ([(2, 1, 3)], "decoder.1.cross:3")
    click(at, 0, 0, 1)
    assert at.query_params["silent"] == "encoder.0.self:1,decoder.1.cross:3"
    assert "Without encoder layer 0, head 1 and decoder layer 1, cross-attention head 3" in seen(at)
    at.menu_button(key=silence_grid.LAYERS).click("encoder.0.self").run()
    assert silent(at) == [*((0, 0, head) for head in range(4)), (2, 1, 3)]
    assert "Without 5 heads" in seen(at)
    at.menu_button(key=silence_grid.LAYERS).click("encoder.0.self").run()
    assert silent(at) == [(2, 1, 3)]
    at.button(key=silence_grid.NOTHING).click().run()
    assert (silent(at), at.query_params["silent"]) == ([], "none")
    assert "All heads are on" in seen(at)
    before, after, _lead = chances(at)
    assert before == after


@pytest.mark.slow
def test_every_head_that_was_measured_has_its_cost(open_silence, own_copy):
    measured(own_copy, [0.0, -0.3, 0.05])
    at = open_silence(model="runs/mine", silent="encoder.0.self:3")
    panel = grid(at)[0]
    assert [word.strip("\u00a0") for word in panel.texts[0]] == ["·", "30", "−5.0", "✕ ·"]
    assert panel.details[0][0] == "95\u00a0% interval −2.00 to 2.00; n = 400: may be chance"
    assert panel.details[0][1] == "95\u00a0% interval 28.0 to 32.0; n = 400"
    assert (
        "points of exact match lost on 400 held-out rows of letters; “·”: none measurable"
        in said(at)
    )
    assert (panel.scale, panel.limit) == ("signed", 50)
    np.testing.assert_allclose(panel.values.flatten()[:3], [0, 30, -5], atol=1e-5)
    # The copy task has no pronouns.
    assert at.segmented_control(key="effect").options == ["exact match", "loss"]
    at.segmented_control(key="effect").set_value("loss").run()
    assert not grid(at)[0].values.any()
    measured(own_copy, [-0.1])
    at.segmented_control(key="effect").set_value("exact_match").run()
    assert grid(at)[0].values[0, 0] == pytest.approx(10)


@pytest.mark.parametrize(("instead", "kind"), [("silence", "silence"), ("average", "freeze")])
def test_probabilities_are_those_of_the_changed_model(open_silence, run, instead, kind):
    names = "encoder.2.self:0,decoder.1.cross:1"
    # As older links have it.
    at = open_silence(sentence=WIDE, silent=names, instead=instead)
    heads = frozenset(map(Head.parse, names.split(",")))
    own = translate(run, WIDE).target_ids
    probe = Intervention(kind, heads).probe(average_mixed(run) if kind == "freeze" else None)
    before, after = outcome(run, WIDE, own, None), outcome(run, WIDE, own, probe)
    found_before, found_after, lead = chances(at)
    assert found_before == [each.probability for each in before.reference]
    assert found_after == [each.probability for each in after.reference]
    names = [row["name"] for row in chart_rows(at)]
    for word, name, share in zip(after.reference, names, lead, strict=False):
        leads = word.best.text != word.token.text
        wanted = f"{word.token.text} → {word.best.text}", word.best_probability
        assert (name, share) == (wanted if leads else (word.token.text, None))


def test_measuring_starts_with_a_button_and_says_why_it_cannot(open_silence, own_copy, monkeypatch):
    started = []

    def start(path):
        started.append(path)
        if len(started) > 1:
            raise RunError("somebody is at it")

    monkeypatch.setattr(measuring, "start", start)
    at = open_silence(model="runs/mine")
    assert button(at) == ["Measure all heads on 400 held-out rows of letters"]
    at.button(key=silence.START).click().run()
    assert started == [own_copy]
    at.button(key=silence.START).click().run()
    assert "somebody is at it" in at.error[0].value
