import numpy as np
import pytest

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.path_patching import Read
from core.studies.effects.path_study import path_senders
from pages.views.heads.paths_maps import N_RANKED, Paths, links, ranked, short
from tests.pages.conftest import ROOT

TIRED = "The animal didn't cross the street because it was too tired."
BOTH = (TIRED, TIRED.replace("tired", "wide"))


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


def test_heads_have_short_names_of_their_own(run):
    heads = [head for site in run.model.sites() for head in site.heads(4)]
    assert short(Head.parse("encoder.2.self:0")) == "encoder 2.0"
    assert len({short(head) for head in heads}) == len(heads)


@pytest.mark.parametrize("by_log_p", [False, True])
@pytest.mark.parametrize("receiver", ["encoder.2.self:0", "decoder.1.cross:1"])
def test_the_links_are_those_of_the_largest_changes_and_marks_the_chosen_path(
    run, receiver, by_log_p
):
    study = path_senders(run, *BOTH, Read.ALL, Head.parse(receiver))
    paths = Paths(study, inspect_sentence(run, TIRED), by_log_p)
    found = ranked(paths, paths.strongest)
    sizes_N = np.abs(study.log_p_change_N if by_log_p else study.moved_N)
    assert len(found) == N_RANKED
    assert sizes_N[found].tolist() == sorted(sizes_N, reverse=True)[:N_RANKED]
    last = int(sizes_N.argmin())
    assert ranked(paths, last)[-1] == last
    drawn = links(paths, paths.strongest).to_dict()
    lines = next(rows for rows in drawn["datasets"].values() if "at" in rows[0])
    begun = [each for each in lines if each["at"] == 0]
    assert [each["value"] for each in begun] == paths.change_N[found].tolist()
    sender = short(study.senders[paths.strongest])
    assert begun[0]["name"] == f"{sender} → {short(study.receiver)}"
    assert [each["chosen"] for each in begun] == [True] + [False] * (len(begun) - 1)
