import pytest

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.path_patching import Read
from core.studies.effects.path_study import NextToken, PathOutcomes, path_outcomes, path_senders
from core.studies.effects.stored import stored_effects
from core.tokenizer.tokenizer import Token
from pages.frame.language import percent
from pages.views.heads.paths_maps import Paths
from pages.views.heads.paths_output import bars, beyond, held_out, is_weak, verdict
from tests.pages.conftest import ROOT

TIRED = "The animal didn't cross the street because it was too tired."
BOTH = (TIRED, TIRED.replace("tired", "wide"))
ENDS = (Head.parse("encoder.0.self:3"), Head.parse("encoder.2.self:0"))


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


@pytest.fixture(scope="module")
def paths(run):
    return Paths(path_senders(run, *BOTH, Read.QUERY, ENDS[1]), inspect_sentence(run, TIRED), False)


@pytest.fixture(scope="module")
def measured(run):
    return path_outcomes(run, *BOTH, Read.QUERY, *ENDS)


def outcome(chance, token="il"):
    return NextToken(chance, Token(token, special=False, word=0), token == "il")


def outcomes(path, exchanged=None, silenced=None):
    same = outcome(0.9)
    return PathOutcomes(same, path, exchanged or same, silenced or same, outcome(0.01, "elle"))


def test_the_bars_are_the_chances_and_say_what_is_written_instead(paths, measured):
    drawn = bars(paths, measured).to_dict()
    rows = next(rows for rows in drawn["datasets"].values() if "note" in rows[0])
    found = [getattr(measured, name) for name in PathOutcomes.__slots__]
    assert [row["value"] for row in rows] == [each.chance for each in found]
    assert [row["written"] for row in rows] == [percent(each.chance) for each in found]
    for row, each in zip(rows, found, strict=True):
        assert row["note"] == ("" if each.stays else f"writes “{each.chosen.text}”")
    assert rows[1]["name"] == "B alone reads A’s “wide”"


@pytest.mark.parametrize(
    ("path", "alone", "weak"),
    [
        (outcome(0.2, "elle"), "changes from “il” to “elle”.**", False),
        (outcome(0.7), "stays “il”** (70 %, before 90 %).", False),
        (outcome(0.9), "stays “il”** (90 %, as before).", True),
        (outcome(0.895), "stays “il”** (89.5 %, before 90 %).", True),
    ],
)
def test_the_verdict_says_whether_this_path_changes_the_output(paths, path, alone, weak):
    def said(exchanged=None):
        return verdict(paths, outcomes(path, exchanged)).replace("\u00a0", " ")

    alone = f"**Through B alone the output {alone}"
    whole = "" if "changes" in alone else " **Through all readers of A it becomes “elle”.**"
    assert said() == alone
    assert said(outcome(0.1, "elle")) == alone + whole
    assert is_weak(outcomes(path)) == weak


def test_why_silencing_and_the_path_differ_is_said_as_it_was_computed(paths):
    stays, changes = outcome(0.9), outcome(0.1, "elle")
    said = beyond(paths, outcomes(stays, changes, changes))
    assert "A’s message can flip the output, but not through B alone." in said
    assert "no reader gets any message: then it changes to “elle”." in said
    said = beyond(paths, outcomes(changes, changes, stays))
    assert "it changes the output to “elle”, too." in said
    assert "it stays “il” (" in said and "no message is not the other message." in said
    said = beyond(paths, outcomes(stays))
    assert "leaves the output “il”" in said and "), too." in said


def test_what_silencing_the_sender_costs_is_said_whether_it_does_or_not(run):
    effects = stored_effects(run)
    heads = [head for site in run.model.sites() for head in site.heads(4)]
    assert {effects.of(head).changes_nothing for head in heads} == {True, False}
    for head in heads:
        effect, [*_others, said] = effects.of(head), held_out(run, head)
        before, after = percent(effect.exact_match.before), percent(effect.exact_match.after)
        if effect.changes_nothing:
            assert f"exact match {before} → {after}" in said
        else:
            assert said.startswith(f"Silencing it takes exact match from {before} to {after} (95 %")
