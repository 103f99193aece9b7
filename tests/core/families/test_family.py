import re

import pytest
import torch

from core.families import FamilyError
from core.families.family import Settings
from core.model import Cache
from tests.core.families.both import CLOSE, assert_equal, opened, tokens
from tests.core.families.random_models import MODELS, drawn


@pytest.mark.parametrize("name", MODELS)
def test_logits_and_every_map_are_those_of_transformers(name):
    assert_equal(name)


@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("bert")])
def test_with_a_cache_each_token_gets_what_it_gets_in_one_pass(name):
    ours, target, cache = opened(drawn(name)), tokens(11, 5), Cache()
    memory = ours.encode(tokens(7, 6)) if "encoder" in ours.config.stacks else None
    with torch.no_grad():
        whole = ours.decode(target, memory, None)
        made = [ours.decode(part, memory, None, None, cache) for part in target.split([4, 1, 6], 1)]
    torch.testing.assert_close(torch.cat(made, 1), whole, atol=CLOSE, rtol=0)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda s: s.number("n"), "n is None, not a whole number"),
        (lambda s: s.number("flag"), "flag is True, not a whole number"),
        (lambda s: s.fraction("text"), "text is 'x', not a number"),
        (lambda s: s.flag("text", default=True), "text is 'x', not true or false"),
        (lambda s: s.activation("text", "relu"), "text is 'x'; known are relu, gelu"),
        (lambda s: s.expect("text", "y", "z"), "text is 'x'; only 'y' or 'z' is known"),
        (lambda s: s.size(r"a\.b"), "there is no weight a.b"),
        (lambda s: s.size(r"(?:a\.)?b\.(c|d)\.w"), "there is no weight b.c.w"),
        (lambda s: s.size("vector", axis=1), "vector has 1 axes"),
    ],
)
def test_a_setting_that_cannot_be_is_named(ask, said):
    with pytest.raises(FamilyError, match=re.escape(said)):
        ask(Settings({"text": "x", "flag": True}, {"vector": torch.ones(3)}))
