import html
import json
import shutil

import pytest

from core.analysis.effects.head_effects import HeadEffect
from core.analysis.effects.interventions import outcome
from core.decoding.sentence import translate
from core.evaluate.intervals import Difference
from core.heads import Head, Site
from core.model import Silence
from core.runs.run import load_run
from pages.frame.language import percent
from pages.views.heads.guided import BEST, WHICH
from tests.pages.conftest import ROOT, UNMEASURED, component, said
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."


WIDE = TIRED.replace("tired", "wide")


GUIDED = Head(Site("encoder", 2, "self"), 0)


BESTS = {"translate": Head(Site("encoder", 0, "self"), 1), "translate-guided": GUIDED}


@pytest.fixture
def open_guided(open_page, own_runs):
    return lambda **query_params: open_page("heads", trial="guided", **query_params)


def panels(at):
    return unpack(component(at, "matrices").bytes).panels


def titles(at):
    return [panel.title for panel in panels(at)]


def read(at):
    return html.unescape(said(at))


def seen(at):
    [text] = [each.value for each in at.markdown if "**What you see**" in each.value]
    return html.unescape(text)


def test_what_silencing_the_same_head_does_is_said_of_each_run(open_guided):
    at = open_guided(sentence=WIDE)
    text = read(at)
    free, guided = text.partition("**translate** (free)")[2].split("**translate-guided** (guided)")
    assert "With the head and without it: L’animal" in free
    assert "With the head: L’animal" in guided
    with_it, without = guided.split("Without it: ")
    assert "parce **qu’elle** était trop large." in with_it
    assert "parce **qu’il** était trop large." in without
    free, guided = (line for line in text.splitlines() if "Silenced on held-out" in line)
    assert "no change was found: exact match" in free
    for effects, line in zip(map(effects_of, BESTS), (free, guided), strict=True):
        found = effects.exact_match
        shares = " → ".join(percent(share) for share in (found.before, found.after))
        assert f"exact match {shares} (of {found.n} sentences)" in line


def test_what_is_seen_is_the_run_whose_pronoun_changes(open_guided):
    at = open_guided(sentence=WIDE)
    run = load_run(ROOT / "gallery" / "translate-guided")
    own = translate(run, WIDE).target_ids
    both = (outcome(run, WIDE, own, probe) for probe in (None, Silence.of([GUIDED])))
    before, after = ([each.probability for each in side.reference] for side in both)
    most = max(range(len(before)), key=lambda step: abs(after[step] - before[step]))
    where = "Without encoder layer 2, self-attention head 0"
    assert f"{where} the free model translates **as before**." in seen(at)
    assert (
        "The guided model translates **differently** (the chance of **elle**: "
        f"{percent(before[most])} → **{percent(after[most])}**)."
    ) in seen(at)
    assert not [button for button in at.button if button.key == "instead"]


def test_the_weight_of_the_guided_models_pronoun_is_framed(open_guided):
    shown = unpack(component(open_guided(sentence=WIDE), "matrices").bytes)
    panel, row, column = shown.selected
    found = shown.panels[panel]
    assert found.title.startswith("translate-guided:")
    assert (found.rows.labels[row].text, found.columns.labels[column].text) == ("it", "street")


def test_where_both_stay_a_sentence_is_offered_that_changes(open_guided):
    at = open_guided(sentence="The cat slept.")
    assert "**differently**" not in seen(at)
    at.button(key="instead").click().run()
    assert "**differently**" in seen(at)


def effects_of(name):
    """Read what silencing the guided head costs, out of the file itself."""
    stored = json.loads((ROOT / "gallery" / name / "heads.json").read_text())
    [found] = [each for each in stored["heads"] if each["head"] == str(GUIDED)]
    return HeadEffect(
        GUIDED,
        **{key: Difference(**found["effect"][key]) for key in ("exact_match", "loss", "pronoun")},
    )


@pytest.mark.parametrize("model", ["copy", "copy-learned"])
def test_a_run_without_a_counterpart_shows_a_pair_that_has_one(open_guided, model):
    at = open_guided(model=model)
    shown = html.unescape(said(at))
    assert "Shown are **translate-guided** and **translate**:" in shown
    assert f"**{model}** was trained in one way only" in shown
    # Letters are no words of theirs: their own example stands for them.
    assert [title.split(":")[0] for title in titles(at)] == ["translate", "translate-guided"]
    words = [label.text for label in panels(at)[0].rows.labels]
    assert words[:5] == ["The", "animal", "did", "n't", "cross"]
    assert "has never seen some of your words, so the sentence is: “The animal" in said(at)
    assert at.selectbox(key="model").value == model
    at.button(key="open_counterpart").click().run()
    assert at.selectbox(key="model").value == "translate-guided"
    assert [title.split(":")[0] for title in titles(at)] == ["translate", "translate-guided"]


def test_the_pair_that_is_shown_instead_reads_a_sentence_whose_words_it_knows(open_guided):
    at = open_guided(model="everyday", sentence="The street slept because it was wide.")
    assert "**everyday** was trained in one way only" in said(at)
    assert "street" in [label.text for label in panels(at)[0].rows.labels]
    assert "never seen" not in said(at)


@pytest.fixture
def own_guided(own_runs):
    """A run of one's own: the gallery's guided run under another name."""
    guided = ROOT / "gallery" / "translate-guided"
    return shutil.copytree(guided, own_runs / "mine", ignore=UNMEASURED)


def test_a_run_that_was_never_measured_is_shown_and_says_so(open_guided, own_guided):
    (own_guided / "evaluation.json").unlink()
    at = open_guided(model="runs/mine")
    assert [title.split(":")[0] for title in titles(at)] == ["translate", "runs/mine"]
    assert set(at.dataframe[0].value["run"]) == {"translate"}
    at.segmented_control(key=WHICH).set_value(BEST).run()
    assert "This run was never measured" in read(at)
    assert [title.split(":")[0] for title in titles(at)] == ["translate"]


def test_a_guided_head_that_the_model_does_not_have_opens_cross_attention(open_guided, own_guided):
    (own_guided / "evaluation.json").unlink()
    file = own_guided / "run.json"
    file.write_text(file.read_text().replace("encoder.2.self:0", "encoder.9.self:0"))
    where = "Decoder layer 1, cross-attention head 1"
    assert titles(open_guided(model="runs/mine")) == [f"translate: {where}", f"runs/mine: {where}"]
