from viz.charts.beam_tree import TreeNode, beam_tree


def node(label, score, step, parent, kept=True, finished=False):
    return TreeNode(label, f"all of {label}", score, score, step, kept, finished, parent)


NODES = [
    node("a", -0.5, 0, None),
    node("<b>", -0.2, 0, None),
    node("c", -3.0, 0, None, kept=False),
    node("d", -0.9, 1, 0, finished=True),
]


def rows():
    found = beam_tree(NODES).data.to_dict("records")
    return {row["node"]: row for row in found}


def test_better_prefixes_stand_higher():
    found = rows()
    # Rows are counted downwards.
    assert found[1]["row"] < found[0]["row"] < found[2]["row"]
    scale = beam_tree(NODES).to_dict()["layer"][0]["encoding"]["y"]["scale"]
    assert scale["reverse"] is True


def test_every_prefix_hangs_on_the_one_it_continues():
    found = rows()
    assert (found[3]["from_step"], found[3]["from_row"]) == (found[0]["step"], found[0]["row"])
    assert all(found[number]["from_step"] == -1 for number in (0, 1, 2))


def test_the_way_to_the_best_finished_prefix_is_marked():
    fates = {number: row["fate"] for number, row in rows().items()}
    # "d" is finished: it goes on from "a", though "<b>" is better so far.
    assert fates == {0: "best", 1: "kept", 2: "dropped", 3: "best"}
    unfinished = beam_tree(NODES[:3]).data.to_dict("records")
    assert [row["fate"] for row in unfinished] == ["kept", "best", "dropped"]
