"""What a model is made from: frozen, validated, and the key of every cache."""

import dataclasses
from dataclasses import dataclass
from reprlib import repr
from typing import Any

from core.choices import (
    CHOICES,
    Activation,
    Cross,
    Decoder,
    DecoderMixing,
    EncoderMixing,
    Length,
    Memory,
    Norm,
    NormKind,
    Positions,
    RotaryPairs,
    Scores,
    ScoreScale,
    Shared,
    Tied,
)
from core.combinations import (
    check_decoder,
    check_memory,
    check_positions,
    check_projections,
    check_scores,
)
from core.copying import check_copying
from core.settings import ConfigError as ConfigError
from core.settings import Settings, one_of
from core.settings import require as require
from core.sizes import check_sizes
from core.stacks import Stacks
from core.target_tokens import TargetTokens
from core.vocabulary import BOS, EOS, FIRST_ID, PAD

MOST_RATIO = 2**16
"""No pair has more target tokens for each of its source."""


@dataclass(frozen=True, slots=True)
class ModelConfig(TargetTokens, Stacks):
    """The sizes of a Transformer; the defaults are the paper's base model (Table 3).

    What comes after `tied` makes it another kind of Transformer: see `core.families`.
    """

    vocab_size: int
    n_encoder_layers: int = 6
    """0 for a decoder alone, which then looks at nothing but its own past."""
    n_decoder_layers: int = 6
    """0 for an encoder alone, whose output says what stands at each place."""
    d_model: int = 512
    d_ff: int = 2048
    n_heads: int = 8
    d_k: int = 0
    """Width of a head's queries and keys; 0 becomes d_model / n_heads, as in the paper."""
    d_v: int = 0
    """Width of a head's values; 0 becomes d_model / n_heads."""
    dropout: float = 0.1
    norm: Norm = "post"
    positions: Positions = "sinusoidal"
    """halves: sinusoids with all sines first. buckets: learned for distances, added to the scores
    (T5). rotary: queries and keys are turned (RoPE)."""
    max_positions: int = 512
    """Longest sequence, BOS or EOS included."""
    tied: Tied = "all"
    """Which of source embedding, target embedding and output projection are one matrix: all of
    them, the two of the target, the two embeddings, or none. A file may say true or false."""

    norm_kind: NormKind = "layer"
    norm_eps: float = 1e-5
    activation: Activation = "relu"
    gated: bool = False
    """The feed-forward layer multiplies its units with a second projection (GLU)."""
    attention_bias: bool = True
    ff_bias: bool = True
    n_kv_heads: int = 0
    """Sets of keys and values, each shared by as many heads; 0 for one set a head."""
    scores: Scores = "dot"
    """What queries and keys make of each other: dot products; v · tanh(W q + U k), a small network
    (Bahdanau et al. 2015); φ(q) · φ(k), without a softmax (Katharopoulos et al. 2020)."""
    score_scale: ScoreScale = "width"
    """Dot products are divided by √d_k; by that times the number of the layer, from 1; or by
    nothing."""
    embedding_scale: bool = True
    """Token vectors are multiplied by √d_model."""
    embedding_norm: bool = False
    sinusoid_base: float = 10000.0
    """Sinusoids turn by 1 / base^(2i / d_model) of a radian at each position."""
    encoder_mixing: EncoderMixing = "attention"
    """How a position of an encoder learns of the others: by looking at them, by the mean of all, by
    its two neighbours, not at all, or by a state that passes from word to word."""
    decoder_mixing: DecoderMixing = "attention"
    """How a position of a decoder learns of those before it; gru and lstm are recurrent."""
    cross: Cross = "attention"
    """How a decoder learns of the source: by looking at it, or, where it is recurrent, by nothing
    but the encoder's last state, with which its own begins."""
    memory: Memory = "last"
    """Which encoder layer a decoder layer reads: the last, the first, that of its own depth, or a
    learned mixture of all (He et al. 2018)."""
    decoder: Decoder = "causal"
    """causal: it writes one token after the other. parallel: it sees all places at once, and fills
    in those that are masked (mask-predict, Ghazvininejad et al. 2019) up to the first EOS."""
    length: Length = "end"
    """Where a parallel decoder's target ends: at the first EOS of more places than are needed, or
    where a classifier on top of the encoder predicts that it will."""
    pointer: bool = False
    """Words are also copied from where the last cross-attention looks (See et al. 2017)."""
    shared_names: int = 0
    """So many tokens, the last of the vocabulary, are names that are read as one vector."""
    shared: Shared = "nothing"
    """Which of the projections to queries, keys and values are one matrix, in every layer."""
    projections: bool = True
    """Without, each head's queries, keys and values are its share of what comes in, as it is."""
    output_projection: bool = True
    """What heads make goes through W^O; without, their outputs stand side by side."""
    residual: bool = True
    """What a sublayer makes is added to what it was given; without it takes its place."""
    feed_forward: bool = True
    """Without, a layer is attention alone."""
    n_segments: int = 0
    """Learned vectors that say to which of several texts a token belongs."""
    rotary_base: float = 10000.0
    rotary_pairs: RotaryPairs = "halves"
    """Which dimensions turn together: neighbours (2i, 2i + 1) or (i, i + d_k / 2)."""
    rotary_scaling: tuple[float, ...] = ()
    """Of LLaMA 3.1 and later: factor, low and high frequency factor, original positions."""
    n_buckets: int = 32
    max_distance: int = 128
    """From which distance on all are in the last bucket."""
    logit_scale: bool = False
    """The stream is divided by √d_model before the output projection."""
    logit_bias: bool = False
    head_transform: bool = False
    """A dense layer with its activation and a norm stands before the output projection."""
    has_output: bool = True
    """False for an encoder that only makes vectors."""
    target_vocab_size: int = 0
    """0 where it is vocab_size."""
    pad_id: int = PAD
    """The token that fills up a batch and is never looked at; −1 where there is none."""
    bos_id: int = BOS
    """The first that a decoder is fed; −1 where that is the text itself."""
    eos_ids: tuple[int, ...] = (EOS,)
    """Each of them ends a target; none for a model that never ends by itself."""
    target_ratio: float = 0.0
    """Most tokens of a target for each of its source, EOS counted, in the pairs that were learned;
    0 where that is unknown. It decides at what length decoding stops."""

    def __post_init__(self) -> None:
        # Files of before say true or false, and JSON has only lists.
        if isinstance(self.tied, bool):
            object.__setattr__(self, "tied", "all" if self.tied else "none")
        for name in ("rotary_scaling", "eos_ids"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        self.check_types()
        sizes = {name: getattr(self, name) for name, kind in _TYPES.items() if kind is int}
        check_sizes(sizes, has_table=self.positions in ("sinusoidal", "halves"))
        require(0 <= self.dropout < 1, "dropout is {dropout}, not in [0, 1)", dropout=self.dropout)
        require(
            0 <= self.target_ratio <= MOST_RATIO,
            "target_ratio is {value}, not 0 to {most}",
            value=self.target_ratio,
            most=MOST_RATIO,
        )
        for name, offered in CHOICES.items():
            value = getattr(self, name)
            require(
                value in offered,
                "{name} is {value}, not {known}",
                name=name,
                value=repr(value),
                known=one_of(offered),
            )
        for name in ("norm_eps", "rotary_base", "sinusoid_base"):
            require(
                getattr(self, name) > 0,
                "{name} is {value}, not above 0",
                name=name,
                value=getattr(self, name),
            )
        require(
            self.positions not in ("sinusoidal", "halves") or self.d_model % 2 == 0,
            "d_model is {d_model}: sinusoids come in pairs and need an even width",
            d_model=self.d_model,
        )
        self._fill()
        self._check_together()

    @property
    def n_key_value_sets(self) -> int:
        """Sets of keys and values of a layer; several heads may share one."""
        return self.n_kv_heads or self.n_heads

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them; later ones only where they differ."""
        # So the file of a model as the paper has it stays what it was.
        kept = Settings.to_dict(self)
        kept["tied"] = {"all": True, "none": False}.get(self.tied, self.tied)
        usual: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(self)}
        for name in ("rotary_scaling", "eos_ids"):
            kept[name], usual[name] = list(kept[name]), list(usual[name])
        later = list(usual)[list(usual).index("tied") + 1 :]
        return {n: value for n, value in kept.items() if n not in later or value != usual[n]}

    def _fill(self) -> None:
        """Put what follows from other settings in the place of zeros."""
        for name in ("d_k", "d_v"):
            if getattr(self, name) == 0:
                require(
                    self.d_model % self.n_heads == 0,
                    "{n_heads} heads cannot share a width of {d_model} evenly: d_model is "
                    "no multiple of n_heads",
                    n_heads=self.n_heads,
                    d_model=self.d_model,
                )
                object.__setattr__(self, name, self.d_model // self.n_heads)

    def _check_together(self) -> None:
        """Refuse settings of which each can be, and that do not go together."""
        require(
            self.n_heads % self.n_key_value_sets == 0,
            "n_kv_heads is {n_kv_heads}: {n_heads} heads cannot share so many sets "
            "of keys and values evenly",
            n_kv_heads=self.n_kv_heads,
            n_heads=self.n_heads,
        )
        buckets = self.n_buckets, self.max_distance
        check_positions(self.positions, self.d_k, buckets, self.rotary_scaling)
        require(
            self.tied not in ("all", "embeddings")
            or self.alone is not None
            or self.n_target_tokens == self.vocab_size,
            "target_vocab_size is {target_vocab_size} and vocab_size {vocab_size}: "
            "embeddings of different sizes cannot be tied ({tied})",
            target_vocab_size=self.target_vocab_size,
            vocab_size=self.vocab_size,
            tied=self.tied,
        )
        check_projections(
            self.shared,
            (self.n_heads, self.n_key_value_sets, self.d_k, self.d_v, self.d_model),
            projections=self.projections,
            output_projection=self.output_projection,
        )
        attends_to_source = not self.alone and self.cross == "attention"
        require(
            self.norm_kind != "batch" or not (self.embedding_norm or self.head_transform),
            "norm_kind is batch: where tokens come in and where words are scored "
            "(embedding_norm, head_transform) norms know nothing of padding",
        )
        require(
            self.decoder_mixing == "attention" or (not self.alone and self.positions != "buckets"),
            "decoder_mixing is {decoder_mixing}: it needs an encoder, and no buckets",
            decoder_mixing=self.decoder_mixing,
        )
        require(
            self.encoder_mixing == "attention" or (not self.alone and self.positions != "buckets"),
            "encoder_mixing is {encoder_mixing}: it needs a decoder, and no buckets",
            encoder_mixing=self.encoder_mixing,
        )
        require(
            self.cross == "attention"
            or (not self.alone and self.decoder_mixing in ("gru", "lstm")),
            "cross is {cross}: then the decoder must be recurrent (gru or lstm), "
            "and begin with an encoder's last state",
            cross=self.cross,
        )
        check_memory(
            self.memory,
            (self.n_encoder_layers, self.n_decoder_layers),
            reads=attends_to_source and self.decoder_mixing not in ("gru", "lstm"),
            batch_norm_before=self.norm_kind == "batch" and self.norm == "pre",
        )
        check_scores(
            self.scores,
            self.positions,
            self.score_scale,
            attends=attends_to_source or "attention" in (self.encoder_mixing, self.decoder_mixing),
        )
        check_decoder(
            self.decoder,
            self.length,
            self.memory,
            self.max_positions,
            attends=not self.alone and self.decoder_mixing == "attention",
        )
        require(
            not self.encoder_mixing.endswith("two_way") or self.d_model % 2 == 0,
            "d_model is {d_model}: two ways share it evenly",
            d_model=self.d_model,
        )
        require(
            self.feed_forward or self.encoder_mixing != "none",
            "encoder_mixing is none and feed_forward is False: its layers would be empty",
        )
        require(
            self.positions != "rotary" or "attention" in (self.encoder_mixing, self.decoder_mixing),
            "positions is rotary, and there is no self-attention whose queries and keys it turns",
        )
        if not self.alone:
            require(self.bos_id >= 0, "bos_id is -1: a decoder beside an encoder begins with one")
        check_copying(self)
        most = max(self.pad_id, self.bos_id, *self.eos_ids)
        n = max(self.vocab_size, self.n_target_tokens, FIRST_ID)
        require(most < n, "a special token has number {most}: there are {n} tokens", most=most, n=n)
        require(
            self.has_output or self.n_decoder_layers == 0,
            "has_output is False: a decoder says which token comes next",
        )


_TYPES = {field.name: field.type for field in dataclasses.fields(ModelConfig)}
