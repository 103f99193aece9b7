"""The runs that ship hold what is said of them."""

import json
from pathlib import Path

import pytest
from safetensors import safe_open

from core.decoding.sentence import translate
from core.evaluate.evaluation import evaluate
from core.heads import Head
from core.inspection import inspect_sentence
from core.model import count_parameters
from core.runs.checkpoint import CHECKSUM, stops
from core.runs.run import load_run
from core.studies.effects.measuring import stored_effects
from core.studies.experiments import EXPERIMENTS
from core.studies.experiments.experiment import SEEDS
from core.studies.experiments.findings import Reason, findings, what_came_out
from core.studies.experiments.results import Results
from core.tasks import TASKS
from core.tasks.translation import derivations
from docs import experiments

GALLERY = Path(__file__).resolve().parents[1] / "gallery"
GRAMMAR = ("translate", "translate-guided")
RUNS = ("everyday", "copy", "copy-learned", "copying", *GRAMMAR)
SHIPPED = sorted(each.parent for each in GALLERY.glob("*/run.json"))
TRANSLATIONS = ("everyday", *GRAMMAR)
GUIDED_RUNS = ("everyday", "translate-guided")
GUIDED = Head.parse("encoder.2.self:0")


def stored(name):
    return json.loads((GALLERY / name / "evaluation.json").read_text())


def guided_head(evaluation):
    [head] = [h for h in evaluation["heads"] if h["head"] == str(GUIDED)]
    return head


@pytest.mark.parametrize(
    ("name", "share"),
    [
        *((name, 0.998) for name in ("copy", "copy-learned", "copying")),
        ("digits", 0.98),
        ("everyday", 0.98),
        *((name, 0.985) for name in GRAMMAR),
    ],
)
def test_held_out_exact_match(name, share):
    assert stored(name)["exact_match"] >= share
    assert stored(name)["n"] >= 1000


@pytest.mark.parametrize("name", TRANSLATIONS)
def test_pronouns_are_right(name):
    assert stored(name)["pronoun"]["accuracy"] >= 0.99
    assert stored(name)["pronoun"]["n"] >= 400


@pytest.mark.parametrize("name", GUIDED_RUNS)
def test_the_guided_head_is_on_the_antecedent_and_the_model_needs_it(name):
    evaluation = stored(name)
    assert guided_head(evaluation)["score"] >= 0.95
    cost = evaluation["pronoun"]["accuracy"] - guided_head(evaluation)["silenced_accuracy"]
    assert cost >= 0.40


@pytest.mark.slow
@pytest.mark.parametrize("name", (*RUNS, "digits"))
def test_measuring_again_gives_the_stored_figures(name):
    again, before = evaluate(load_run(GALLERY / name)), stored(name)
    assert again["exact_match"] == pytest.approx(before["exact_match"], abs=0.002)
    assert again["loss"] == pytest.approx(before["loss"], rel=0.01)
    for new, old in zip(again["heads"], before["heads"], strict=True):
        assert new["score"] == pytest.approx(old["score"], abs=0.01)
        assert new["silenced_accuracy"] == pytest.approx(old["silenced_accuracy"], abs=0.01)


@pytest.mark.parametrize("run", SHIPPED, ids=lambda run: run.name)
def test_every_file_of_weights_holds_its_checksum(run):
    files = list(run.glob("*/*.safetensors"))
    assert files
    for file in files:
        with safe_open(file, framework="pt") as opened:
            assert opened.metadata()[CHECKSUM]


EVERYDAY = {
    "The goats avoided the bridges because they were thirsty.": (
        "Les chèvres ont évité les ponts parce qu'elles avaient soif."
    ),
    "I love you.": "Je t'aime.",
    "She gave him a book.": "Elle lui donna un livre.",
    "Where do you live?": "Où vis-tu ?",
    "My dog is hungry.": "Mon chien a faim.",
}


@pytest.mark.parametrize("source", EVERYDAY)
def test_everyday_sentences_are_translated_as_people_would(source):
    assert translate(load_run(GALLERY / "everyday"), source).text == EVERYDAY[source]


def test_the_everyday_run_says_where_its_sentences_come_from_and_comes_without_them():
    run = load_run(GALLERY / "everyday")
    assert "Tatoeba" in run.notice
    assert "CC BY 2.0 FR" in run.notice
    assert not list(run.path.glob("*.tsv"))
    assert {each.source for each in TASKS["everyday"].examples[2:]} <= set(EVERYDAY)


@pytest.mark.parametrize("name", GRAMMAR)
@pytest.mark.parametrize("example", TASKS["translate"].examples, ids=lambda example: example.name)
def test_every_example_is_translated_right(name, example):
    translation = translate(load_run(GALLERY / name), example.source)
    assert translation.text == derivations(example.source)[0].target


