import pytest
import torch

from core.config import ModelConfig
from core.decoding.pointer import copied
from core.model import build

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
