import pytest
import torch

from core.decoding.generate import decode_steps
from core.inspection import inspect_sentence
from core.studies.forward_pass import N_BEST, forward_pass

TIRED = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def found(everyday):
    return forward_pass(everyday, inspect_sentence(everyday, TIRED))


def test_what_it_writes_is_what_decoding_step_by_step_found(everyday, found):
    source_ids = found.inspection.translation.source_ids
    steps = list(decode_steps(everyday.model, torch.tensor(source_ids)))
    assert found.best.ids_TN[:, 0].tolist() == [step.chosen for step in steps]
    for row, step in enumerate(steps):
        best = step.probabilities[step.most_probable(N_BEST)]
        assert found.best.probabilities_TN[row] == pytest.approx(best.numpy(), abs=1e-5)


def test_a_forced_pass_has_the_probability_of_each_true_word(everyday):
    reference = "L'animal n'a pas traversé la rue parce qu'il était trop large."
    forced = forward_pass(everyday, inspect_sentence(everyday, TIRED, reference))
    translation = forced.inspection.translation
    logits_BTV = everyday.model(
        torch.tensor([translation.source_ids]), torch.tensor([translation.fed_ids])
    )
    true_ids = torch.tensor([*translation.target_ids, everyday.model.config.eos_ids[0]])
    chances_TV = logits_BTV[0].double().softmax(dim=-1)
    expected = chances_TV.gather(1, true_ids[:, None])[:, 0].detach().numpy()
    # The model leaves out tokens that it never writes; here they have next to nothing.
    assert forced.best.next_probabilities == pytest.approx(expected, abs=1e-3)
    assert forced.best.next_probabilities.min() < 0.1


def test_its_table_has_a_row_for_each_sublayer_and_position(found):
    table = found.table()
    assert {len(column) for column in table.values()} == {3 * 2 * 14 + 2 * 3 * 16}
    at = table["sublayer"].index("encoder.2.self") + 8
    head = found.inspection.attention[found.sublayers[4][0]].weights_HQK
    assert table["position"][at] == 8
    assert table["largest_weight"][at] == pytest.approx(float(head[:, 8].max()))
