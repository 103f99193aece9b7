from urllib.parse import parse_qs

import pytest

from tests.pages.conftest import said


def link_of(at):
    [found] = [each for each in at.get("page_link") if each.proto.label == "Card of this head"]
    return found.proto


def test_the_head_of_a_map_has_a_link_to_its_card(open_page):
    at = open_page(
        "attention", view="maps", model="copy", kind="decoder.cross", layer="1", head="2"
    )
    link = link_of(at)
    query = {name: texts[0] for name, texts in parse_qs(link.query_string).items()}
    assert (link.page, query["trial"], query["model"]) == ("heads", "head", "copy")
    assert (query["kind"], query["layer"], query["head"]) == ("decoder.cross", "1", "2")
    card = open_page(link.page, **query)
    assert "Decoder layer 1, cross-attention head 2" in said(card)


@pytest.mark.parametrize("kind", ["gpt2", "bert"])
def test_the_head_of_a_single_stack_has_a_link_to_its_card(open_page, opened_path, elsewhere, kind):
    elsewhere("OWN", opened_path(kind).parent)
    at = open_page("attention", view="maps", model=f"runs/{kind}", layer="1", head="2")
    query = {name: texts[0] for name, texts in parse_qs(link_of(at).query_string).items()}
    card = open_page("heads", **query)
    assert "layer 1, self-attention head 2" in said(card)
    assert card.get("bidi_component")


def test_no_link_leads_to_a_card_that_a_model_has_not(open_page, opened_path, elsewhere):
    """Of an opened translator nobody knows pairs to measure on."""
    elsewhere("OWN", opened_path("marian").parent)
    query = {"model": "runs/marian", "sentence": "it was too tired"}
    refused = open_page("heads", trial="head", **query)
    assert refused.info and not refused.get("bidi_component")
    for view in ("maps", "lines", "steps"):
        at = open_page("attention", view=view, **query)
        assert at.get("bidi_component")
        assert "Card of this head" not in [each.proto.label for each in at.get("page_link")]
