import json

import numpy as np
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from core.runs.run import load_run
from pages.frame import cached, lesson
from tests.core.analysis.lessons.test_position_experiments import with_learned_positions
from tests.core.analysis.lessons.test_positions import formula
from tests.pages.conftest import ROOT, said, unfold
from viz.plane.matrices import unpack

TIRED = "The animal didn't cross the street because it was too tired."
VIEWS = ("waves", "map", "dots", "rotation", "check", "learned", "shuffle", "norms")


@pytest.fixture
def open_positions(open_page):
    return lambda view, **query_params: open_page("positions", positions=view, **query_params)


@pytest.fixture
def learned_run(tmp_path, elsewhere):
    """The only run there is whose positions were learned."""
    run = with_learned_positions(tmp_path / "copy-learned", trained=17)
    paths = {name: ROOT / "gallery" / name for name in ("translate", "copy")}
    elsewhere("run_paths", lambda: paths | {"mine": run})
    return run


@pytest.fixture
def only_learned(tmp_path, elsewhere):
    """Return a function that makes the only run there is whose positions were learned."""

    def make(trained=17, **settings):
        run = with_learned_positions(tmp_path / "mine", trained, **settings)
        paths = {"copy": ROOT / "gallery" / "copy", "mine": run}
        elsewhere("run_paths", lambda: paths)
        return run

    return make


def panels(at):
    return [
        panel
        for component in at.get("bidi_component")
        for panel in unpack(component.proto.bytes).panels
    ]


def charted(at):
    """The rows of the chart: the values of y by series."""
    [chart] = at.get("vega_lite_chart")
    names = [dataset.name for dataset in chart.proto.datasets]
    assert names
    rows = pa.ipc.open_stream(chart.proto.datasets[0].data.data).read_all().to_pylist()
    series = {}
    for row in rows:
        series.setdefault(row["series"], []).append(row["y" if "y" in row else "value"])
    return series


def set_number(at, key, value):
    at.number_input(key=key).set_value(value).run()
    assert not at.exception, at.exception
    return at


def complaint(at):
    [error] = at.error
    signs = {f"&#{ord(sign)};": sign for sign in "()_.,=:|-+;"}
    text = error.value
    for code, sign in signs.items():
        text = text.replace(code, sign)
    return text


def table(n_positions, d_model, base=10_000.0):
    return np.stack([formula(position, d_model, base) for position in range(n_positions)])


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_from_its_link_on_something_to_see(open_positions, learned_run, view):
    at = open_positions(view)
    assert at.segmented_control(key="positions").value == view
    assert not at.error
    assert at.get("vega_lite_chart") or at.get("bidi_component") or at.table
    assert [expander.label for expander in at.expander] == [
        "Formula",
        "What to try",
        "Code that computes it",
    ]


def test_waves_are_the_formula_with_their_wavelengths(open_positions):
    found = charted(open_positions("waves", model="translate"))
    expected = table(50, 128)
    # λ = 2π 10000^(d / 128)
    names = {0: "6.28", 8: "11.2", 16: "19.9", 24: "35.3"}
    assert list(found) == [f"dimension {d}, λ {length}" for d, length in names.items()]
    for values, dimension in zip(found.values(), names, strict=True):
        assert values == pytest.approx(expected[:, dimension].tolist(), abs=1e-12)


def test_every_control_of_the_waves_changes_them(open_positions):
    at = open_positions("waves", model="copy")
    for key, value in {
        "pe_d_model": 16,
        "pe_length": 30,
        "pe_first": 3,
        "pe_every": 5,
        "pe_curves": 2,
    }.items():
        set_number(at, key, value)
    at.selectbox(key="pe_base").set_value(100).run()
    expected = table(30, 16, 100)
    assert list(charted(at).values()) == [
        pytest.approx(expected[:, d].tolist(), abs=1e-12) for d in (3, 8)
    ]


