import pytest
import torch

from core.config import ModelConfig
from core.decoding.pointer import copied, copied_words
from core.model import build
from core.runs.run import load_run
from tests.core.conftest import GALLERY

CONFIG = ModelConfig(23, 2, 2, 16, 32, 4, dropout=0.0, pointer=True)
SOURCE, TARGET = (4, 5, 20, 5, 2), (1, 5, 6, 20, 2)


@pytest.fixture
def model():
    return build(CONFIG, seed=3).eval()


def test_what_is_generated_and_what_is_copied_is_the_probability_of_the_word(model):
    found = copied(model, SOURCE, TARGET)
    with torch.inference_mode():
        probabilities = model(torch.tensor([SOURCE]), torch.tensor([TARGET[:-1]]))[0].softmax(-1)
    for step, word in enumerate(TARGET[1:]):
        whole = found.generated_T[step] + found.copied_T[step]
        assert whole == pytest.approx(float(probabilities[step, word]), abs=1e-6)
        stands = [at for at, token in enumerate(SOURCE) if token == word]
        assert found.copied_T[step] == pytest.approx(found.taken_TS[step, stands].sum())
    # 5 stands twice in the source, 6 nowhere.
    assert found.copied_T[0] > found.taken_TS[0, 1]
    assert found.copied_T[1] == 0.0


def test_the_table_has_a_row_for_each_step_and_place_of_a_translation():
    run = load_run(GALLERY / "copying")
    table = copied_words(run, "Kowalski sees the red book").table()
    whole: dict[int, float] = {}
    for step, p_gen, taken in zip(table["step"], table["p_gen"], table["taken"], strict=True):
        whole[step] = whole.get(step, p_gen) + taken
    assert list(whole.values()) == pytest.approx([1.0] * len(whole), abs=1e-5)
    n = max(table["place"]) + 1
    assert table["written"][::n][:1] == ["Kowalski"]
    assert table["source"][:n] == ["Kowalski", "sees", "the", "red", "book", "EOS"]
