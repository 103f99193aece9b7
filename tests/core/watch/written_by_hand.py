"""Models as people write them: the fused kernel, torch's layers, softmax and product in many forms.

Each attention keeps its weights_BHQK on itself, as `kept`.
"""

import math
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

V, D, H = 61, 16, 4
E = D // H


class FusedGPT(nn.Module):
    """A decoder with queries, keys and values in one matrix, as in nanoGPT, and with a cache."""

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.c_attn, self.c_proj = nn.Linear(D, 3 * D), nn.Linear(D, D)

        def forward(self, x, past=None):
            B, T, _ = x.shape
            q, k, v = (
                part.view(B, T, H, E).transpose(1, 2) for part in self.c_attn(x).split(D, dim=2)
            )
            if past is not None:
                k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
            visible = torch.ones(k.shape[2], k.shape[2]).tril()[-T:].bool()
            scores = (q @ k.transpose(2, 3) / math.sqrt(E)).masked_fill(~visible, -math.inf)
            self.kept = scores.softmax(-1)
            mixed = F.scaled_dot_product_attention(q, k, v, visible)
            return self.c_proj(mixed.transpose(1, 2).reshape(B, T, D)), (k, v)

    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(V, D), nn.Embedding(64, D)
        self.h = nn.ModuleList(self.Attention() for _ in range(2))
        self.lm_head = nn.Linear(D, V)

    def forward(self, idx, past=None):
        first = past[0][0].shape[2] if past else 0
        x = self.wte(idx) + self.wpe(torch.arange(first, first + idx.shape[1]))
        cache = []
        for i, block in enumerate(self.h):
            added, kept = block(x, past and past[i])
            x = x + added
            cache.append(kept)
        return self.lm_head(x), cache


class TorchTransformer(nn.Module):
    """`nn.Transformer` between embeddings and a projection; `kept_weights` returns its weights."""

    def __init__(self):
        super().__init__()
        self.src_embed, self.tgt_embed = nn.Embedding(V, D), nn.Embedding(V, D)
        self.body = nn.Transformer(D, H, 2, 2, 32, batch_first=True)
        self.out = nn.Linear(D, V)

    def forward(self, src, tgt):
        padding = src == 0
        stream = self.body(
            self.src_embed(src),
            self.tgt_embed(tgt),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(tgt.shape[1]),
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
        )
        return self.out(stream)


def kept_weights(model, *inputs):
    """Return name → weights_BHQK that modules keep; `nn.MultiheadAttention` is asked again."""
    kept = {}

    def ask(name, module, args, kwargs):
        if name not in kept:
            kept[name] = None
            more = {"need_weights": True, "average_attn_weights": False}
            kept[name] = module(*args, **{**kwargs, **more})[1]

    hooks = [
        module.register_forward_pre_hook(partial(ask, name), with_kwargs=True)
        for name, module in model.named_modules()
        if isinstance(module, nn.MultiheadAttention)
    ]
    model(*inputs)
    for hook in hooks:
        hook.remove()
    modules = dict(model.named_modules())
    return kept | {name: each.kept for name, each in modules.items() if hasattr(each, "kept")}


class Annotated(nn.Module):
    """An encoder and a decoder around one function, as in The Annotated Transformer."""

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.linears = nn.ModuleList(nn.Linear(D, D) for _ in range(4))

        def forward(self, query, key, value, mask=None):
            query, key, value = (
                linear(x).view(len(x), -1, H, E).transpose(1, 2)
                for linear, x in zip(self.linears, (query, key, value), strict=False)
            )
            scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(E)
            if mask is not None:
                scores = scores.masked_fill(mask == 0, -1e9)
            self.kept = scores.softmax(dim=-1)
            mixed = torch.matmul(self.kept, value)
            return self.linears[-1](mixed.transpose(1, 2).reshape(len(mixed), -1, D))

    def __init__(self):
        super().__init__()
        self.src_embed, self.tgt_embed = nn.Embedding(V, D), nn.Embedding(V, D)
        self.encoder_attn, self.self_attn, self.src_attn = (self.Attention() for _ in range(3))
        self.generator = nn.Linear(D, V)

    def forward(self, src, tgt):
        visible = (src != 0)[:, None, None]
        x, memory = self.tgt_embed(tgt), self.src_embed(src)
        memory = memory + self.encoder_attn(memory, memory, memory, visible)
        x = x + self.self_attn(x, x, x, torch.ones(tgt.shape[1], tgt.shape[1]).tril())
        return self.generator(x + self.src_attn(x, memory, memory, visible))


