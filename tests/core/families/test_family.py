import pytest
import torch

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
