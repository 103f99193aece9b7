def test_the_cost_counts_passes_and_cells(open_view):
    _at, shown = open_view("cost", sentence="The dog slept.")
    n = len(shown.columns()["step"])
    kept = n * (n + 1) // 2
    # Step n computes a triangle of n rows.
    anew = sum(rows * (rows + 1) // 2 for rows in range(1, n + 1))
    assert f"computes **{anew}** scores for this sentence. " in shown.seen
    assert f"each score once: **{kept}**." in shown.seen
    assert f"instead of {n}." in shown.seen
