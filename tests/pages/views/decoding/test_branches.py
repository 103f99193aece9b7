from dataclasses import replace

import pytest

from tests.pages.conftest import send
from tests.pages.views.decoding.conftest import stepper, texts


@pytest.fixture
def open_decoding(open_page):
    return lambda **query_params: open_page("decoding", **query_params)


def test_a_clicked_alternative_is_followed_and_can_be_undone(open_decoding):
    at = open_decoding()
    step = stepper(at).free.steps[4]
    send(at, "force", {"step": 4, "token": step.top[1].token})
    view = stepper(at)
    assert view.free.steps[4].overridden
    # Whether it continues a word depends on what stands before it there.
    alone = replace(step.top[1].label, continues=False)
    assert replace(view.free.steps[4].chosen, continues=False) == alone
    assert replace(view.free.fed[5], continues=False) == alone
    assert view.start == 4
    assert at.query_params["overrides"] == f"4:{step.top[1].token}"
    assert texts(view.free.fed[:5]) == texts(stepper(open_decoding()).free.fed[:5])
    at.button(key="undo").click().run()
    assert not any(each.overridden for each in stepper(at).free.steps)


@pytest.mark.parametrize("changed", [{"method": "sampling"}, {"overrides": "0:7"}], ids=str)
def test_new_tokens_limit_a_decoding_that_is_not_the_models_own(open_decoding, decoders, changed):
    decoders("gpt2")
    at = open_decoding(model="runs/gpt2", sentence="The capital", new_tokens="3", **changed)
    assert len(stepper(at).free.steps) == 3
