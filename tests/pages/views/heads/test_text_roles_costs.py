from core.studies.effects.text_cost import text_costs
from core.studies.heads.antecedent import antecedent_of
from core.studies.heads.question import Role
from core.studies.heads.text_roles import text_roles
from pages.frame.files import stacked
from pages.frame.language import number, percent
from tests.pages.conftest import said
from tests.pages.views.heads.conftest import assert_computed_again


def test_what_silencing_costs_is_said_on_request(open_text_roles, opened_run, opened_kind):
    assert "induction head, −log p" not in said(open_text_roles())
    at = open_text_roles(text_costs="true")
    costs = text_costs(opened_run, "random", Role.INDUCTION).of
    assert bool(costs) == (opened_kind == "gpt2")
    for cost in costs.values():
        assert f"to **{number(cost.silenced.after, 2)}** nats" in said(at)
    if antecedent := antecedent_of(opened_run):
        assert f"**{percent(antecedent.share)}** of {antecedent.n} sentences" in said(at)


def test_what_is_taken_away_can_be_computed_again(
    open_text_roles, opened_run, handed_over, opened_folder
):
    at = open_text_roles(text_costs="true")
    costs = text_costs(opened_run, "random", Role.INDUCTION)
    columns = stacked(text_roles(opened_run, "random").table(), costs.table())
    assert handed_over[-1].columns() == columns
    assert_computed_again(at, handed_over[-1], "value", root=opened_folder.parent)
