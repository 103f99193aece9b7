import pytest

from core.studies.heads.question import Role
from core.studies.heads.text_roles import text_roles
from pages.frame import notes
from pages.frame.language import percent
from pages.views.heads.roles_text import MEANINGS
from tests.pages.conftest import component, said, send_from
from tests.viz.unpacked import unpack_matrices as unpack

USUAL = {"bert": Role.PREVIOUS, "gpt2": Role.INDUCTION, "t5": Role.INDUCTION}


def shown(at):
    return unpack(component(at, "matrices").bytes)


def test_it_opens_on_the_head_with_the_largest_share_and_says_the_baseline(
    open_text_roles, opened_run, opened_kind
):
    at = open_text_roles()
    role, found = USUAL[opened_kind], text_roles(opened_run, "random")
    [best] = found.best(role)
    score = found.scores[role][best]
    assert (
        f"**{notes.site_and_head(best)}** gives **{percent(score.value)}** of its weight to "
        f"{MEANINGS[role]} (an even row: {percent(score.baseline)})"
    ).replace("\u00a0", " ") in said(at).replace("\u00a0", " ")
    maps = shown(at)
    panel, layer, index = maps.selected
    assert maps.panels[panel].values[layer, index] == pytest.approx(score.value)
    assert (layer, index) == (best.layer, best.index)


@pytest.mark.parametrize("role", [Role.FIRST, Role.DUPLICATE])
def test_a_map_is_the_mean_weight_on_the_keys_of_its_role(open_text_roles, opened_run, role):
    at = open_text_roles(text_role=str(role))
    found = text_roles(opened_run, "random").scores[role]
    values = [each for panel in shown(at).panels for each in panel.values.reshape(-1).tolist()]
    assert values == pytest.approx([found[head].value for head in sorted(found)], abs=1e-6)


def test_a_click_chooses_a_head_and_shows_one_of_its_rows(open_text_roles):
    at = open_text_roles()
    send_from(at, component(at, "matrices"), "pick", {"panel": 0, "row": 0, "column": 1})
    assert shown(at).selected == (0, 0, 1)
    assert "".join(at.query_params["text_head"]).endswith(".0.self:1")
    assert "**One of its rows** gives" in said(at)
