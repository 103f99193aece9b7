"""Terms of the model: what it is made of."""

from pages.frame.glossary.term import Term
from pages.frame.language import N_

TERMS = (
    Term(
        "additive-attention",
        N_("additive attention"),
        N_(
            "Attention whose scores come from a small network instead of a dot product: v · "
            "tanh(W q + U k). Each query is compared with each key."
        ),
        "experiments",
        {"experiment": "linear"},
    ),
    Term(
        "antecedent",
        N_("antecedent|antecedents"),
        N_(
            "The noun that a pronoun stands for: “animal” for “it” in “The animal didn’t cross the "
            "street because it was too tired.” To find it, the model needs the rest of the "
            "sentence."
        ),
        "attention",
        {"view": "lines"},
    ),
    Term(
        "attention",
        N_("attention|self-attention"),
        N_(
            "A weighted mean of the values of visible tokens; the weights say how well each key "
            "matches the query. Self-attention looks at the same sequence."
        ),
        "attention",
        {"view": "steps"},
    ),
    Term(
        "batch-norm",
        N_("BatchNorm|batch normalization"),
        N_(
            "Normalisation of each feature over all positions of a batch. In training, what it "
            "makes of a sentence depends on the other sentences of the batch."
        ),
        "layers",
        {"layers": "norms"},
    ),
    Term(
        "cross-attention",
        N_("cross-attention|encoder-decoder attention"),
        N_(
            "Attention of the decoder to the source: queries come from the target, keys and "
            "values from the encoder. In translation it often follows the alignment of words."
        ),
        "attention",
        {"view": "lines", "kind": "decoder.cross"},
    ),
    Term(
        "d-k",
        N_("d_k"),
        N_(
            "The width of the queries and keys of one head: in the paper d_model divided by the "
            "number of heads. Scores are divided by its square root."
        ),
        "scaling",
        {"scaling": "variance"},
    ),
    Term(
        "d-model",
        N_("d_model"),
        N_(
            "The width of the vector that stands for a token in all layers. Every sublayer reads "
            "and writes vectors of this width."
        ),
        "layers",
        {"layers": "parts"},
    ),
    Term(
        "decoder",
        N_("decoder|decoders"),
        N_(
            "The half of the model that writes the target, one token after the other. It sees "
            "what it has written so far and, by cross-attention, the source."
        ),
        "layers",
    ),
    Term(
        "embedding",
        N_("embedding|embeddings"),
        N_(
            "The learned vector that stands for a token. With tied embeddings the same matrix "
            "also turns the last vector into scores for the next token."
        ),
        "layers",
        {"layers": "lens"},
    ),
    Term(
        "encoder",
        N_("encoder|encoders"),
        N_(
            "The half of the model that reads the source. Every token sees all others, and ends "
            "as one vector that knows its context."
        ),
        "layers",
    ),
    Term(
        "feed-forward",
        N_("feed-forward|hidden unit|hidden units"),
        N_(
            "Two linear maps with an activation, such as ReLU, between them, applied to each "
            "position by itself. The hidden units between them respond to different words."
        ),
        "layers",
        {"layers": "units"},
    ),
    Term(
        "gru",
        N_("GRU"),
        N_(
            "A recurrent unit, which reads one token after the other. Of its two gates one says "
            "how much of the state is kept, the other how much of it goes into what is new."
        ),
        "experiments",
        {"experiment": "bottleneck"},
    ),
    Term(
        "head",
        N_("head|heads"),
        N_(
            "One of several attentions that a layer computes side by side, each with its own "
            "query, key and value matrices. Their outputs are joined and mixed by W^O."
        ),
        "attention",
        {"view": "maps"},
    ),
    Term(
        "layer-norm",
        N_("layer norm|LayerNorm|pre-norm|post-norm"),
        N_(
            "Each vector is shifted and scaled to mean 0 and variance 1, then multiplied by a "
            "learned gain, and a learned bias is added. Pre-norm does so before each sublayer, "
            "post-norm (the paper) after the sum."
        ),
        "layers",
        {"layers": "norms"},
    ),
    Term(
        "linear-attention",
        N_("linear attention"),
        N_(
            "Attention without a softmax: queries and keys become positive features, whose "
            "products, divided by their sum, are the weights. Its cost grows with the length, not "
            "with the square of the length."
        ),
        "experiments",
        {"experiment": "linear"},
    ),
    Term(
        "logit",
        N_("logits|logit|temperature"),
        N_(
            "The score of a token before the softmax. Divided by a temperature above 1 the "
            "probabilities become more even, below 1 sharper."
        ),
        "decoding",
        {"decoding": "output"},
    ),
    Term(
        "mask",
        N_("look-ahead mask|padding mask|mask|masks"),
        N_(
            "Says which keys a query may look at; all others get the score −∞ and so the weight "
            "0. The look-ahead mask hides later words, the padding mask hides PAD."
        ),
        "masks",
    ),
    Term(
        "parallel-decoder",
        N_("parallel decoder|mask-predict|non-autoregressive"),
        N_(
            "A decoder without the look-ahead mask, which fills in all words at once instead of "
            "one after the other. In further passes (mask-predict) it masks the words that it is "
            "least sure of, and fills them in again."
        ),
        "decoding",
        {"decoding": "passes"},
    ),
    Term(
        "positional-encoding",
        N_("positional encoding|positional encodings|sinusoids"),
        N_(
            "A vector added to each token that says where it stands; without a mask, attention "
            "itself does not know the order. The paper uses sines and cosines of many frequencies."
        ),
        "positions",
    ),
    Term(
        "query",
        N_("query|queries|key|keys"),
        N_(
            "Two projections of a token: the query is what it looks for, the key is what it "
            "offers. Their dot product, divided by √d_k, is the score."
        ),
        "attention",
        {"view": "steps"},
    ),
    Term(
        "relu",
        N_("ReLU"),
        N_(
            "The activation of the feed-forward layer: what is below 0 becomes 0, the rest stays. "
            "A unit whose value is above 0 fires."
        ),
        "layers",
        {"layers": "units"},
    ),
    Term(
        "recurrent-unit",
        N_("recurrent unit|recurrent units"),
        N_(
            "What translators had before self-attention, such as a GRU or an LSTM: a vector that "
            "goes from each position to the next, of which gates keep a part. It looks nowhere."
        ),
        "experiments",
        {"experiment": "bottleneck"},
    ),
    Term(
        "residual-connection",
        N_("residual connection|residual connections"),
        N_(
            "What a sublayer computes is added to its input instead of replacing it. So inputs "
            "and gradients have a way around each sublayer."
        ),
        "layers",
        {"layers": "stream"},
    ),
    Term(
        "residual-stream",
        N_("residual stream|stream"),
        N_(
            "The vector of a token that goes through all layers; each sublayer adds something to "
            "it. What is added early can be read by every later layer."
        ),
        "layers",
        {"layers": "stream"},
    ),
    Term(
        "rms-norm",
        N_("RMSNorm"),
        N_(
            "Each vector is divided by the root of the mean of its squares, then multiplied by a "
            "learned gain. Unlike LayerNorm, it subtracts no mean and adds no bias."
        ),
        "layers",
        {"layers": "norms"},
    ),
    Term(
        "rotary",
        N_("rotary|RoPE"),
        N_(
            "Positions told by rotation: pairs of components of queries and keys are turned by "
            "angles that grow with the position. So a score depends on how far apart two tokens "
            "are, not on where they stand."
        ),
        "experiments",
        {"experiment": "order"},
    ),
    Term(
        "softmax",
        N_("softmax"),
        N_(
            "Turns scores into weights that are positive and sum to 1: e to the power of each "
            "score, divided by their sum. Large differences of scores make it one-hot."
        ),
        "scaling",
        {"scaling": "softmax"},
    ),
    Term(
        "special",
        N_("special tokens|special token|BOS|EOS|PAD"),
        N_(
            "BOS begins a target, EOS ends a sentence, and PAD fills up a batch to equal length. "
            "PAD is always masked."
        ),
        "masks",
    ),
    Term(
        "token",
        N_("token|tokens|subword|subwords"),
        N_(
            "What the model reads and writes: a word or a piece of one. Rare words are split "
            "into pieces that are known."
        ),
        "attention",
        {"view": "maps"},
    ),
    Term(
        "value",
        N_("value|values"),
        N_(
            "Of attention: a projection of a token, what a query takes from it. The result is the "
            "mean of the values, weighted by the attention weights."
        ),
        "attention",
        {"view": "steps"},
    ),
    Term(
        "weight",
        N_("weight|weights"),
        N_(
            "Of attention: how much of a key's value a query takes, between 0 and 1; a row sums "
            "to 1. Of a model: any number that training changes."
        ),
        "attention",
        {"view": "lines"},
    ),
)
