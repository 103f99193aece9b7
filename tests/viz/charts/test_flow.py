from viz.charts.flow import Box, flow


def test_boxes_are_joined_by_arrows_and_escaped():
    drawn = flow([Box("a <b>", "writes"), Box("c", "reads"), Box("1 → 2", "look")], 'a "to" c')
    assert drawn.count('class="arrow"') == 2
    assert "a &lt;b&gt;" in drawn
    assert 'aria-label="a &quot;to&quot; c"' in drawn
    assert drawn.count('class="box last"') == 1
    assert drawn.index("box last") > drawn.index(">c<")
