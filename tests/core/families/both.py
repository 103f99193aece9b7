"""One model there and here, with the same weights: what both make of the same tokens."""

import torch

from core.families import family_of, load
from core.heads import Kind
from core.model import Record
from tests.core.families.random_models import V, told, weights

CLOSE = 3e-5
N_SOURCE, N_TARGET = 40, 33


def opened(model):
    return load(family_of(told(model)["model_type"]), told(model), weights(model))


def tokens(length, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(2, V - 2, (3, length), generator=generator)


def padded(ids, pad):
    ids[1, 30:], ids[2, 9:] = pad, pad
    return ids


def of_both_stacks(model, ours):
    """Run an encoder–decoder; return logits of both, a record of ours and the maps of theirs."""
    source, target = padded(tokens(N_SOURCE, 1), ours.config.pad_id), tokens(N_TARGET, 2)
    target[:, 0] = told(model)["decoder_start_token_id"]
    visible = (source != ours.config.pad_id).long()
    record = Record()
    found = model(
        input_ids=source, attention_mask=visible, decoder_input_ids=target, output_attentions=True
    )
    maps = {
        Kind.ENCODER_SELF: found.encoder_attentions,
        Kind.DECODER_SELF: found.decoder_attentions,
        Kind.CROSS: found.cross_attentions,
    }
    return ours(source, target, record), found.logits, record, maps


def of_an_encoder(model, ours):
    """Run an encoder on two texts at once; where it has no logits, the vectors are compared."""
    source = padded(tokens(N_SOURCE, 1), ours.config.pad_id)
    segments = (torch.arange(N_SOURCE) > 7).long().expand(3, -1)
    visible, record = source != ours.config.pad_id, Record()
    given = {"input_ids": source, "attention_mask": visible.long(), "token_type_ids": segments}
    found = model(**given, output_attentions=True)
    memory = ours.encode(source, record, segments)
    made = ours.scores(memory) if ours.config.has_output else memory
    theirs = found.logits if ours.config.has_output else found.last_hidden_state
    # What comes out where nothing was put in is nobody's concern.
    return made[visible], theirs[visible], record, {Kind.ENCODER_SELF: found.attentions}


def of_a_decoder(model, ours):
    target, record = tokens(N_TARGET, 2), Record()
    found = model(input_ids=target, output_attentions=True)
    return ours(None, target, record), found.logits, record, {Kind.DECODER_SELF: found.attentions}


RUN = {
    ("encoder", "decoder"): of_both_stacks,
    ("encoder",): of_an_encoder,
    ("decoder",): of_a_decoder,
}
