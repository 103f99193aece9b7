import json

import pytest

from core.config import ModelConfig
from core.model import count_parameters


@pytest.mark.parametrize(
    ("name", "count"), [("bert-base", 109_514_298), ("gpt2", 124_439_808), ("t5-small", 60_506_624)]
)
def test_a_published_model_is_counted_by_its_name(command, name, count):
    status, out, _ = command("count", "--model", name)
    assert (status, out.strip()) == (0, f"{count:,}")


def test_sizes_of_the_papers_table_are_options(command):
    options = ["--n-layers", "4", "--d-k", "16", "--positions", "learned", "--json"]
    parameters = json.loads(command("count", *options)[1])["parameters"]
    config = ModelConfig(41_000, 4, 4, d_k=16, positions="learned")
    assert parameters == count_parameters(config)
