import numpy as np
import pytest

from core.heads import Head
from core.inspection import inspect_sentence
from core.runs.run import load_run
from core.studies.effects.path_patching import Read
from core.studies.effects.path_study import path_probabilities, path_study
from pages.views.heads.paths_maps import (
    N_RANKED,
    Paths,
    links,
    map_of,
    numbers,
    path_at,
    ranked,
    short,
)
from tests.pages.conftest import ROOT

TIRED = "The animal didn't cross the street because it was too tired."
BOTH = (TIRED, TIRED.replace("tired", "wide"))


@pytest.fixture(scope="module")
def run():
    return load_run(ROOT / "gallery" / "translate-guided")


@pytest.fixture(scope="module", params=[Read.QUERY, Read.KEY, Read.ALL])
def paths(request, run):
    study = path_study(run, *BOTH, request.param)
    return Paths(study, inspect_sentence(run, TIRED), None)


def test_only_direct_paths_are_cells_and_each_stands_at_its_heads(paths):
    effects = paths.study.effects
    [panel] = map_of(paths, effects.strongest(effects.moved_NN)).panels
    heads = {short(head): place for place, head in enumerate(effects.heads)}
    rows, columns = ([heads[each.text] for each in ax.labels] for ax in (panel.rows, panel.columns))
    assert panel.visible.sum() == effects.direct_NN.sum()
    for (row, column), shown in np.ndenumerate(panel.visible):
        at = rows[row], columns[column]
        assert shown == effects.direct_NN[at]
        assert panel.values[row, column] == np.float32(effects.moved_NN[at])
        found = path_at(paths, row, column)
        assert found == tuple(effects.heads[each] for each in at)
    assert panel.limit == effects.moved_NN.max().astype(np.float32)


def test_the_chosen_path_has_the_frame(paths):
    effects = paths.study.effects
    row, column = effects.strongest(effects.moved_NN)
    shown = map_of(paths, (row, column))
    _panel, *cell = shown.selected
    assert path_at(paths, *cell) == (effects.heads[row], effects.heads[column])
    assert shown.panels[0].values[*cell] == shown.panels[0].values.max()


def test_a_cell_says_which_look_changes_most(run, paths):
    effects = paths.study.effects
    row, column = effects.strongest(effects.moved_NN)
    shown = map_of(paths, (row, column))
    _panel, *cell = shown.selected
    detail = shown.panels[0].details[cell[0]][cell[1]]
    kind, query, key = (
        effects.heads[column].kind,
        *(int(each[row, column]) for each in (effects.query_NN, effects.key_NN)),
    )
    words = {
        "source": [token.text for token in run.tokenizer.describe(paths.study.clean.source_ids)],
        "target": [token.text for token in run.tokenizer.describe(paths.study.clean.fed_ids)],
    }
    begins = f"“{words[kind.query_side][query]}” at “{words[kind.key_side][key]}”: "
    assert detail.startswith(begins)
    assert "→" in detail


def test_of_a_path_that_moves_nothing_no_look_is_told(run):
    study = path_study(run, *BOTH, Read.QUERY)
    shown = map_of(Paths(study, inspect_sentence(run, TIRED), None), (0, 4))
    [panel] = shown.panels
    # The decoder is fed the same in both, so that its first layer writes the same.
    rows = [each.text for each in panel.rows.labels]
    columns = [each.text for each in panel.columns.labels]
    assert panel.details[rows.index("decoder 0.0")][columns.index("cross 0.0")] == ""
    assert panel.details[rows.index("encoder 0.3")][columns.index("encoder 2.0")].startswith(
        "“it” at “animal”"
    )


def test_log_p_is_shown_with_its_sign(run):
    study = path_study(run, *BOTH, Read.QUERY)
    changes_NN = path_probabilities(run, *BOTH, Read.QUERY)
    found = Paths(study, inspect_sentence(run, TIRED), changes_NN)
    [panel] = map_of(found, study.effects.strongest(changes_NN)).panels
    assert panel.scale == "signed"
    assert panel.values.min() == np.float32(changes_NN.min())
    assert panel.limit == np.abs(changes_NN).max().astype(np.float32)
    columns = numbers(found)
    assert columns["log_p_change"] == changes_NN[study.effects.direct_NN].tolist()


def test_what_is_taken_away_has_a_row_for_each_path(paths):
    columns, effects = numbers(paths), paths.study.effects
    assert len(columns["sender"]) == effects.direct_NN.sum()
    places = {str(head): at for at, head in enumerate(effects.heads)}
    for sender, receiver, moved, before, after in zip(
        *(columns[name] for name in ("sender", "receiver", "moved", "before", "after")), strict=True
    ):
        at = places[sender], places[receiver]
        assert (moved, before, after) == tuple(
            each[at] for each in (effects.moved_NN, effects.before_NN, effects.after_NN)
        )
    assert set(columns["log_p_change"]) == {None}


def test_heads_have_short_names_of_their_own(run):
    heads = [head for site in run.model.sites() for head in site.heads(4)]
    assert short(Head.parse("encoder.2.self:0")) == "encoder 2.0"
    assert len({short(head) for head in heads}) == len(heads)


def test_the_links_are_those_of_the_largest_changes_and_marks_the_chosen_path(paths):
    effects = paths.study.effects
    strongest = effects.strongest(effects.moved_NN)
    found = ranked(paths, strongest)
    assert found[0] == strongest
    assert len(set(found)) == min(N_RANKED, effects.direct_NN.sum())
    least = min(effects.moved_NN[at] for at in found)
    assert (effects.moved_NN[effects.direct_NN] > least).sum() < len(found)
    row, column = map(int, np.argwhere(effects.direct_NN)[-1])
    assert ranked(paths, (row, column))[-1] == (row, column)
    drawn = links(paths, strongest).to_dict()
    lines = next(rows for rows in drawn["datasets"].values() if "at" in rows[0])
    begun = [each for each in lines if each["at"] == 0]
    assert [each["value"] for each in begun] == [effects.moved_NN[at] for at in found]
    sender, receiver = (short(effects.heads[at]) for at in strongest)
    assert begun[0]["name"] == f"{sender} → {receiver}"
    assert [each["chosen"] for each in begun] == [True] + [False] * (len(begun) - 1)
