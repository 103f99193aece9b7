import pytest

from core.tasks import TASKS
from tests.pages.views.decoding.conftest import assert_python_leaves_the_same_numbers

SENTENCE = "Kowalski gives the red book to Zorblax"


@pytest.fixture
def open_copying(open_view):
    def opener(sentence=SENTENCE):
        return open_view("copying", model="copying", sentence=sentence)

    return opener


def test_a_typed_name_is_copied_under_its_own_name_and_words_are_not(open_copying):
    at, shown = open_copying()
    assert not at.exception
    numbers = shown.columns()
    words = list(dict.fromkeys(zip(numbers["step"], numbers["written"], strict=True)))
    assert [word for _step, word in words] == [
        *("Kowalski", "donne", "le", "livre", "rouge", "à", "Zorblax", "EOS")
    ]
    p_gen = dict(zip(numbers["step"], numbers["p_gen"], strict=True))
    assert [p_gen[step] < 0.05 for step in range(7)] == [
        *(True, False, False, False, False, False, True)
    ]
    assert min(p_gen[step] for step in range(1, 6)) > 0.95
    # Each column is everything that there is, and the name comes from where it stands.
    for step in range(8):
        taken = [t for at_, t in zip(numbers["step"], numbers["taken"], strict=True) if at_ == step]
        assert p_gen[step] + sum(taken) == pytest.approx(1, abs=1e-5)
    last = [
        (taken, source)
        for step, source, taken in zip(
            numbers["step"], numbers["source"], numbers["taken"], strict=True
        )
        if step == 6
    ]
    assert max(last)[1] == "Zorblax"
    assert "2 words are copied from the source: **Kowalski** (p_gen " in shown.seen
    assert "), **Zorblax** (p_gen " in shown.seen
    assert "The others are generated (mean p_gen " in shown.seen
    assert ("EOS, which ends it, is copied, too." in shown.seen) == (p_gen[7] < 0.5)


def test_python_computes_every_number_again(open_copying):
    _at, shown = open_copying()
    assert_python_leaves_the_same_numbers(shown, "taken")


def test_a_sentence_without_names_is_all_generated(open_copying):
    _at, shown = open_copying("the black cat hides the green coat")
    assert shown.seen.startswith("Nothing is copied: **p_gen** is ")


def test_a_model_without_a_pointer_says_why_there_is_nothing_to_see(open_page):
    at = open_page("decoding", decoding="copying", model="copy", sentence="k d a f")
    assert "has no pointer" in at.info[0].value


def test_every_example_is_written_as_the_task_says(open_page):
    for example in TASKS["names"].examples:
        at = open_page("decoding", decoding="steps", model="copying", sentence=example.source)
        assert not at.exception
        [box] = [each for each in at.text_input if each.key == "reference"]
        assert box.value == TASKS["names"].reference(example.source)
