"""Embedding, positions, learned positions, shuffle."""

import json

import numpy as np
import pytest

from core.runs.run import load_run
from core.studies.lessons.positions import shuffled
from pages.frame.language import percent
from tests.core.studies.lessons.test_positions import formula, with_learned_positions
from tests.pages.conftest import ROOT, chart_rows, said, send
from tests.pages.views.lessons.conftest import TIRED, charts, panels, texts

PETS = "The dog slept because the cat was tired."


def test_a_click_on_a_row_names_what_its_token_is_most_similar_to(open_lesson, run):
    at, _shown = open_lesson("embedding", sentence=PETS)
    [learned] = panels(at)
    names = [label.text for label in learned.rows.labels]
    # Each token once: "The" and "the" are two of them.
    assert len(set(names)) == len(names)
    ids = list(run.tokenizer.encode(PETS).ids)
    table = run.model.source_embedding.tokens.weight.detach().double().numpy()
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    wanted = unit[ids] @ unit[ids].T
    np.testing.assert_allclose(learned.values[: len(ids), : len(ids)], wanted, atol=1e-6)
    # A token beside itself says nothing, and has no cell.
    assert np.array_equal(learned.visible, ~np.eye(len(names), dtype=bool))
    between = learned.values[learned.visible]
    assert learned.limit == pytest.approx(np.abs(between).max(), abs=0.01)
    # Here some point apart, in other models none does: then one hue is enough.
    assert learned.scale == "signed"
    send(at, "pick", {"panel": 0, "row": 1, "column": 0})
    cosines = unit @ unit[ids[1]]
    words = [token.text.casefold() for token in run.tokenizer.describe(range(len(unit)))]
    cosines[[word == "dog" for word in words]] = -2
    [bars] = charts(at)
    assert bars["cosine"] == pytest.approx(np.sort(cosines)[::-1][:8].tolist(), rel=1e-5)
    [best] = run.tokenizer.describe([int(cosines.argmax())])
    assert f"Most similar to “dog” are **{best.text}** ({cosines.max():.2f}), " in said(at)


def test_it_opens_on_a_word_whose_neighbours_are_used_alike(open_lesson):
    at, shown = open_lesson("embedding", model="everyday", sentence=TIRED)
    assert "“animal” are **donkey** (0.57), **bird** (0.56), **uncle** (0.52), by" in shown.seen
    assert panels(at)[0].scale == "weight"
    # The same word in other capitals would be no finding.
    at, _shown = open_lesson("embedding", model="everyday", sentence=TIRED, vectors_position="2")
    assert "“did”" in said(at) and "Did" not in [row["name"] for row in chart_rows(at)]


def figure(at):
    return json.loads(at.get("plotly_chart")[0].proto.spec)


def test_a_link_names_the_neighbours_of_the_selected_words_and_leaves_the_figure(open_lesson, run):
    query = {"embedding_shown": "points", "sentence": PETS, "vectors_position": "1"}
    # What is no token is left out.
    at, shown = open_lesson("embedding", words="x,-1,9000000", **query)
    assert "Most similar to “dog” in the whole vocabulary" in said(at)
    vectors_VD = run.model.source_embedding.tokens.weight.detach().double().numpy()
    variance_D = np.linalg.eigvalsh(np.cov(vectors_VD.T))[::-1]
    assert (
        f"only {percent(variance_D[:2].sum() / variance_D.sum())} of the differences" in shown.seen
    )
    # Streamlit draws another figure in the place of one that has changed: the selection would go.
    before = figure(at)
    cat, street = (run.tokenizer.encode(word).ids[0] for word in ("cat", "street"))
    at, _shown = open_lesson("embedding", words=f"{cat},{street}", **query)
    assert figure(at) == before
    for word in ("dog", "cat", "street"):
        assert f"Most similar to “{word}”" in said(at)


@pytest.fixture
def open_positions(open_lesson):
    return lambda shown="waves", **query: open_lesson("positions", positions_shown=shown, **query)


def table(n_positions, d_model, base=10_000.0):
    return np.stack([formula(position, d_model, base) for position in range(n_positions)])


def test_waves_are_the_formula_and_the_line_reads_them_at_a_position(open_positions):
    at, shown = open_positions(model="translate", pe_pos="7")
    [found] = charts(at)
    # λ = 2π 10000^(d / 128)
    names = {0: "6.28", 10: "12.9", 20: "26.5", 30: "54.4"}
    assert list(found) == [f"dimension {d}: λ = {length}" for d, length in names.items()]
    for values, dimension in zip(found.values(), names, strict=True):
        assert values == pytest.approx(table(50, 128)[:, dimension].tolist(), abs=1e-12)
    read = ", ".join(f"{table(50, 128)[7, dimension]:.2f}" for dimension in names)
    there = f"position **7** (dashed line) the dimensions drawn, of 128, are {read}."
    assert there in shown.seen.replace("−", "-")
    assert "**No other position** has the same values" in shown.seen


