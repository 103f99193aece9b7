"""The configuration of a model: frozen, validated, and the key of every cache."""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, get_args

from ..heads import Stack
from ..vocabulary import BOS, EOS, PAD
from .checks import check_each, check_together
from .choices import (
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
    Predicts,
    Scores,
    ScoreScale,
    Shared,
    Tied,
)
from .settings import Settings

_KNOWN = (
    *("architecture", "vocab_size", "target_vocab_size", "n_encoder_layers", "n_decoder_layers"),
    *("d_model", "n_heads", "d_k", "d_v", "norm", "max_positions", "tied", "has_output"),
    *("pad_id", "bos_id", "eos_ids"),
)
"""What is known of a model that another library computes."""


@dataclass(frozen=True, slots=True)
class ModelConfig(Settings):
    """The sizes of a Transformer; the defaults are the paper's base model (Table 3).

    Settings after `tied` make other kinds of Transformer: see `core.config.styles`.

    | kind | is fed | predicts |
    |---|---|---|
    | encoder–decoder | a source; BOS and the target | each next token of the target |
    | parallel decoder | a source; a target with masks | the masked tokens |
    | decoder only | one text | each next token |
    | encoder only | one text, with masks | the masked tokens |
    | encoder only, `predicts` tags or class | a source | a tag of each token, or one class |
    """

    vocab_size: int
    n_encoder_layers: int = 6
    """0 for a decoder alone, which attends only to its own past."""
    n_decoder_layers: int = 6
    """0 for an encoder alone, which predicts a token at each position."""
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
    """Which of source embedding, target embedding and output projection share a matrix: all of
    them, the two of the target, the two embeddings, or none. A file may say true or false."""

    norm_kind: NormKind = "layer"
    norm_eps: float = 1e-5
    activation: Activation = "relu"
    gated: bool = False
    """The feed-forward layer multiplies its units by a second projection (GLU)."""
    attention_bias: bool = True
    ff_bias: bool = True
    n_kv_heads: int = 0
    """Sets of keys and values, each shared by equally many heads; 0 for one set per head."""
    scores: Scores = "dot"
    """How queries are compared with keys: dot products; v · tanh(W q + U k), a small network
    (Bahdanau et al. 2015); φ(q) · φ(k), without a softmax (Katharopoulos et al. 2020)."""
    score_scale: ScoreScale = "width"
    """Dot products are divided by √d_k, or by nothing."""
    embedding_scale: bool = True
    """Token vectors are multiplied by √d_model."""
    embedding_norm: bool = False
    sinusoid_base: float = 10000.0
    """Sinusoids turn by 1 / base^(2i / d_model) of a radian at each position."""
    encoder_mixing: EncoderMixing = "attention"
    """How encoder positions are mixed: by attention, by the mean of all, by a convolution of
    neighbours, with fixed weights that are learned, not at all, or by a recurrent state."""
    decoder_mixing: DecoderMixing = "attention"
    """How a decoder position gets information from those before it; gru and lstm are recurrent."""
    cross: Cross = "attention"
    """How a decoder gets the source: by cross-attention; own: position t reads the encoder's state
    at t alone, as a tagger does; none: a recurrent one starts from the encoder's final state."""
    memory: Memory = "last"
    """Which encoder layer a decoder layer reads: the last, the first, that of its own depth, or a
    learned mixture of all (He et al. 2018)."""
    decoder: Decoder = "causal"
    """causal: it writes one token after the other. parallel: it sees all places at once, and fills
    in the masked ones (mask-predict, Ghazvininejad et al. 2019) up to the first EOS."""
    length: Length = "end"
    """Where a parallel decoder's target ends: at the first EOS among more places than needed, or
    where a classifier on top of the encoder predicts."""
    predicts: Predicts = "tokens"
    """What an encoder alone predicts: masked tokens; a tag of each token of the source; or one
    class of the whole source, at EOS. Tags and classes are tokens of the vocabulary."""
    pointer: bool = False
    """Words are also copied from where the last cross-attention looks (See et al. 2017)."""
    shared_names: int = 0
    """Number of tokens at the end of the vocabulary that are names; all share one input vector."""
    shared: Shared = "nothing"
    """Which of the projections to queries, keys and values share a matrix, in every layer."""
    projections: bool = True
    """False: each head's queries, keys and values are its slice of the input."""
    output_projection: bool = True
    """Heads' outputs go through W^O; False: they are only concatenated."""
    residual: bool = True
    """The output of a sublayer is added to its input; False: it replaces the input."""
    feed_forward: bool = True
    """False: a layer is attention alone."""
    n_segments: int = 0
    """Number of learned segment vectors, as BERT has them for two texts; the first is added."""
    rotary_base: float = 10000.0
    n_buckets: int = 32
    max_distance: int = 128
    """Distance from which on all share the last bucket."""
    logit_scale: bool = False
    """The stream is divided by √d_model before the output projection."""
    logit_bias: bool = False
    head_transform: bool = False
    """A dense layer with its activation and a norm stands before the output projection."""
    has_output: bool = True
    """False for an opened encoder that only returns vectors."""
    target_vocab_size: int = 0
    """0 if it is vocab_size."""
    pad_id: int = PAD
    """The padding token, which is never looked at; −1 if there is none."""
    bos_id: int = BOS
    """The first token that a decoder is fed; −1 if that is the text itself."""
    eos_ids: tuple[int, ...] = (EOS,)
    """Each of them ends a target; none for a model that never ends by itself."""
    target_ratio: float = 0.0
    """Largest ratio of target to source tokens, EOS counted, among the training pairs; 0 if
    unknown. It decides at what length decoding stops."""
    architecture: str = ""
    """Class of the `transformers` library that computes the model, of which only sizes and tokens
    are known here; empty for a model of our own modules."""

    def __post_init__(self) -> None:
        # Older files say true or false, and JSON has only lists.
        if isinstance(self.tied, bool):
            object.__setattr__(self, "tied", "all" if self.tied else "none")
        object.__setattr__(self, "eos_ids", tuple(self.eos_ids))
        self.check_values()
        check_each(self)
        for name in ("d_k", "d_v"):
            if getattr(self, name) == 0:
                self.require(
                    self.d_model % self.n_heads == 0,
                    "{n_heads} heads cannot share a width of {d_model} evenly: d_model is "
                    "no multiple of n_heads",
                )
                object.__setattr__(self, name, self.d_model // self.n_heads)
        check_together(self)

    @property
    def n_key_value_sets(self) -> int:
        """Number of sets of keys and values in a layer; several heads may share one."""
        return self.n_kv_heads or self.n_heads

    def layers_of(self, stack: Stack) -> int:
        """Return the number of layers of a stack."""
        return {"encoder": self.n_encoder_layers, "decoder": self.n_decoder_layers}[stack]

    @property
    def stacks(self) -> tuple[Stack, ...]:
        """The stacks that have layers."""
        return tuple(stack for stack in get_args(Stack) if self.layers_of(stack))

    @property
    def is_encoder_decoder(self) -> bool:
        """Whether source and target are two sequences; else they are one text."""
        return len(self.stacks) == 2

    @property
    def is_decoder_only(self) -> bool:
        """Whether it continues a text."""
        return self.stacks == ("decoder",)

    @property
    def is_encoder_only(self) -> bool:
        """Whether it reads a text and writes none."""
        return self.stacks == ("encoder",)

    @property
    def labels_text(self) -> bool:
        """Whether it is an encoder alone that predicts tags or a class of the source."""
        return self.predicts != "tokens"

    @property
    def reads_sources(self) -> bool:
        """Whether its input is the source of a pair; else source and target are one text."""
        return self.is_encoder_decoder or self.labels_text

    def labelled(self, n_source: int) -> range:
        """Return the positions that get a tag or the class, of a source of this length with EOS."""
        at_eos = n_source - 1
        ranges = {"tags": range(at_eos), "class": range(at_eos, n_source)}
        return ranges.get(self.predicts, range(0))

    @property
    def is_parallel(self) -> bool:
        """Whether the decoder fills in all places at once, without a look-ahead mask."""
        return self.decoder == "parallel"

    @property
    def predicts_length(self) -> bool:
        """Whether the number of places is known beforehand: EOS is then at the last."""
        return self.length == "predicted"

    @property
    def n_target_tokens(self) -> int:
        """Size of the target's vocabulary."""
        return self.target_vocab_size or self.vocab_size

    @property
    def begins(self) -> tuple[int, ...]:
        """What a decoder is fed before its text."""
        return () if self.bos_id < 0 else (self.bos_id,)

    @property
    def mask_id(self) -> int:
        """The mask token of a parallel decoder: the last id.

        A `ByteLevelTokenizer` with a mask token puts it there.
        """
        return self.n_target_tokens - 1

    def n_places(self, n_source: int) -> int:
        """Return the number of positions of a parallel decoder for a source length.

        More than any training target needs; the rest is filled with EOS.
        """
        usual, learned = n_source + n_source // 2 + 4, math.ceil(self.target_ratio * n_source)
        return min(self.max_positions - 1, max(usual, learned))

    @property
    def never_said(self) -> tuple[int, ...]:
        """Special tokens that are never written: padding, BOS, or the mask."""
        masks = {self.mask_id} if self.is_parallel else set()
        return tuple(sorted({self.pad_id, self.bos_id, *masks} - {-1, *self.eos_ids}))

    def known(self) -> dict[str, Any]:
        """Return the settings that are known: all, unless another library computes the model."""
        settings = dataclasses.asdict(self)
        return {name: settings[name] for name in _KNOWN} if self.architecture else settings

    def whole_numbers(self) -> dict[str, int]:
        """Return every setting whose type is int."""
        fields = dataclasses.fields(self)
        return {field.name: getattr(self, field.name) for field in fields if field.type is int}

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON values; those added later only if not the default."""
        # So the file of the paper's model does not change.
        settings = Settings.to_dict(self)
        settings["tied"] = {"all": True, "none": False}.get(self.tied, self.tied)
        usual: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(self)}
        settings["eos_ids"], usual["eos_ids"] = list(self.eos_ids), list(usual["eos_ids"])
        later = list(usual)[list(usual).index("tied") + 1 :]
        return {n: value for n, value in settings.items() if n not in later or value != usual[n]}
