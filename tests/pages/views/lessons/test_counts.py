"""The counts of this model and of published ones."""

import html

import pytest

from core.config.published import PUBLISHED
from core.describe import describe
from core.model import count_parameters
from pages.views.lessons.counts import parameters
from tests.pages.conftest import chart_rows, said
from tests.pages.views.lessons.conftest import charts


@pytest.mark.slow
def test_the_shares_of_this_model_and_of_published_ones_are_drawn(open_lesson, run, open_alone):
    at, shown = open_lesson("counts")
    own = count_parameters(run.settings.model)
    assert (
        f"of {parameters(own)} are in **feed-forward**: the largest part here, and in 12 of 13 "
        in shown.seen
    )
    rows = chart_rows(at)
    for name, config in (
        ("translate-guided", run.settings.model),
        ("BERT base", PUBLISHED[2].config),
    ):
        shares = {
            row["series"]: row["value"] for row in rows if row["name"].startswith(f"{name} ·")
        }
        counted = describe(config).by_group()
        assert shares["attention"] == pytest.approx(counted["attention"] / sum(counted.values()))


def test_parameters_of_an_opened_model_are_counted_by_sublayer(open_alone):
    at, _, opened = open_alone("gpt2", "counts")
    parts = dict(opened.model.library.named_parameters())
    attention = sum(
        each.numel() for name, each in parts.items() if ".attn." in name or ".ln_1." in name
    )
    total = sum(each.numel() for each in parts.values())
    shares = {
        row["series"]: row["value"] for row in chart_rows(at) if row["name"].startswith("gpt2 ·")
    }
    assert shares["attention"] == pytest.approx(attention / total)
    assert "Not counted" not in said(at)


def test_a_published_model_is_drawn_by_one_of_its_equal_layers_with_the_published_counts(
    open_lesson,
):
    at, shown = open_lesson("counts", counts_shown="published")
    assert "**6,740 million parameters**: 32 decoder layers of 202 million each" in shown.seen
    counted = {row["name"]: row["value"] for row in chart_rows(at)}
    assert counted["decoder layer: Masked self-attention"] == 4 * 4096**2 / 1e6
    facts = [html.unescape(count) for count in at.table[0].value.iloc[:, 1]]
    assert facts[0] == facts[1] == "6,738,415,616"
    at.selectbox(key="published").set_value("bert-base").run()
    assert not any("decoder" in row["name"] for row in chart_rows(at))
    assert "What is BERT base made of?" in said(at)


def test_reading_is_counted_by_the_widths_of_the_model(open_lesson, run):
    at, shown = open_lesson("counts", counts_shown="reading")
    steps, multiplications, kept = charts(at)
    d, n = run.settings.model.d_model, 512
    assert (steps["attention"][-1], steps["GRU"][-1]) == (1, n)
    assert multiplications["attention"][-1] == (4 * n * d * d + 2 * n * n * d) / 1e6
    assert (kept["attention"][-1], kept["GRU"][-1]) == (4 * n * n / 1000, d / 1000)
    assert (d, (4 * d + 2 * n) / (6 * d)) == (128, 2)
    assert "Attention multiplies 2 times as often as the GRU" in shown.seen
