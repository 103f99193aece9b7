import pytest

from tests.pages.conftest import TIRED


def test_each_statement_has_its_verdict_its_figures_and_a_link(open_page):
    at = open_page("misconceptions", sentence=TIRED)
    assert sum("-badge[" in each.value for each in at.markdown) == len(at.get("page_link")) == 8
    assert len(at.metric) == 17


@pytest.mark.parametrize(
    ("kind", "lacks", "n_figures"),
    [
        ("like gpt2", ["only one of the two stacks"], 14),
        ("Bart", ["the transformers library computes"] * 3, 11),
        ("convolutions", ["no self-attention in its encoder"] * 6, 4),
    ],
)
def test_what_a_model_lacks_is_said_in_the_place_of_a_figure(
    open_page, run_of_kind, elsewhere, kind, lacks, n_figures
):
    elsewhere("OWN", run_of_kind(kind).parent)
    at = open_page("misconceptions", model="runs/run")
    missing = [each.value for each in at.caption if each.value.startswith("No figure")]
    assert all(part in each for part, each in zip(lacks, missing, strict=True))
    assert len(at.metric) == n_figures