def on_antecedent(step):
    """Return the guided head's weight from "it" on "animal" in the first example at a step."""
    run = load_run(GALLERY / "translate-guided", step)
    found = inspect_sentence(run, TASKS["translate"].examples[0].source)
    words = [token.text for token in found.source_tokens]
    weights_QK = found.weights_of(GUIDED)
    return float(weights_QK[words.index("it"), words.index("animal")])


def test_its_history_shows_the_guided_head_form():
    steps = stops(GALLERY / "translate-guided")
    assert steps == (0, 100, 200, 5000)
    weights = [on_antecedent(step) for step in steps]
    assert weights == sorted(weights)
    assert weights[0] < 0.2 < weights[1] < 0.7
    assert weights[-1] > 0.95


@pytest.mark.parametrize("name", RUNS)
def test_what_silencing_costs_comes_with_the_weights(name):
    run = load_run(GALLERY / name)
    effects = stored_effects(run)
    assert (effects.n, effects.step) == (400, run.step)
    assert len(effects.heads) == sum(run.settings.model.n_heads for site in run.model.sites())


NAMES = (
    "Kowalski", "zorblax", "Bartholomew", "Rumpelstiltskin", "Xi", "O'Neill", "Müller-Lüdenscheidt",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_nobody_has_seen_is_copied(name):
    run = load_run(GALLERY / "copying")
    assert name not in run.known_words
    said = translate(run, f"{name} shows the red coat to Karl-Heinz here").text
    assert said == f"{name} montre le manteau rouge à Karl-Heinz ici"


@pytest.mark.parametrize("example", TASKS["names"].examples, ids=lambda example: example.name)
def test_every_example_with_names_is_translated_right(example):
    said = translate(load_run(GALLERY / "copying"), example.source).text
    assert said == TASKS["names"].reference(example.source)


def test_gallery_is_small():
    files = [file for file in GALLERY.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) <= 30e6
    assert not [file for file in files if file.name.endswith(".state.safetensors")]


VERDICTS = {
    "bottleneck": "holds holds holds",
    "reading": "holds",
    "heads": "fails fails",
    "projections": "open holds holds holds",
    "scale": "holds holds",
    "linear": "open open",
    "mixing": "holds holds holds holds",
    "order": "holds open holds holds",
    "embedding": "holds fails",
    "residuals": "holds open fails",
    "norms": "holds fails open open open open",
    "memory": "fails holds open",
    "guide": "open holds",
    "parallel": "holds holds holds",
    "copying": "holds holds holds",
    "metric": "fails fails",
}
"""Of the claims of which it was shown that the base is trained long enough, by variant."""


def shipped_results():
    files = sorted((GALLERY / "experiments").glob("*.json"))
    return {file.stem: (EXPERIMENTS[file.stem], Results.load(file)) for file in files}


def test_the_verdicts_are_those_of_the_figures_that_ship():
    decided = {}
    for name, (experiment, found) in shipped_results().items():
        judged = [
            each.judged
            for each in findings(experiment, found, experiment.measure(experiment.judged_by))
            if each.judged is not None and each.judged.reason is not Reason.UNLEARNED
        ]
        if judged:
            decided[name] = " ".join(each.verdict for each in judged)
    assert decided == VERDICTS


def test_the_documented_table_of_experiments_is_that_of_the_results_that_ship():
    assert experiments.FILE.read_text(encoding="utf-8") == experiments.page()


def test_results_of_experiments_are_of_the_variants_that_there_are():
    for name, (experiment, found) in shipped_results().items():
        assert found.experiment == name
        trained = {each.variant for each in found.trained}
        for variant in trained:
            assert [each.seed for each in found.of(variant)][:SEEDS] == list(range(SEEDS))
        there_are = {variant.name for variant in experiment.variants}
        # What the protocol tried beside; older results have none of it.
        if found.tried:
            assert trained == there_are == {each.variant for each in found.tried} and found.longer
        assert trained <= there_are
        assert {each.n for each in found.trained} == {2000}
        # The weights are those that the settings say; rows of letters need no full vocabulary, and
        # a token that there is not is a row of numbers less.
        for variant in map(experiment.variant, trained):
            sized = experiment.preset(variant, 0).model
            [parameters] = {each.parameters for each in found.of(variant.name)}
            less = count_parameters(sized) - parameters
            full = experiment.task_of(variant) == "translate"
            assert less == 0 if full else (less >= 0 and less % sized.d_model == 0)
        for line in what_came_out(experiment, found):
            spoken_of = line.split(":")[0].partition(", compared with ")[0]
            assert spoken_of in {variant.label for variant in experiment.variants}
