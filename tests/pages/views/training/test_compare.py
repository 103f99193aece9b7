import json
from html import unescape
from urllib.parse import parse_qs

from core.runs.metrics import LONG, read_record, settings_of
from tests.pages.conftest import ROOT, said
from tests.pages.views.attention.conftest import run_lines
from tests.pages.views.training.runs_page import (
    below,
    tick,
)


def test_the_python_computes_curves_and_settings_and_a_link_leads_to_the_heads(
    open_runs, own_runs, taken
):
    at = open_runs(runs=["translate-guided", "translate"])
    [shown] = taken
    numbers = shown.columns()
    assert tuple(numbers) == LONG
    assert run_lines(shown.recipe.python()) == [
        value for column in numbers.values() for value in column
    ]
    assert set(numbers["what"]) == {"result", "setting", "measured"}
    [link] = [each.proto for each in at.get("page_link") if each.proto.label.startswith("Compare")]
    assert parse_qs(link.query_string) == {
        "view": ["maps"],
        "model": ["translate-guided"],
        "other": ["model"],
        "other_model": ["translate"],
    }


def test_compared_runs_show_only_settings_that_differ(open_runs):
    at = open_runs(runs=["translate-guided", "translate"])
    found = below(at, "setting")
    assert list(found.index) == ["training.guide"]
    assert found.loc["training.guide", "translate-guided"] == "encoder.2.self:0"
    at.button_group(key="settings").set_value("all").run()
    assert not at.exception
    found = below(at, "setting")
    assert found.loc["Steps", "translate"] == "5000"
    assert found.index.is_unique
    assert list(found.index[found["differs"]]) == ["training.guide"]


def test_compared_runs_have_a_line_each_in_every_chart(open_runs):
    at = open_runs(runs=["translate-guided", "copy"])
    [chart] = at.get("vega_lite_chart")
    spec = json.loads(chart.proto.spec)
    quantities = ["training loss", "held-out loss", "exact match"]
    panels = spec["vconcat"][: len(quantities)]
    assert [panel["layer"][0]["encoding"]["y"]["title"] for panel in panels] == quantities
    for panel in panels:
        scale = panel["layer"][0]["encoding"]["color"]["scale"]
        assert scale["domain"] == ["translate-guided", "copy"]
    assert panels[0]["layer"][0]["encoding"]["y"]["scale"]["type"] == "log"


def test_runs_whose_seconds_are_not_known_are_named(open_runs, own_copy):
    metrics = own_copy / "metrics.jsonl"
    rows = [json.loads(line) for line in metrics.read_text().splitlines()]
    lines = [json.dumps({key: row[key] for key in row if key != "seconds"}) for row in rows]
    metrics.write_text("".join(f"{line}\n" for line in lines))
    at = open_runs(runs=["translate-guided", "runs/mine"], over="seconds")
    told = unescape(said(at))
    assert "Seconds were not written down in the training of runs/mine." in told


def test_damaged_runs_are_left_out_of_a_comparison(open_runs, own_copy):
    (own_copy / "run.json").write_text("{")
    at = open_runs(runs=["translate", "copy", "runs/mine"])
    assert "left out" in said(at)
    assert at.get("vega_lite_chart")


def test_more_than_eight_runs_are_too_many(open_runs, another):
    names = [f"runs/{another(str(n)).name}" for n in range(9)]
    at = open_runs(runs=names)
    assert "9 runs are ticked; 8 at most" in said(at)
    assert not at.get("vega_lite_chart")
    tick(at, *names[:8])
    assert at.get("vega_lite_chart")


def test_the_line_counts_the_settings_that_differ(open_runs, taken):
    open_runs(model=None, runs=["copy", "copy-learned"])
    first, second = (
        settings_of(read_record(ROOT / "gallery" / name)) for name in ("copy", "copy-learned")
    )

    def flat(found, prefix=""):
        for name, value in found.items():
            if isinstance(value, dict):
                yield from flat(value, f"{prefix}{name}.")
            else:
                yield f"{prefix}{name}", str(value)

    one, other = dict(flat(first)), dict(flat(second))
    n = sum(one.get(name) != other.get(name) for name in {*one, *other})
    seen = taken[-1].seen
    assert seen.startswith(f"They differ in {n} settings: ")
    assert "99.95" in seen
