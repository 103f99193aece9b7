import json

import numpy as np
import pytest

PROMPT = "the animal and the street"
SITES = [
    "encoder.0.self",
    "encoder.1.self",
    "decoder.0.self",
    "decoder.0.cross",
]


@pytest.fixture
def inspected(command, copy_folder):
    status, out, error = command("inspect", copy_folder, "a b c d", "--target", "b a", "--json")
    assert (status, error) == (0, "")
    return json.loads(out)


def test_json_weights_are_head_by_query_by_key(inspected):
    shapes = dict(zip(SITES, [(5, 5), (5, 5), (3, 3), (3, 5)], strict=True))
    for site, shape in shapes.items():
        weights = np.array(inspected["attention"][site]["weights"])
        visible = np.array(inspected["attention"][site]["visible"])
        assert weights.shape == (2, *shape)
        assert visible.shape == shape
        assert visible.dtype == bool
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
        assert (weights[:, ~visible] == 0).all()
    causal = inspected["attention"]["decoder.0.self"]["visible"]
    assert causal == [[True, False, False], [True, True, False], [True, True, True]]


def test_one_head_or_one_layer_is_shown_alone(command, copy_folder, inspected):
    asked = ("inspect", copy_folder, "a b c d", "--target", "b a", "--json")
    cross = json.loads(command(*asked, "--head", "decoder.0.cross:1")[1])["attention"]
    whole = inspected["attention"]["decoder.0.cross"]
    assert cross == {"decoder.0.cross": whole | {"heads": [1], "weights": whole["weights"][1:]}}
    first = json.loads(command(*asked, "--layer", "0")[1])["attention"]
    assert first == {site: inspected["attention"][site] for site in SITES if ".0." in site}
    _, out, _ = command("inspect", copy_folder, "a b", "--head", "encoder.1.self:0")
    assert {row.split()[0] for row in out.splitlines()[2:]} == {"encoder.1.self:0"}


def test_a_prompt_is_looked_at_alone_or_with_as_many_tokens_as_are_asked_for(command, opened_path):
    def fed(*options):
        status, out, error = command("inspect", opened_path("gpt2"), PROMPT, "--json", *options)
        assert (status, error) == (0, "")
        return json.loads(out)["target"]["fed"]

    alone = fed("--max-new-tokens", 0)
    assert "".join(alone).replace(" ", "").endswith("street")
    assert fed("--max-new-tokens", 3)[: len(alone)] == alone
    assert len(fed("--max-new-tokens", 3)) == len(alone) + 3
    status, out, error = command("continue", opened_path("gpt2"), PROMPT, "--max-new-tokens", 0)
    assert (status, out, error) == (0, "\n", "")


def test_text_names_the_largest_weight_of_each_row(command, copy_folder):
    status, out, _ = command("inspect", copy_folder, "a b", "--target", "b")
    first, _, *rows = out.splitlines()
    assert (status, first) == (0, "b")
    assert {row.split()[0] for row in rows} == {
        f"{site}:{head}" for site in SITES for head in (0, 1)
    }
    # The first row of the decoder's own attention sees BOS alone.
    assert ["decoder.0.self:0", "BOS", "BOS", "1"] in map(str.split, rows)
