from dataclasses import replace

import pytest
import torch

from core.evaluate.pointer import copying_figures
from core.runs.run import load_run
from core.tasks import TASKS
from core.training.prepare import prepare_run
from core.training.trainer import train_run
from tests.core.conftest import MINIATURE, draw_few


def trained(path, **changes):
    preset = replace(
        MINIATURE,
        model=replace(MINIATURE.model, **changes),
        training=replace(MINIATURE.training, steps=2),
    )
    with pytest.MonkeyPatch.context() as patch:
        draw_few(patch)
        prepare_run(path, TASKS["names"], "miniature", preset, "python -m core …")
        for _ in train_run(path):
            pass
    return load_run(path)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Of a pointer whose gate is set by hand."""
    found = trained(tmp_path_factory.mktemp("runs") / "names", pointer=True)
    with torch.no_grad():
        found.model.pointer.gate.weight.zero_()
        found.model.pointer.gate.bias.fill_(-1.0)
    return found


def test_p_gen_is_its_mean_over_words_and_over_names(run):
    found = copying_figures(run, 20, 0)
    assert found.p_gen_words == pytest.approx(1 / (1 + torch.e), abs=1e-6)
    assert found.p_gen_names == pytest.approx(1 / (1 + torch.e), abs=1e-6)
    assert set(found.measured) == {
        *("names_right", "seen_names_right", "seen_exact_match", "p_gen_words", "p_gen_names")
    }


def test_names_are_right_where_the_target_has_them(run, monkeypatch):
    """Whoever writes the true target but for its last name has all names right but one."""
    first = run.tokenizer.vocab_size - run.tokenizer.n_names
    n_names, n_wrong = 0, 0

    def written(_model, pairs, _tokenizer):
        nonlocal n_names, n_wrong
        for pair in pairs:
            said = list(pair.target[1:])
            places = [at for at, token in enumerate(said) if token >= first]
            n_names, n_wrong = n_names + len(places), n_wrong + 1
            said[places[-1]] = 5
            yield tuple(said)

    monkeypatch.setattr(
        "core.evaluate.pointer.generate_targets", lambda *given: list(written(*given))
    )
    found = copying_figures(run, 30, 0)
    # Both halves were measured; each sentence has one wrong name, so none is right as a whole.
    assert n_wrong == 60
    assert found.seen_exact_match == 0.0
    shares = (found.names_right, found.seen_names_right)
    assert min(shares) <= 1 - n_wrong / n_names <= max(shares)
    assert min(shares) > 0


def test_without_a_pointer_there_is_no_p_gen(tmp_path):
    found = copying_figures(trained(tmp_path / "plain"), 5, 0)
    assert (found.p_gen_words, found.p_gen_names) == (None, None)
    assert "p_gen_words" not in found.measured
