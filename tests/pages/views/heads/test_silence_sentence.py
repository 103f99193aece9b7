import re
from types import SimpleNamespace

import numpy as np
import pytest

from core.decoding.sentence import translate
from core.heads import Head
from core.runs.run import load_run
from core.studies.effects.ablation import Intervention, average_mixed, outcome
from core.studies.heads.question import heads_of
from pages.views.heads import silence_sentence
from tests.pages.conftest import ROOT, chart_rows, said

WIDE = "The animal didn't cross the street because it was too wide."


@pytest.fixture
def open_silence(open_page):
    return lambda **query_params: open_page("heads", trial="silence", **query_params)


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


@pytest.mark.parametrize(
    ("instead", "kind"), [("silence", "silence"), ("uniform", "uniform"), ("average", "freeze")]
)
def test_probabilities_are_those_of_the_changed_model(open_silence, run, instead, kind):
    names = "encoder.2.self:0,decoder.1.cross:1"
    at = open_silence(sentence=WIDE, silent=names, instead=instead)
    heads = frozenset(map(Head.parse, names.split(",")))
    own = translate(run, WIDE).target_ids
    probe = Intervention(kind, heads).probe(average_mixed(run) if kind == "freeze" else None)
    before, after = outcome(run, WIDE, own, None), outcome(run, WIDE, own, probe)
    rows = chart_rows(at)
    assert [row["word"] for row in rows] == [each.token.text for each in before.reference]
    assert [row["before"] for row in rows] == [each.probability for each in before.reference]
    assert [row["after"] for row in rows] == [each.probability for each in after.reference]
    assert [row["best"] for row in rows] == [each.best.text for each in after.reference]


def test_the_loss_of_the_true_target_is_said_before_and_after(open_silence, run):
    at = open_silence(sentence=WIDE, silent="decoder.1.self:1")
    # Read from the probabilities: the model's own translation is the true target here.
    before, after = (
        -np.log(np.array([row[name] for row in chart_rows(at)], np.float64)).mean()
        for name in ("before", "after")
    )
    found = re.search(r"Loss of the true target: (\S+) → (\S+) nats", said(at))
    numbers = [float(text.replace("−", "-")) for text in found.groups()]
    np.testing.assert_allclose(numbers, [before, after], rtol=0.01)


def test_a_sentence_of_no_task_is_held_against_the_models_own_words(open_silence):
    at = open_silence(sentence="Zorbik street street cat.")
    assert "Loss of the model’s own translation" in said(at)


def test_words_that_change_are_marked(open_silence, run):
    heads = [name for name in map(str, heads_of(run.model)) if "cross" in name]
    at = open_silence(sentence=WIDE, silent=",".join(heads))
    assert "The translation stays" not in said(at)
    before, after = re.search(r"Before: (.*)  \nAfter: (.*)", said(at)).groups()
    plain = [text.replace("*", "").split() for text in (before, after)]
    assert any(word.startswith("**") for word in after.split())
    assert plain[0] != plain[1]


def test_with_no_head_changed_the_translation_is_the_same(open_silence):
    at = open_silence(silent="none")
    assert "Nothing is changed yet:" in said(at)
    assert all(row["before"] == row["after"] for row in chart_rows(at))


def test_a_decoder_alone_is_held_against_what_it_wrote_after_the_prompt(
    open_silence, opened_path, elsewhere
):
    path, prompt = opened_path("gpt2"), "it was too tired"
    elsewhere("OWN", path.parent)
    head = Head.parse("decoder.0.self:1")
    at = open_silence(model="runs/gpt2", sentence=prompt, silent=str(head))
    run = load_run(path)
    own = translate(run, prompt)
    written = own.target_ids[own.n_given :]
    before, after = (
        outcome(run, prompt, written, probe, ended=own.finished)
        for probe in (None, Intervention("silence", frozenset([head])).probe())
    )
    rows = chart_rows(at)
    assert [row["word"] for row in rows] == [each.token.text for each in before.reference]
    assert [row["after"] for row in rows] == [each.probability for each in after.reference]
    assert (after.translation == before.translation) == ("The continuation stays" in said(at))


def test_a_word_that_gives_way_is_named_before_one_that_changes_more():
    def reference(*chances):
        """Words with what the model finds of them, and the word that it finds most probable."""
        return SimpleNamespace(
            reference=[
                SimpleNamespace(
                    token=SimpleNamespace(text=word),
                    probability=probability,
                    best=SimpleNamespace(text=best),
                )
                for word, probability, best in chances
            ]
        )

    before = reference(("Mes", 0.52, "Mes"), ("chien", 0.2, "chien"))
    flips = reference(("Mes", 0.45, "Ma"), ("chien", 0.9, "chien"))
    stays = reference(("Mes", 0.51, "Mes"), ("chien", 0.9, "chien"))
    said = silence_sentence._most_changed(SimpleNamespace(before=before, after=flips))
    assert said.replace("\u00a0", " ") == "**Mes** gives way to **Ma**: 52 % → **45 %**."
    said = silence_sentence._most_changed(SimpleNamespace(before=before, after=stays))
    assert said.startswith("Most changed: **chien**")
