import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import core.decoding.beam
from core.config import ConfigError, ModelConfig
from core.decoding.beam import Beam, beam_steps, length_penalty
from core.decoding.beam_tree import FOUND_BY_BEAM, beam_search
from core.decoding.bounds import LARGEST_BEAM
from core.decoding.generate import decode_steps, forced_steps, generate
from core.decoding.sentence import translate
from core.decoding.step import length_limit
from core.model import build
from core.runs.run import load_run
from core.tasks import TASKS
from core.vocabulary import BOS, EOS, PAD
from tests.core.conftest import GALLERY


def last(model, source_S, beam, alpha=0.6):
    *_, final = beam_steps(model, source_S, Beam(beam, alpha))
    return final


def forced_log_probability(model, source_S, tokens):
    """Teacher-forced, summed over the tokens (EOS is one of them where it was said)."""
    target = tokens[:-1] if tokens[-1] == EOS else tokens
    scores = [step.log_probability for step in forced_steps(model, source_S, target)]
    return math.fsum(scores[: len(tokens)])


@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
def test_a_beam_of_one_is_greedy(model, source_S, alpha):
    best = last(model, source_S, 1, alpha).best
    assert list(best.tokens) == [step.chosen for step in decode_steps(model, source_S)]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.0, 0.6, 1.0, 2.0]))
def test_a_wide_beam_finds_the_best_of_all_finished_sequences(seed, alpha):
    limit, words = 3, (3, 4, 5)
    model = build(ModelConfig(6, 1, 1, 8, 16, 2, max_positions=limit + 1), seed=seed).eval()
    source_S = torch.tensor([3, 4, EOS])
    assert length_limit(model, 3) == limit
    sequences = [
        (*beginning, EOS) for n in range(limit) for beginning in itertools.product(words, repeat=n)
    ]

    def score(tokens):
        return forced_log_probability(model, source_S, tokens) / length_penalty(len(tokens), alpha)

    found = last(model, source_S, LARGEST_BEAM, alpha).best
    assert found.score == pytest.approx(max(map(score, sequences)), abs=1e-5)
    assert found.score == pytest.approx(score(found.tokens), abs=1e-5)


@pytest.mark.parametrize(
    ("beam", "alpha"), [(2, 1.0), pytest.param(5, 0.6, marks=pytest.mark.slow)]
)
def test_200_sentences_come_out_as_in_the_search_of_transformers(monkeypatch, beam, alpha):
    from transformers import GenerationMixin, PretrainedConfig, PreTrainedModel
    from transformers.modeling_outputs import CausalLMOutput

    # Its score is divided by the length itself; ours by Wu et al.'s penalty.
    monkeypatch.setattr(core.decoding.beam, "length_penalty", lambda n, alpha: max(n, 1) ** alpha)
    config = ModelConfig(30, 1, 1, 16, 32, 2, max_positions=24, tied="none", logit_bias=True)
    ours = build(config, seed=4).eval()
    # Scores that lie apart, and targets that end at many lengths.
    ours.output.weight.data *= 4
    ours.output.bias.data[EOS] = 4
    random = torch.Generator().manual_seed(0)
    source_BS = torch.randint(3, 30, (450, 5), generator=random)
    source_BS[:, -1] = EOS

    class Theirs(PreTrainedModel, GenerationMixin):
        def __init__(self):
            super().__init__(PretrainedConfig(bos_token_id=BOS, eos_token_id=EOS, pad_token_id=PAD))
            self.anything = torch.nn.Linear(1, 1)

        def forward(self, input_ids, source_BS, **_kwargs):
            logits = ours(source_BS, input_ids)
            logits[..., [PAD, BOS]] = -math.inf
            return CausalLMOutput(logits=logits)

        def prepare_inputs_for_generation(self, input_ids, source_BS, **_kwargs):
            return {"input_ids": input_ids, "source_BS": source_BS}

    limit = length_limit(ours, 5)
    theirs = Theirs().generate(
        torch.full((450, 1), BOS),
        source_BS=source_BS,
        num_beams=beam,
        length_penalty=alpha,
        max_new_tokens=limit,
        do_sample=False,
        use_cache=False,
        return_dict_in_generate=True,
        output_scores=True,
    )
    ours_by_beam = generate(ours, source_BS, Beam(beam, alpha))
    # It may prefer one that was cut to one that is finished.
    finished = [n for n, row in enumerate(theirs.sequences.tolist()) if EOS in row][:200]
    assert len(finished) == 200
    for n in finished:
        row = theirs.sequences[n, 1:].tolist()
        assert list(ours_by_beam[n]) == row[: row.index(EOS) + 1]
    for n in finished[:10]:
        best = last(ours, source_BS[n], beam, alpha).best
        assert best.score == pytest.approx(float(theirs.sequences_scores[n]), abs=1e-4)


@pytest.mark.slow
def test_every_hypothesis_scores_as_teacher_forced(model, source_S):
    for step in beam_steps(model, source_S, Beam(4)):
        for hypothesis in (*step.live, *step.finished, *step.dropped):
            forced = forced_log_probability(model, source_S, hypothesis.tokens)
            assert hypothesis.log_probability == pytest.approx(forced, abs=1e-4)
            penalty = length_penalty(len(hypothesis.tokens), 0.6)
            assert hypothesis.score == pytest.approx(forced / penalty, abs=1e-4)


@pytest.mark.parametrize(("beam", "alpha"), [(0, 0.6), (65, 0.6), (-1, 0.6), (4, -0.5), (4, 1e9)])
def test_what_cannot_be_is_refused(beam, alpha):
    with pytest.raises(ConfigError, match=r"beam is|length penalty is"):
        Beam(beam, alpha)


def test_beside_the_tree_stands_what_greedy_decoding_writes():
    run, sentence = load_run(GALLERY / "translate"), FOUND_BY_BEAM["translate"]
    search = beam_search(run, sentence, Beam(4))
    best = search.finished[0]
    assert search.greedy_text == translate(run, sentence).text != search.prefixes[best]
    assert search.prefixes[best] == TASKS["translate"].reference(sentence)
    assert search.nodes[best].hypothesis.score > search.greedy.score
    ways = zip(search.nodes, search.table()["greedy"], strict=True)
    followed = [node.hypothesis.tokens for node, is_greedy in ways if is_greedy]
    assert followed == [search.greedy.tokens[: n + 1] for n in range(len(followed))]