class Batched(nn.Module):
    """Heads within the axis of the batch, and a module that only attends, as in Dive into DL."""

    class DotProductAttention(nn.Module):
        def __init__(self):
            super().__init__()
            self.dropout = nn.Dropout(0.1)

        def forward(self, queries, keys, values):
            scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
            weights = F.softmax(scores, dim=-1)
            self.kept = weights.reshape(-1, H, *weights.shape[1:])
            return torch.bmm(self.dropout(weights), values)

    def __init__(self):
        super().__init__()
        self.num_heads = H
        self.embed = nn.Embedding(V, D)
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(D, D) for _ in range(4))
        self.attention = self.DotProductAttention()

    def forward(self, X):
        x = self.embed(X)
        queries, keys, values = (
            self._split(linear(x)) for linear in (self.W_q, self.W_k, self.W_v)
        )
        mixed = self.attention(queries, keys, values)
        return self.W_o(mixed.view(len(x), H, -1, E).transpose(1, 2).reshape(x.shape))

    def _split(self, x):
        return x.view(len(x), -1, H, E).transpose(1, 2).reshape(-1, x.shape[1], E)


class Einsums(nn.Module):
    """Sums in Einstein's notation, heads after the positions."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(V, D)
        self.to_qkv, self.to_out = nn.Linear(D, 3 * D), nn.Linear(D, D)

    def forward(self, ids):
        x = self.embed(ids)
        q, k, v = self.to_qkv(x).view(*ids.shape, 3, H, E).unbind(2)
        scores = torch.einsum("bqhe, bkhe -> bhqk", q, k) / math.sqrt(E)
        self.kept = scores.softmax(dim=-1)
        mixed = torch.einsum("bhqk, bkhe -> bqhe", self.kept, v)
        return self.to_out(mixed.flatten(2))


class Additive(nn.Module):
    """A recurrent decoder with additive attention (Bahdanau et al. 2015): one query a call."""

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.Wa, self.Ua, self.Va = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, 1)

        def forward(self, query, keys):
            scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
            weights = F.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
            self.kept = weights[:, None]
            return torch.bmm(weights, keys)

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(V, D)
        self.encoder, self.decoder = nn.GRU(D, D, batch_first=True), nn.GRUCell(2 * D, D)
        self.attention = self.Attention()
        self.out = nn.Linear(D, V)

    def forward(self, src, tgt):
        keys, state = self.encoder(self.embed(src))
        state, rows = state[0], []
        for token in self.embed(tgt).unbind(1):
            context = self.attention(state[:, None], keys)[:, 0]
            state = self.decoder(torch.cat([token, context], dim=1), state)
            rows.append(self.out(state))
        return torch.stack(rows, dim=1)


KINDS = (FusedGPT, TorchTransformer, Annotated, Batched, Einsums, Additive)


def drawn(kind):
    """Return a model of a class with random weights and its inputs: one or two batches of ids."""
    torch.manual_seed(0)
    model = kind().eval()
    src, tgt = torch.randint(1, V, (2, 7)), torch.randint(1, V, (2, 5))
    src[1, 5:] = 0
    return model, (src, tgt) if "tgt" in kind.forward.__code__.co_varnames else (tgt,)
