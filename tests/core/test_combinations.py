import pytest

from core.combinations import check_memory, check_positions, check_projections, check_scores
from core.settings import ConfigError

READS = {"reads": True, "batch_norm_before": False}
HAS = {"projections": True, "output_projection": True}


def test_what_every_model_has_goes_together():
    check_memory("last", (0, 6), reads=False, batch_norm_before=True)
    check_scores("dot", "rotary", "none", attends=False)
    check_positions("sinusoidal", 3, (6, 3), ())
    check_projections("nothing", (8, 2, 5, 7, 64), **HAS)


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (lambda: check_memory("first", (2, 2), **{**READS, "reads": False}), "memory is first"),
        (lambda: check_memory("same", (2, 3), **READS), "2 encoder layers and 3 decoder layers"),
        (lambda: check_scores("linear", "dot", "width", attends=False), "nothing is attended to"),
        (lambda: check_scores("additive", "rotary", "width", attends=True), "positions is rotary"),
        (lambda: check_positions("rotary", 3, (32, 128), ()), "need an even width"),
        (lambda: check_positions("buckets", 4, (6, 9), ()), "not a multiple of 4"),
        (lambda: check_positions("buckets", 4, (32, 16), ()), "max_distance is 16"),
        (lambda: check_positions("rotary", 4, (32, 128), (1.0, 2.0)), "not four numbers above 0"),
        (lambda: check_positions("rotary", 4, (32, 128), (8, 4, 4, 9)), "the third above"),
        (lambda: check_projections("qk", (8, 2, 8, 8, 64), **HAS), "which are no queries"),
        (lambda: check_projections("kv", (8, 8, 8, 4, 64), **HAS), "keys are 8 wide and values 4"),
        (
            lambda: check_projections("nothing", (8, 8, 8, 4, 64), **HAS | {"projections": False}),
            "do not make d_model, 64",
        ),
    ],
)
def test_what_does_not_is_named_with_its_values(check, said):
    with pytest.raises(ConfigError, match=said):
        check()


def test_a_mixture_of_layers_needs_a_norm_that_knows_one_layer_at_a_time():
    check_memory("first", (2, 2), reads=True, batch_norm_before=True)
    for memory in ("same", "mixed"):
        check_memory(memory, (2, 2), **READS)
        with pytest.raises(ConfigError, match="statistics of several layers"):
            check_memory(memory, (2, 2), reads=True, batch_norm_before=True)
