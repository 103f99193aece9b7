from viz.charts.beam_tree import TreeNode, beam_tree


def node(label, score, step, parent, kept=True, finished=False):
    return TreeNode(label, f"all of {label}", score, score, step, kept, finished, parent)


NODES = [
    node("a", -0.5, 0, None),
    node("<b>", -0.2, 0, None),
    node("c", -3.0, 0, None, kept=False),
    node("d", -0.9, 1, 0, finished=True),
]


def drawn():
    return beam_tree(NODES, x="step", kept="kept", dropped="dropped")


def test_better_prefixes_stand_higher():
    edges, kept, dropped = drawn().data
    heights = dict(zip(kept.customdata, kept.y, strict=True))
    assert heights[1] > heights[0] > dropped.y[0]


def test_every_prefix_hangs_on_the_one_it_continues():
    edges, kept, _ = drawn().data
    place = dict(zip(kept.customdata, zip(kept.x, kept.y, strict=True), strict=True))
    lines = list(zip(edges.x, edges.y, strict=True))
    at = lines.index(place[3])
    assert lines[at - 1] == place[0]


def test_labels_are_shown_literally():
    _, kept, _ = drawn().data
    assert "&lt;b&gt;" in kept.text
    assert not any("<b>" in text for text in (*kept.text, *kept.hovertext))


def test_finished_prefixes_have_another_shape():
    _, kept, _ = drawn().data
    shapes = dict(zip(kept.customdata, kept.marker.symbol, strict=True))
    assert shapes == {0: "circle", 1: "circle", 3: "square"}
