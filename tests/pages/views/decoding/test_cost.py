from tests.pages.conftest import said


def test_the_cost_counts_passes_and_cells(open_view):
    at, shown = open_view("cost", sentence="The dog slept.")
    n = len(shown.columns()["step"])
    kept = n * (n + 1) // 2
    # Step n computes a triangle of n rows.
    anew = sum(rows * (rows + 1) // 2 for rows in range(1, n + 1))
    assert f"computes **{anew}** scores for this sentence. " in shown.seen
    assert f"each score once: **{kept}**." in shown.seen
    assert f"instead of {n}." in shown.seen
    source = shown.recipe.result().n_source
    assert f"encoder **1**, decoder **{n}**, one for each token that it writes. " in said(at)
    # Twice the source and 16.
    assert f"at most: {2 * source + 16} here; positions of the model: 512." in said(at)