def test_a_link_brings_its_settings(open_positions):
    at = open_positions("waves", pe_d_model="8", pe_length="5", pe_base="10", pe_every="7")
    assert list(charted(at).values()) == [
        pytest.approx(table(5, 8, 10)[:, d].tolist(), abs=1e-12) for d in (0, 7)
    ]


def test_a_chart_stays_small_and_says_so(open_positions):
    at = open_positions("waves", pe_length="512", pe_curves="8", pe_every="2")
    assert sum(len(values) for values in charted(at).values()) <= 2000
    assert "The first 225 positions are drawn" in said(at)


@pytest.mark.parametrize("size", [("7", "20"), ("512", "512")])
def test_the_map_is_the_whole_table(open_positions, size):
    width, length = ("8", "20") if size[0] == "7" else size
    [panel] = panels(open_positions("map", pe_d_model=width, pe_length=length))
    expected = table(int(length), int(width)).astype(np.float32)
    assert np.abs(panel.values - expected).max() < 1e-6
    assert (panel.scale, panel.limit) == ("signed", 1.0)


@pytest.mark.parametrize("view", ["waves", "map", "dots", "rotation", "check"])
@pytest.mark.parametrize(
    ("width", "reason"),
    [(7, "sinusoids come in pairs"), (0, "the smallest width is 2"), (-2, "smallest width is 2")],
)
def test_a_width_that_cannot_be_is_refused_and_nothing_is_lost(open_positions, view, width, reason):
    at = open_positions(view, pe_base="100")
    set_number(at, "pe_d_model", width)
    assert reason in complaint(at)
    assert at.number_input(key="pe_d_model").value == width
    assert at.text_input(key="sentence").value == TIRED
    set_number(at, "pe_d_model", 8)
    assert not at.error
    assert at.selectbox(key="pe_base").value == 100


@pytest.mark.parametrize("view", ["waves", "map", "dots", "rotation", "learned"])
@pytest.mark.parametrize("length", [0, 513, -1])
def test_a_length_that_cannot_be_is_refused(open_positions, learned_run, view, length):
    assert f"length is {length}" in complaint(set_number(open_positions(view), "pe_length", length))


def test_dot_products_are_symmetric_and_their_diagonals_constant(open_positions):
    at = open_positions("dots", pe_d_model="32", pe_length="40", pe_pos="12")
    expected = table(40, 32) @ table(40, 32).T
    [values] = charted(at).values()
    assert values == pytest.approx(expected[12].tolist(), abs=1e-10)
    [panel] = panels(at)
    assert np.abs(panel.values - expected).max() < 1e-4
    assert panel.limit == 16
    measured = said(at)
    assert "Largest |PE(p)·PE(p + k) − PE(p)·PE(p − k)|: " in measured
    assert float(measured.split("− k)|: ")[1].split(". ")[0]) < 1e-12
    assert float(measured.split("of the map: ")[1].split()[0].rstrip(".")) < 1e-12


def test_a_position_outside_the_table_is_refused(open_positions):
    at = set_number(open_positions("dots"), "pe_pos", 50)
    assert "position is 50: a table of length 50 has 0 to 49" in complaint(at)
    assert "neighbours on one side only" in said(set_number(at, "pe_pos", 0))


@pytest.mark.parametrize("shift", [5, -5, 0, 300])
def test_the_rotation_takes_a_position_k_places_on(open_positions, shift):
    at = open_positions("rotation", pe_d_model="16", pe_k=str(shift), pe_pos="7")
    matrix, vectors = panels(at)
    before, after, wanted = vectors.values.astype(np.float64).T
    assert matrix.values @ formula(7, 16) == pytest.approx(formula(7 + shift, 16), abs=1e-6)
    assert before == pytest.approx(formula(7, 16), abs=1e-6)
    assert after == pytest.approx(formula(7 + shift, 16), abs=1e-6)
    assert wanted == pytest.approx(formula(7 + shift, 16), abs=1e-6)
    assert float(said(at).split("positions: ")[1].split()[0].rstrip(".")) < 1e-10
    assert ("beyond the table (0 to 49)" in said(at)) == (shift != 0)


