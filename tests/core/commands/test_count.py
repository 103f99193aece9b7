import pytest


@pytest.mark.parametrize(
    ("name", "count"), [("bert-base", 109_514_298), ("gpt2", 124_439_808), ("t5-small", 60_506_624)]
)
def test_a_published_model_is_counted_by_its_name(command, name, count):
    status, out, _ = command("count", "--model", name)
    assert (status, out.strip()) == (0, f"{count:,}")
