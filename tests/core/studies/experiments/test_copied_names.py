import pytest
import torch

from core.runs.run import load_run
from core.studies.experiments import measures
from core.studies.experiments.measures import copying_figures
from tests.core.conftest import GALLERY


@pytest.fixture
def run():
    """Of a pointer whose gate is set by hand."""
    found = load_run(GALLERY / "copying")
    with torch.no_grad():
        found.model.pointer.gate.weight.zero_()
        found.model.pointer.gate.bias.fill_(-1.0)
    return found


def test_p_gen_is_its_mean_over_words_and_over_names(run):
    found = copying_figures(run, 20, 0)
    assert found["p_gen_words"] == pytest.approx(1 / (1 + torch.e), abs=1e-6)
    assert found["p_gen_names"] == pytest.approx(1 / (1 + torch.e), abs=1e-6)


def test_names_are_right_where_the_target_has_them(run, monkeypatch):
    """Whoever writes the true target but for its last name has all names right but one."""
    first, n_names = run.tokenizer.vocab_size - run.tokenizer.n_names, []

    def written(_model, pairs, _tokenizer):
        for pair in pairs:
            said = list(pair.target[1:])
            places = [at for at, token in enumerate(said) if token >= first]
            n_names.append(len(places))
            said[places[-1]] = 5
            yield tuple(said)

    monkeypatch.setattr(measures, "generate_targets", lambda *given: list(written(*given)))
    found = copying_figures(run, 30, 0)
    assert found["seen_exact_match"] == 0.0
    # First of all of one half, then of the other.
    shares = [1 - 30 / sum(n_names[:30]), 1 - 30 / sum(n_names[30:])]
    assert [found["names_right"], found["seen_names_right"]] == pytest.approx(shares)