def test_only_some_dimensions_of_a_wide_rotation_are_shown(open_positions):
    at = open_positions("rotation", model="translate")
    assert panels(at)[0].values.shape == (16, 16)
    assert "Dimensions 0 to 15 are shown." in said(at)
    assert panels(set_number(at, "pe_shown", 9999))[0].values.shape == (128, 128)
    assert panels(set_number(at, "pe_shown", 0))[0].values.shape == (2, 2)


def test_a_shift_too_far_is_refused(open_positions):
    at = set_number(open_positions("rotation"), "pe_k", 10**9)
    assert "k is 1000000000: at most 1000000 to either side" in complaint(at)


def test_the_check_value_agrees_with_its_printed_digits(open_positions):
    at = open_positions("check")
    assert "8 of 8 agree with the printed digits" in said(at)
    printed = at.table[0].value
    assert printed["value"].tolist() == [f"{value:.6f}" for value in formula(2, 8)]
    expected = "0.9093, −0.4161, 0.1987, 0.9801, 0.0200, 0.9998, 0.0020, 0.999998"
    assert printed["printed"].tolist() == expected.split(", ")


def test_any_position_can_be_checked(open_positions):
    at = open_positions("check", pe_d_model="6", pe_pos="123456", pe_base="10")
    found = at.table[1].value
    assert found["value"].tolist() == [f"{value:.6f}" for value in formula(123456, 6, 10)]
    assert found["formula"][3] == "cos(123456 / 10^(2/6))"
    assert "position is -1" in complaint(set_number(at, "pe_pos", -1))


@pytest.mark.parametrize(("first", "listed"), [(0, 0), (40, 40), (127, 120), (999, 120), (-3, 0)])
def test_eight_dimensions_are_listed_from_any_of_them_on(open_positions, first, listed):
    at = open_positions("check", pe_d_model="128", pe_first=str(first))
    assert at.table[1].value["dimension"].tolist() == [str(listed + i) for i in range(8)]


def test_learned_positions_stand_beside_sinusoids_of_their_width(open_positions, learned_run):
    at = open_positions("learned", model="translate")
    learned, sinusoids = panels(at)
    own = load_run(learned_run).model.source_embedding.positions_PD.detach().numpy()
    assert np.array_equal(learned.values, own[:50])
    assert np.abs(sinusoids.values - table(50, 64)).max() < 1e-6
    assert learned.title == "Learned by copy-learned"
    curves = charted(at)
    for name, vectors in {"learned": own[:50].astype(float), "sinusoids": table(50, 64)}.items():
        unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
        assert curves[name] == pytest.approx((unit @ unit[8]).tolist(), abs=1e-9)
    assert "Training reached positions 0 to 16 of 512" in said(at)
    assert "The chosen model has sinusoids" in said(at)
    assert "position is 50" in complaint(set_number(at, "pe_learned_pos", 50))


def test_the_chosen_run_is_shown_where_it_learned_its_positions(open_positions, learned_run):
    at = open_positions("learned", model="mine")
    assert "The chosen model has sinusoids" not in said(at)


def test_without_a_run_that_learned_positions_the_command_is_named(open_page, monkeypatch):
    paths = {"copy": ROOT / "gallery" / "copy"}
    monkeypatch.setattr(cached, "run_paths", lambda: paths)
    at = open_page("positions", positions="learned")
    assert at.code[0].value == (
        "python -m core train runs/learned --task copy --preset tiny --positions learned"
    )


def test_a_damaged_run_is_passed_over_for_the_next(open_positions, tmp_path, monkeypatch):
    damaged, whole = (with_learned_positions(tmp_path / name, 17) for name in ("bad", "good"))
    [weights] = (damaged / "checkpoints").glob("*.safetensors")
    weights.write_bytes(b"nothing")
    paths = {"copy": ROOT / "gallery" / "copy", "bad": damaged}
    monkeypatch.setattr(cached, "run_paths", lambda: paths)
    assert "No run here has learned" in said(open_positions("learned", model="copy"))
    monkeypatch.setattr(cached, "run_paths", lambda: paths | {"good": whole})
    at = open_positions("learned", model="copy")
    assert panels(at)[0].title == "Learned by good"


