"""Attribution of models that learned elsewhere, held to what `transformers` makes of the same."""

import pytest
import torch

from core.decoding.sentence import translate
from core.runs.run import load_run
from core.studies.attribution.gradients import Prediction, gradient_times_input
from core.studies.attribution.leaving_out import leave_one_out
from core.studies.opening.opening import open_model
from tests.core.library.folders import write_folder

ALONE, BOTH = ("gpt2", "llama"), ("t5", "marian")
TEXT = "The animal did not cross the street."


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(kind, marks=() if kind in ("gpt2", "marian") else pytest.mark.slow)
        for kind in (*ALONE, *BOTH)
    ],
)
def opened(request, tmp_path_factory):
    """A model of `transformers`, the run that it became, and a word in the middle of its text."""
    folder = tmp_path_factory.mktemp("opened") / "model"
    theirs = write_folder(folder, request.param).eval()
    list(open_model(str(folder), folder.with_name("run")))
    run = load_run(folder.with_name("run"))
    found = translate(run, TEXT)
    step = max(found.n_given, 3)
    target = Prediction(
        found.source_ids, (found.first, *found.target_ids[:step]), found.target_ids[step]
    )
    return theirs, run, target


def theirs_log_p(theirs, run, target, hidden):
    """Return a word's log-probability in the other library, with one token out of sight."""
    asked = torch.tensor([target.asked_ids])
    mask = torch.ones_like(asked)
    if hidden is not None:
        mask[0, hidden] = 0
    given = {"input_ids": asked, "attention_mask": mask}
    if target.source_ids:
        given["decoder_input_ids"] = torch.tensor([target.fed_ids])
    else:
        given["position_ids"] = torch.arange(asked.shape[1])[None]
    with torch.no_grad():
        logits_V = theirs(**given).logits[0, -1].double()
    never = list(run.model.config.never_said)
    logits_V[never] = -torch.inf
    return float(logits_V.log_softmax(-1)[target.token])


@pytest.mark.slow
def test_what_is_lost_without_a_token_is_what_transformers_loses(opened):
    theirs, run, target = opened
    whole = theirs_log_p(theirs, run, target, None)
    # In the other library, too, a row that sees nothing has no meaning: the first of a decoder.
    first = 0 if target.source_ids else 1
    expected = [
        whole - theirs_log_p(theirs, run, target, at) for at in range(first, len(target.asked_ids))
    ]
    assert leave_one_out(run.model, target)[first:] == pytest.approx(expected, abs=3e-4)


def test_gradient_times_input_is_that_of_transformers(opened):
    theirs, run, target = opened
    ids = torch.tensor([target.asked_ids])
    # Marian scales what it looks up, and not what it is given.
    scale = getattr(theirs.get_encoder(), "embed_scale", 1.0) if target.source_ids else 1.0
    vectors = (theirs.get_input_embeddings()(ids) * scale).detach().requires_grad_()
    given = {"inputs_embeds": vectors}
    if target.source_ids:
        given["decoder_input_ids"] = torch.tensor([target.fed_ids])
    logits_V = theirs(**given).logits[0, -1]
    never = torch.zeros_like(logits_V, dtype=torch.bool)
    never[list(run.model.config.never_said)] = True
    logits_V.masked_fill(never, -torch.inf).log_softmax(-1)[target.token].backward()
    expected = (vectors.grad * vectors)[0].sum(-1).detach().numpy()
    assert gradient_times_input(run.model, target) == pytest.approx(expected, abs=3e-4)
