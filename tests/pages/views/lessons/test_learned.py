import numpy as np
import pytest

from core.runs.run import load_run
from tests.core.studies.lessons.test_positions import with_learned_positions
from tests.pages.conftest import ROOT, said
from tests.pages.views.lessons.conftest import charts, panels, set_number
from tests.pages.views.lessons.test_positions import complaint, table


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
    at, shown = open_lesson("learned", model="translate")
    learned, sinusoids = panels(at)
    own = run.model.source_embedding.positions_PD.detach().numpy()
    # Training reached 17 positions: three more are shown.
    assert np.array_equal(learned.values, own[:20])
    assert np.abs(sinusoids.values - table(20, 64)).max() < 1e-6
    assert learned.title == "Learned by mine; from row 17 on never trained"
    for name, vectors in {"learned": own[:20].astype(float), "sinusoids": table(20, 64)}.items():
        unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
        assert charts(at)[0][name] == pytest.approx((unit @ unit[8]).tolist(), abs=1e-9)
    assert "Training reached positions 0 to 16 of 512" in said(at)
    assert "**mine** is shown: the chosen model has no learned vectors" in shown.other_model
    assert "position is 20" in complaint(set_number(at, "pe_learned_pos", 20))
    assert "length is 0" in complaint(set_number(at, "pe_length", 0))
    assert not open_lesson("learned", model="mine")[1].other_model


def test_the_line_names_the_position_that_looks_most_alike(open_lesson, only_learned):
    table_PD = (
        load_run(only_learned()).model.source_embedding.positions_PD.detach().double().numpy()
    )
    at, shown = open_lesson("learned", model="mine", pe_learned_pos="5")
    unit = table_PD / np.linalg.norm(table_PD, axis=1, keepdims=True)
    cosines = (unit @ unit[5])[: len(panels(at)[0].rows.labels)]
    cosines[5] = -2
    most = int(cosines.argmax())
    # That is no neighbour of it, so that training has not found neighbours.
    assert most not in (4, 6)
    wanted = f"position 5 looks most like position **{most}**, cosine **{cosines[most]:.2f}**"
    assert wanted in shown.seen.replace("−", "-")


def test_without_a_run_that_learned_positions_the_command_is_named(
    open_lesson, elsewhere, tmp_path
):
    damaged = with_learned_positions(tmp_path / "bad", 17)
    [weights] = (damaged / "checkpoints").glob("*.safetensors")
    weights.write_bytes(b"nothing")
    elsewhere("run_paths", lambda: {"copy": ROOT / "gallery" / "copy", "bad": damaged})
    at, shown = open_lesson("learned", model="copy")
    assert shown is None
    assert at.code[0].value == (
        "python -m core train runs/learned --task copy --preset tiny --positions learned"
    )


def test_a_table_that_nothing_was_learned_in_is_said_to_be_as_it_began(open_lesson, only_learned):
    only_learned(trained=0)
    at, _shown = open_lesson("learned", model="mine")
    assert "No position has changed since training began" in said(at)
    assert "nan" not in said(at)


def test_learned_positions_of_an_odd_width_stand_alone(open_lesson, only_learned):
    only_learned(d_model=7)
    at, _shown = open_lesson("learned", model="mine")
    [panel] = panels(at)
    assert panel.values.shape == (20, 7)
    assert list(charts(at)[0]) == ["learned"]
    assert "Sinusoids need an even width." in said(at)


def test_a_short_table_ends_where_it_ends(open_lesson, only_learned):
    only_learned(trained=3, max_positions=5)
    at, _shown = open_lesson("learned", model="mine", sentence="a b", pe_length="50")
    assert at.number_input(key="pe_learned_pos").value == 4
    assert panels(at)[0].values.shape[0] == 5
    assert "has 5 positions" in said(at)