def test_a_table_that_nothing_was_learned_in_is_said_to_be_as_it_began(
    open_positions, only_learned
):
    only_learned(trained=0)
    written = said(open_positions("learned", model="mine"))
    assert "No position has changed since training began" in written
    assert "nan" not in written
    assert "to -1" not in written


@pytest.mark.parametrize("width", [7, 1])
def test_learned_positions_of_an_odd_width_stand_alone(open_positions, only_learned, width):
    only_learned(d_model=width)
    at = open_positions("learned", model="mine")
    assert not at.error
    [panel] = panels(at)
    assert panel.values.shape == (50, width)
    assert list(charted(at)) == ["learned"]
    assert f"d_model is {width}" in said(at).replace("&#95;", "_")
    assert "length is 0" in complaint(set_number(at, "pe_length", 0))


@pytest.mark.parametrize(("width", "offered"), [(7, 8), (1, 2), (1025, 1024), (1030, 1024)])
def test_every_model_opens_the_views_of_sinusoids(open_positions, only_learned, width, offered):
    only_learned(d_model=width)
    at = open_positions("check", model="mine")
    assert at.number_input(key="pe_d_model").value == offered
    assert not at.error


def test_a_table_that_ends_before_the_length_says_so(open_positions, only_learned):
    only_learned(max_positions=30)
    at = open_positions("learned", model="mine")
    assert panels(at)[0].values.shape[0] == 30
    assert "has 30 positions" in said(at)
    assert "has 30 positions" not in said(set_number(at, "pe_length", 30))


def test_a_short_table_opens_on_a_position_that_it_has(open_positions, only_learned):
    only_learned(trained=3, max_positions=5)
    at = open_positions("learned", model="mine", sentence="a b")
    assert not at.error
    assert at.number_input(key="pe_learned_pos").value == 4


@pytest.mark.parametrize(("name", "claimed"), [("copy", True), ("mine", False)])
def test_only_of_sinusoids_the_norm_is_claimed_by_a_formula(
    open_positions, only_learned, name, claimed
):
    only_learned()
    at = open_positions("norms", model=name)
    [formula] = unfold(at, "formula").expander[0].latex
    assert ("\\tfrac{d_{model}}{2}" in formula.value) == claimed
    assert ("P_p" in formula.value) != claimed


def test_shuffled_words_only_permute_outputs_without_positions(open_positions):
    at = open_positions("shuffle", model="translate")
    without, with_positions = panels(at)
    order = [label.text for label in without.columns.labels]
    rows = [label.text for label in without.rows.labels]
    assert order[-1] == rows[-1] == "EOS"
    assert sorted(order) == sorted(rows) and order != rows
    same = np.array([[row == column for column in order] for row in rows])
    assert (without.values > 1 - 1e-5).tolist() == same.tolist()
    assert (with_positions.values[same] < 0.99).any()
    assert float(said(at).split("undone: ")[1].split()[0]) < 1e-4


def test_shuffling_again_gives_another_order(open_positions):
    at = open_positions("shuffle", pe_seed="4")
    before = panels(at)[0].columns.labels
    set_number(at, "pe_seed", 5)
    assert panels(at)[0].columns.labels != before
    assert panels(set_number(at, "pe_seed", 4))[0].columns.labels == before
    assert not set_number(at, "pe_seed", -1).exception


def test_one_word_cannot_be_shuffled_and_says_so(open_positions):
    assert "nothing to shuffle" in said(open_positions("shuffle", sentence="animal"))


