import pytest

from core.model import count_parameters
from core.model.paper import TABLE_3
from core.runs.run import load_run
from tests.pages.conftest import ROOT, chart_rows, said
from tests.pages.takeable import assert_takeable, computed, numbers_of
from tests.pages.views.layers.conftest import table


@pytest.mark.parametrize("share", ["false", "true"])
def test_parameters_of_the_papers_models_are_counted(open_layers, share, run):
    at = open_layers(layers="counts", share=share)
    frame = table(at)
    assert frame.iloc[0, 1] == f"{count_parameters(run.settings.model) / 1e6:.1f}"
    for row, paper in enumerate(TABLE_3, start=1):
        assert frame.iloc[row, 0] == paper.name
        assert frame.iloc[row, 1] == f"{count_parameters(paper.config) / 1e6:.1f}"
        assert frame.iloc[row, 3] == f"{paper.perplexity:.2f}"
    base = [row["value"] for row in chart_rows(at) if row["name"] == "base"]
    total = 1 if share == "true" else count_parameters(TABLE_3[0].config) / 1e6
    assert len(base) == 4
    assert sum(base) == pytest.approx(total)


def test_what_is_taken_away_is_what_is_shown_and_can_be_computed_again(open_layers, handed_over):
    at = open_layers(layers="counts")
    [shown] = handed_over
    assert_takeable(at, shown)
    groups = [name for name in shown.columns() if name in {row["series"] for row in chart_rows(at)}]
    assert len(groups) == 4
    assert computed(shown) == numbers_of(shown, *groups)
    assert sum(computed(shown)) == pytest.approx(1e6 * sum(row["value"] for row in chart_rows(at)))


def test_the_line_says_how_large_the_model_is_beside_the_paper_s(open_layers):
    text = said(open_layers(layers="counts", model="copy"))
    own = count_parameters(load_run(ROOT / "gallery" / "copy").settings.model)
    base = count_parameters(TABLE_3[0].config)
    assert f"This model has **{own:,}** parameters, {100 * own / base:.1f}" in text


def test_why_an_opened_model_has_fewer_than_its_files_is_said(open_layers, opened_path, elsewhere):
    elsewhere("OWN", opened_path("bert").parent)
    assert "Not counted: weights of its files" in said(
        open_layers(layers="counts", model="runs/bert")
    )
    assert "Not counted" not in said(open_layers(layers="counts"))
