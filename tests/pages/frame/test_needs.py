import pytest

from core.runs.run import load_run
from pages.frame.needs import Need, why_not
from tests.pages.conftest import ROOT

LACKS = {
    "bert": {Need.WRITING, Need.BOTH},
    "bert without a head": {Need.WRITING, Need.BOTH},
    "gpt2": {Need.SOURCE, Need.BOTH},
    "llama3": {Need.SOURCE, Need.BOTH},
    "t5": {Need.TEXTS},
    "marian": {Need.TEXTS},
}
OF_ALL = {Need.TASK, Need.SCALED_TOKENS, Need.OWN_MODULES}
"""What every opened model lacks."""


@pytest.mark.parametrize("name", LACKS)
def test_what_a_model_lacks_is_said_in_a_sentence(opened_path, name):
    run = load_run(opened_path(name))
    lacks = {need for need in Need if why_not(run, [need])}
    assert lacks == LACKS[name] | OF_ALL
    assert all(why_not(run, [need]).endswith(".") for need in lacks)


def test_a_model_trained_here_lacks_nothing_but_what_it_was_not_made_with():
    causal, parallel, copying = (
        load_run(ROOT / "gallery" / name) for name in ("copy", "parallel", "copying")
    )
    assert not {need for need in Need if why_not(causal, [need])}
    assert {need for need in Need if why_not(parallel, [need])} == {Need.NEXT}
    # It reads and writes words by more than their own vectors.
    assert {need for need in Need if why_not(copying, [need])} == {Need.OWN_VECTORS}
