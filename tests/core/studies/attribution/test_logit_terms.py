"""A written word's logit, and its lead over the runner-up, as sums."""

import pytest
import torch

from core.batch import one_row
from core.heads import Head
from core.inspection import inspect_sentence
from core.studies.attribution.logit_terms import logit_terms
from core.studies.attribution.study import written_ids


def test_what_is_added_sums_to_the_logit_and_to_its_lead_over_the_runner_up(copy_run):
    inspection = inspect_sentence(copy_run, "ab cd ef")
    *before, _last = written_ids(copy_run, inspection)
    fed = (inspection.translation.first, *before)
    with torch.no_grad():
        source = one_row(inspection.translation.source_ids)
        logits_V = copy_run.model(source, one_row(fed))[0, -1].tolist()
    # Neither PAD nor BOS can be written.
    first, second = sorted(logits_V[2:], reverse=True)[:2]
    found = logit_terms(copy_run, inspection, len(before))
    for difference, wanted in {False: first, True: first - second}.items():
        effects = found.effects(difference=difference)
        own = [effect for part, effect in effects.items() if not isinstance(part, Head)]
        assert sum(own) == pytest.approx(wanted, abs=1e-4)
