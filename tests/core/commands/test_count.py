import json

import pytest

# Table 3 of the paper, in millions.
PUBLISHED = {
    "base": ([], 65),
    "B 16": (["--d-k", "16"], 58),
    "B 32": (["--d-k", "32"], 60),
    "C 2 layers": (["--n-layers", "2"], 36),
    "C 4 layers": (["--n-layers", "4"], 50),
    "C 8 layers": (["--n-layers", "8"], 80),
    "C narrow": (["--d-model", "256", "--d-k", "32", "--d-v", "32"], 28),
    "C wide": (["--d-model", "1024", "--d-k", "128", "--d-v", "128"], 168),
    "C small feed-forward": (["--d-ff", "1024"], 53),
    "C large feed-forward": (["--d-ff", "4096"], 90),
}


@pytest.mark.parametrize("row", PUBLISHED)
def test_published_counts_come_out_when_rounded_to_millions(command, row):
    options, millions = PUBLISHED[row]
    status, out, _ = command("count", "--json", *options)
    assert status == 0
    assert round(json.loads(out)["parameters"] / 1e6) == millions


@pytest.mark.parametrize(
    ("name", "count"), [("bert-base", 109_514_298), ("gpt2", 124_439_808), ("t5-small", 60_506_624)]
)
def test_a_published_model_is_counted_by_its_name(command, name, count):
    status, out, _ = command("count", "--model", name)
    assert (status, out.strip()) == (0, f"{count:,}")


def test_a_model_that_is_not_known_is_refused_with_those_that_are(refused):
    assert "'gpt2-xl'" in refused("count", "--model", "gpt5")


def test_number_is_printed_with_separators(command):
    _, as_json, _ = command("count", "--json")
    _, out, _ = command("count")
    assert int(out.replace(",", "")) == json.loads(as_json)["parameters"]
    assert out.count(",") == 2


def test_untying_adds_two_matrices(command):
    size = ["--vocab", "100", "--d-model", "16", "--d-ff", "32", "--n-heads", "2", "--json"]
    tied = json.loads(command("count", *size)[1])["parameters"]
    untied = json.loads(command("count", *size, "--untied")[1])["parameters"]
    assert untied - tied == 2 * 100 * 16


def test_learned_positions_add_a_table_for_each_stack(command):
    size = ["--d-model", "16", "--n-heads", "2", "--max-positions", "30", "--json"]
    formula = json.loads(command("count", *size)[1])["parameters"]
    learned = json.loads(command("count", *size, "--positions", "learned")[1])["parameters"]
    assert learned - formula == 2 * 30 * 16


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--d-model", "10", "--n-heads", "3"], "cannot share a width of 10"),
        (["--d-model", "7", "--n-heads", "1"], "d_model is 7"),
    ],
)
def test_sizes_that_cannot_be_are_refused(refused, options, named):
    assert named in refused("count", *options)