def test_binary_digits_stand_beside_the_sinusoids_of_the_model(open_positions):
    at, shown = open_positions("binary", model="translate", pe_length="5")
    digits, sines = panels(at)
    written = ["".join(map(str, row[::-1])) for row in digits.values.astype(int)]
    assert written == [f"{position:04b}" for position in range(16)]
    assert texts(sines.columns) == ["0", "10", "20", "30"]
    np.testing.assert_allclose(sines.values, table(16, 128)[:, [0, 10, 20, 30]], atol=1e-6)
    assert "that of 8 at every eighth; dimension 0 repeats after **6.28** positions" in shown.seen


@pytest.fixture
def only_learned(tmp_path, elsewhere):
    """Return a function that makes the only run there is whose positions were learned."""

    def make(trained=17, **settings):
        run = with_learned_positions(tmp_path / "mine", trained, **settings)
        paths = {name: ROOT / "gallery" / name for name in ("translate", "copy")}
        elsewhere("run_paths", lambda: paths | {"mine": run})
        return run

    return make


def test_learned_positions_stand_beside_sinusoids_of_their_width(open_lesson, only_learned):
    run = load_run(only_learned())
    at, shown = open_lesson("learned", model="translate", pe_learned_pos="5")
    own = run.model.source_embedding.positions_PD.detach().numpy()
    # Training reached 17 positions: three more are shown.
    for name, vectors in {"learned": own[:20].astype(float), "sinusoids": table(20, 64)}.items():
        unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
        assert charts(at)[0][name] == pytest.approx((unit @ unit[5]).tolist(), abs=1e-9)
    cosines = np.array(charts(at)[0]["learned"])
    cosines[5] = -2
    most = int(cosines.argmax())
    # That is no neighbour of it, so that training has not found neighbours.
    assert most not in (4, 6)
    assert f"Position 5 is most like position **{most}** (cosine **" in shown.seen
    assert "Training reached positions 0 to 16 of 512" in said(at)
    assert "**mine**, a run that learned its positions, not translate" in shown.other_model
    assert not open_lesson("learned", model="mine")[1].other_model


def order(at):
    [found] = [each.value for each in at.markdown if each.value.startswith("Shuffled: ")]
    return found


def test_shuffled_words_come_out_the_same_without_positions_alone(open_lesson):
    at, shown = open_lesson("shuffle", model="translate", sentence=TIRED)
    found = shuffled(load_run(ROOT / "gallery" / "translate"), TIRED, 0)
    [cosines] = charts(at)
    assert cosines["without positions"] == pytest.approx([1] * len(found.tokens), abs=1e-5)
    least = int(np.argmin(cosines["with positions"]))
    assert "Without positions, the encoder cannot tell the two orders apart" in shown.seen
    changes = f"the output of “{found.tokens[least].text}” changes most: similarity (cosine) **"
    assert changes + f"{min(cosines['with positions']):.2f}**" in shown.seen
    before = order(at)
    at.button(key="shuffle_again").click().run()
    assert order(at) != before
    assert sorted(order(at).split()) == sorted(before.split())
    assert at.query_params["pe_seed"] == "1"


def test_words_that_are_not_shuffled_yet_all_come_out_the_same(open_lesson):
    at, shown = open_lesson("shuffle", model="translate", sentence=TIRED, pe_seed="-1")
    for cosines in charts(at)[0].values():
        assert cosines == pytest.approx([1] * len(cosines), abs=1e-5)
    # A full bar keeps its length when others get shorter.
    assert '"domain": [0.0, 1.0]' in at.get("vega_lite_chart")[0].proto.spec
    assert "changes most" not in shown.seen and "tell the two orders apart" not in shown.seen
    at.button(key="shuffle_again").click().run()
    assert order(at)
    assert min(charts(at)[0]["with positions"]) < 0.99


def test_pieces_cut_a_typed_word_merge_by_merge(open_lesson):
    at, shown = open_lesson(
        "embedding", model="everyday", embedding_shown="pieces", piece_word="singing"
    )
    rows = at.table[0].value
    assert rows["merge, by its rank in training"].tolist() == ["", "11", "31", "100", "1,451"]
    assert rows.iloc[-1, 2] == "␣sing·ing"
    assert "learned, **4** apply to “singing”. Its tokens" in shown.seen
    assert "sing (1,709), ing (358)" in shown.seen
    at.text_input(key="piece_word").set_value("早上好").run()
    assert "No merge applies to “早上好”. Its tokens, with their ids: ‹E6› (165), " in said(at)
