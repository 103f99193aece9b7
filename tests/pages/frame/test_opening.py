import pytest

from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.heads.largest_weights import head_between_words
from core.studies.opening.examples import examples_of
from core.tasks import TASKS
from core.tasks.corpus import held_out_examples
from core.tasks.task import Sample
from pages.frame import selection
from pages.locales import catalogues


def test_the_names_of_examples_can_be_translated():
    own = held_out_examples([Sample("a", "b", ())])
    examples = [*own, *(each for task in TASKS.values() for each in task.examples)]
    texts = catalogues.collected()
    assert all(each.name in texts for each in examples)


@pytest.mark.parametrize("name", ["gpt2", "bert"])
def test_a_model_of_one_stack_opens_on_a_head_that_looks_from_word_to_word(opened_path, name):
    run = load_run(opened_path(name))
    kind = selection.default_kind(run)
    best = head_between_words(inspect_sentence(run, examples_of(run)[0].source), kind)
    assert selection.default_head(run, kind) == (best.layer, best.index) != (0, 0)
