from core.studies.heads.roles_sentences import held_out_sentences, is_delimiter
from core.tokenizer import Token


def test_links_join_the_tokens_of_linked_words(translation_run):
    known = held_out_sentences(translation_run, 20, seed=0)
    assert len(known.links) == 20
    tokenizer = translation_run.tokenizer
    for pair, links in known.links.items():
        source, target = (tokenizer.word_texts(ids) for ids in (pair.source, pair.target[1:]))
        read, written = (tokenizer.describe(ids) for ids in (pair.source, pair.target[1:]))
        joined = {(target[written[one].word], source[read[other].word]) for one, other in links}
        assert {other for one, other in joined if one == "était"} <= {"was", "wasn", "n't"}
        # All but marks have a source.
        assert {target[written[one].word] for one, _ in links} == {
            word for word in target if word not in (".", ",", "?", "EOS")
        }


def test_what_separates_is_special_or_punctuation():
    texts = {"EOS": True, ".": True, "?!": True, "'": True, "n't": False, "7": False, "␣": False}
    for text, separates in texts.items():
        assert is_delimiter(Token(text, text == "EOS", 0)) == separates
