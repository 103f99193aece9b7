from core.decoding.timing import decoding_cost
from core.runs.run import load_run


def test_the_cost_of_a_decoder_alone_counts_its_prompt_once(opened_path):
    run = load_run(opened_path("gpt2"))
    cost = decoding_cost(run, "The capital of France is")
    # Five tokens of the prompt go in together, then 23 of the 24 that are written.
    assert (cost.n_fed, cost.n_prompt, cost.n_steps) == (28, 5, 24)
    table = cost.table()
    assert table["step"][:6] == [0, 0, 0, 0, 0, 1]
    assert {len(column) for column in table.values()} == {28}
