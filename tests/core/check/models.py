"""Models written by hand: a decoder, and an encoder–decoder whose masks are arguments."""

import math

import torch
from torch import nn
from torch.nn import functional

V, D, H, L, PAD = 41, 24, 2, 2, 0


class Attention(nn.Module):
    """Several heads, with a softmax of its own or with PyTorch's kernel."""

    def __init__(self, fused=False):
        super().__init__()
        self.fused = fused
        self.query, self.key, self.value, self.out = (nn.Linear(D, D) for _ in range(4))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x, memory, visible):
        query, key, value = (
            part.unflatten(2, (H, -1)).transpose(1, 2)
            for part in (self.query(x), self.key(memory), self.value(memory))
        )
        if self.fused:
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=visible)
        else:
            scores = torch.einsum("bhqe,bhke->bhqk", query, key) / math.sqrt(D // H)
            weights = functional.softmax(scores.masked_fill(~visible, -math.inf), dim=-1)
            mixed = torch.einsum("bhqk,bhke->bhqe", self.dropout(weights), value)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, fused=False, crosses=False):
        super().__init__()
        self.attention = Attention(fused)
        self.crossing = Attention(fused) if crosses else None
        self.norms = nn.ModuleList(nn.LayerNorm(D) for _ in range(3))
        self.ff = nn.Sequential(
            nn.Linear(D, 2 * D), nn.GELU(), nn.Linear(2 * D, D), nn.Dropout(0.1)
        )

    def forward(self, x, visible, memory=None, memory_visible=None):
        normed = self.norms[0](x)
        x = x + self.attention(normed, normed, visible)
        if self.crossing is not None:
            x = x + self.crossing(self.norms[1](x), memory, memory_visible)
        return x + self.ff(self.norms[2](x))


class Decoder(nn.Module):
    """A GPT as it is taught: tokens and positions, blocks, the next token's scores, and a loss."""

    def __init__(self, fused=True):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(V, D), nn.Embedding(64, D)
        self.blocks = nn.ModuleList(Block(fused) for _ in range(L))
        self.head = nn.Linear(D, V)

    def forward(self, idx, targets=None):
        n = idx.shape[1]
        x = self.tokens(idx) + self.positions(torch.arange(n))
        visible = torch.ones(n, n, dtype=torch.bool).tril()
        for block in self.blocks:
            x = block(x, visible)
        logits = self.head(x)
        if targets is None:
            return logits, None
        return logits, functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


class EncoderDecoder(nn.Module):
    """Its masks are arguments, src_mask (B, 1, S) and tgt_mask (B, T, T)."""

    def __init__(self, fused=False):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(V, D, padding_idx=PAD), nn.Embedding(64, D)
        self.encoder = nn.ModuleList(Block(fused) for _ in range(L))
        self.decoder = nn.ModuleList(Block(fused, crosses=True) for _ in range(L))
        self.head = nn.Linear(D, V)

    def forward(self, src, tgt, src_mask, tgt_mask):
        memory, x = self.embedded(src), self.embedded(tgt)
        for block in self.encoder:
            memory = block(memory, src_mask[:, None])
        for block in self.decoder:
            x = block(x, tgt_mask[:, None], memory, src_mask[:, None])
        return self.head(x)

    def embedded(self, ids):
        return self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))


def spread(model, seed=0):
    """Give a model weights of such a size that heads look at some tokens more than at others."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            gain = 1.0 if parameter.dim() == 1 else 0.0
            parameter.copy_(gain + 0.25 * torch.randn(parameter.shape, generator=generator))
    return model.eval()


def ids(*shape, seed=0):
    return torch.randint(2, V, shape, generator=torch.Generator().manual_seed(seed))


def decoder(**more):
    """Return the decoder and a batch: texts, and the next tokens."""
    text = ids(2, 11)
    batch = {"idx": text[:, :-1], "targets": text[:, 1:]}
    return spread(Decoder(**more)), batch, {"causal": True}


def encoder_decoder(**more):
    """Return the encoder–decoder and a padded batch."""
    src, tgt = ids(2, 9), ids(2, 8, seed=1)
    src[1, 6:], tgt[1, 5:] = PAD, PAD
    visible = torch.ones(8, 8, dtype=torch.bool).tril()
    masks = (src != PAD)[:, None], (tgt != PAD)[:, None] & visible
    return spread(EncoderDecoder(**more)), (src, tgt, *masks), {"pad_id": PAD}


def torch_transformer(batch_first=True):
    """Return PyTorch's own encoder–decoder and vectors with masks."""
    model = nn.Transformer(D, H, L, L, 2 * D, dropout=0.1, batch_first=batch_first)
    src, tgt = torch.randn(2, 9, D), torch.randn(2, 8, D)
    padding = torch.zeros(2, 9, dtype=torch.bool)
    padding[1, 6:] = True
    mask = torch.triu(torch.ones(8, 8, dtype=torch.bool), 1)
    batch = {
        **{"src": src, "tgt": tgt, "tgt_mask": mask, "src_key_padding_mask": padding},
        "memory_key_padding_mask": padding,
    }
    if not batch_first:
        batch |= {name: batch[name].transpose(0, 1) for name in ("src", "tgt")}
    return spread(model), batch, {}