def test_norms_are_those_of_the_loaded_model(open_positions):
    at = open_positions("norms", model="translate")
    run = load_run(ROOT / "gallery" / "translate")
    ids = [*run.tokenizer.encode(TIRED).ids, 2]
    vectors = run.model.source_embedding.tokens.weight.detach().double()[ids]
    plain = np.linalg.norm(vectors.numpy(), axis=1)
    found = charted(at)
    assert found["token"] == pytest.approx(plain.tolist(), rel=1e-5)
    assert found["token × √d_model"] == pytest.approx((plain * 128**0.5).tolist(), rel=1e-5)
    assert found["position"] == pytest.approx([8.0] * len(ids), rel=1e-5)
    assert f"token {plain.mean():.3g}" in said(at)
    assert f"{8 / plain.mean():.3g} times as long as the token" in said(at)


def test_the_file_of_norms_holds_texts_and_numbers_as_they_are(open_positions, monkeypatch):
    taken = {}
    monkeypatch.setattr(lesson, "numbers", lambda name, columns: taken.update({name: columns}))
    found = charted(open_positions("norms", model="copy", sentence="a * b"))
    [columns] = taken.values()
    assert list(taken) == ["position_norms"]
    tokens = load_run(ROOT / "gallery" / "copy").tokenizer
    texts = [token.text for token in tokens.describe([*tokens.encode("a * b").ids, 2])]
    assert list(columns["place"]) == list(range(len(texts)))
    assert list(columns["text"]) == texts
    assert columns["position"] == found["position"]


def test_of_a_long_sentence_any_part_can_be_drawn(open_positions):
    at = open_positions("norms", model="copy", sentence=" ".join("abcdefghij" * 2))
    assert len(charted(at)["token"]) == 14
    first = charted(at)["token"]
    assert charted(set_number(at, "pe_token", 5))["token"][:9] == first[5:]
    assert len(charted(set_number(at, "pe_token", 999))["token"]) == 14


@pytest.mark.parametrize("view", ["shuffle", "norms", "learned"])
def test_500_words_are_shown_as_far_as_the_model_reads(open_positions, view):
    at = open_positions(view, model="copy", sentence="a b " * 250)
    assert not at.exception


def test_the_width_follows_the_model(open_positions):
    at = open_positions("map", model="translate")
    assert at.number_input(key="pe_d_model").value == 128
    at.selectbox(key="model").set_value("copy").run()
    assert at.number_input(key="pe_d_model").value == 64


def _one_of_two_pages():
    import streamlit as st

    from pages import positions, scaling
    from pages.frame import address

    name = st.session_state["page"]
    address.enter(name)
    {"positions": positions, "scaling": scaling}[name].render()


def test_the_width_follows_a_model_that_was_chosen_on_another_page():
    at = AppTest.from_function(_one_of_two_pages, default_timeout=60)

    def go(page, **query_params):
        at.query_params.clear()
        at.query_params.update(query_params)
        at.session_state["page"] = page
        at.run()
        assert not at.exception, at.exception

    go("positions", positions="map", model="translate")
    set_number(at, "pe_d_model", 16)
    go("scaling")
    assert at.selectbox(key="model").value == "translate"
    go("positions", positions="map")
    assert at.number_input(key="pe_d_model").value == 16
    go("scaling")
    at.selectbox(key="model").set_value("copy").run()
    go("positions", positions="map")
    assert at.selectbox(key="model").value == "copy"
    assert at.number_input(key="pe_d_model").value == 64


def test_settings_are_kept_from_view_to_view(open_positions):
    at = open_positions("map")
    set_number(at, "pe_length", 33)
    at.segmented_control(key="positions").set_value("dots").run()
    assert at.number_input(key="pe_length").value == 33
    at.segmented_control(key="positions").set_value("norms").run()
    at.segmented_control(key="positions").set_value("map").run()
    assert panels(at)[0].values.shape[0] == 33


def test_a_chart_says_its_axes(open_positions):
    [chart] = open_positions("dots").get("vega_lite_chart")
    spec = json.dumps(json.loads(chart.proto.spec))
    assert "position q" in spec
    assert "PE(20)" in spec
