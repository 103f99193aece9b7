// The model itself: core/model/transformer.py, as far as an encoder–decoder of the paper needs it.
// Shapes: K positions, D model width, H heads, E width of one head; a matrix has a row for each
// number that it makes.

const SIGN = 0x8000;

/** 16-bit floats as 32-bit ones. */
export function widened(halves) {
  const table = new Float32Array(0x10000);
  for (let bits = 0; bits < 0x10000; bits += 1) {
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024);
    table[bits] = bits & SIGN ? -size : size;
  }
  const floats = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i += 1) floats[i] = table[halves[i]];
  return floats;
}

const rowsOf = (x_KD, width) => x_KD.length / width;
const row = (x_KD, width, k) => x_KD.subarray(k * width, (k + 1) * width);
const lengths = (x_KD, width) => Array.from({ length: rowsOf(x_KD, width) }, (_, k) =>
  Math.sqrt(row(x_KD, width, k).reduce((sum, x) => sum + x * x, 0)));

function dot(x, xAt, y, yAt, size) {
  let [a, b, c, d] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 3 < size; i += 4) {
    a += x[xAt + i] * y[yAt + i];
    b += x[xAt + i + 1] * y[yAt + i + 1];
    c += x[xAt + i + 2] * y[yAt + i + 2];
    d += x[xAt + i + 3] * y[yAt + i + 3];
  }
  for (; i < size; i += 1) a += x[xAt + i] * y[yAt + i];
  return a + b + c + d;
}

export function softmax(scores) {
  const most = scores.reduce((best, score) => Math.max(best, score), -Infinity);
  const powers = Float64Array.from(scores, (score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** The most probable ids of scores, best first, each with its probability. */
export function mostProbable(scores, n) {
  const shares = softmax(scores);
  const best = [];
  shares.forEach((share, id) => {
    if (best.length === n && share <= best[n - 1][1]) return;
    const at = best.findIndex(([, other]) => share > other);
    best.splice(at < 0 ? best.length : at, 0, [id, share]);
    if (best.length > n) best.pop();
  });
  return best;
}

export class Model {
  /** `config`: the model's settings; `tensors`: name → its numbers. */
  constructor(config, tensors) {
    Object.assign(this, { config, tensors });
  }

  tensor(name) {
    return this.tensors.get(name);
  }

  linear(name, x_KD, width) {
    const [weight, bias] = [this.tensor(`${name}.weight`), this.tensor(`${name}.bias`)];
    const [n, size] = [rowsOf(x_KD, width), weight.length / width];
    const made = new Float32Array(n * size);
    for (let o = 0; o < size; o += 1) {
      for (let k = 0; k < n; k += 1) {
        made[k * size + o] = dot(x_KD, k * width, weight, o * width, width) + (bias ? bias[o] : 0);
      }
    }
    return made;
  }

  norm(name, x_KD) {
    const { d_model: width, norm_eps: eps, norm_kind: kind } = this.config;
    const gain = this.tensor(`${name}.weight`);
    if (!gain) return x_KD;
    const bias = this.tensor(`${name}.bias`);
    const made = new Float32Array(x_KD.length);
    for (let k = 0; k < rowsOf(x_KD, width); k += 1) {
      const x = row(x_KD, width, k);
      const mean = kind === "rms" ? 0 : x.reduce((sum, each) => sum + each, 0) / width;
      const scale = 1 / Math.sqrt(x.reduce((sum, each) => sum + (each - mean) ** 2, 0) / width + eps);
      x.forEach((each, i) => {
        made[k * width + i] = (each - mean) * scale * gain[i] + (bias ? bias[i] : 0);
      });
    }
    return made;
  }

  /** Token vectors times √d_model, plus positions. */
  embed(side, ids, start = 0) {
    const { d_model: width, embedding_scale: scales, positions, sinusoid_base: base } = this.config;
    const tokens = this.tensor(`${side}_embedding.tokens.weight`) ?? this.tensor("source_embedding.tokens.weight");
    const learned = this.tensor(`${side}_embedding.positions_PD`);
    const x_KD = new Float32Array(ids.length * width);
    ids.forEach((id, k) => {
      for (let i = 0; i < width; i += 1) {
        const angle = (start + k) / base ** ((i - (i % 2)) / width);
        const wave = positions === "sinusoidal" ? Math.fround(i % 2 ? Math.cos(angle) : Math.sin(angle)) : 0;
        const position = learned ? learned[(start + k) * width + i] : wave;
        x_KD[k * width + i] = tokens[id * width + i] * (scales ? Math.sqrt(width) : 1) + position;
      }
    });
    return x_KD;
  }

  /** Mix the values of all heads: a query sees the keys before `sees` of its number. */
  attend(query_QHE, { key_KHE, value_KHE }, sees, silent) {
    const { n_heads: heads, d_k: dk, d_v: dv, score_scale: scaling } = this.config;
    const [n, divisor] = [rowsOf(query_QHE, heads * dk), scaling === "width" ? Math.sqrt(dk) : 1];
    const mixed_QHE = new Float32Array(n * heads * dv);
    const weights_QHK = [];
    for (let q = 0; q < n; q += 1) {
      weights_QHK.push(Array.from({ length: heads }, (_, head) => {
        const scores = new Float32Array(sees(q));
        for (let k = 0; k < scores.length; k += 1) {
          scores[k] = dot(query_QHE, (q * heads + head) * dk, key_KHE, (k * heads + head) * dk, dk) / divisor;
        }
        const weights = softmax(scores);
        weights.forEach((weight, k) => {
          for (let e = 0; e < dv && !silent.has(head); e += 1) {
            mixed_QHE[(q * heads + head) * dv + e] += weight * value_KHE[(k * heads + head) * dv + e];
          }
        });
        return weights;
      }));
    }
    return { mixed_QHE, weights_QHK };
  }

  keysValues(name, memory_KD) {
    const width = this.config.d_model;
    return { key_KHE: this.linear(`${name}.key`, memory_KD, width), value_KHE: this.linear(`${name}.value`, memory_KD, width) };
  }

  /** A sublayer of attention; what its heads looked at is kept in `seen`. */
  attention(name, x_QD, memory, sees, { silent, weights }) {
    const { d_model: width, n_heads: heads, d_v: dv } = this.config;
    const { mixed_QHE, weights_QHK } = this.attend(this.linear(`${name}.query`, x_QD, width), memory, sees, silent);
    weights.push(...weights_QHK);
    return this.linear(`${name}.output`, mixed_QHE, heads * dv);
  }

  feedForward(name, x_KD) {
    const { d_model: width, d_ff: hidden } = this.config;
    const made = this.linear(`${name}.expand`, x_KD, width).map((x) => Math.max(0, x));
    return this.linear(`${name}.contract`, made, hidden);
  }

  /** x + sublayer(norm(x)), or norm(x + sublayer(x)), with the sizes of what is added and of the sum. */
  residual(name, x_KD, sublayer, seen) {
    const { d_model: width, norm } = this.config;
    const added = sublayer(norm === "pre" ? this.norm(name, x_KD) : x_KD);
    const sum = x_KD.map((x, i) => x + added[i]);
    const made = norm === "pre" ? sum : this.norm(name, sum);
    seen.added.push(...lengths(added, width));
    seen.norms.push(...lengths(made, width));
    return made;
  }

  logits(x_KD) {
    const { d_model: width, never_said: never } = this.config;
    const output = this.tensor("output.weight") ? "output" : `${this.tensor("target_embedding.tokens.weight") ? "target" : "source"}_embedding.tokens`;
    const scores = this.linear(output, this.norm("decoder_norm", x_KD), width);
    for (const id of never) scores[id] = -Infinity;
    return scores;
  }
}

/** What is seen of each sublayer of a stack, in the order of the data. */
function watched({ config }, stack, silenced) {
  const names = ["self_attention", ...(stack === "decoder" ? ["cross_attention"] : []), ...(config.feed_forward ? ["feed_forward"] : [])];
  return Array.from({ length: config[`n_${stack}_layers`] }, (_, layer) => names.map((name, index) => {
    const site = `${stack}.${layer}.${name.replace("_attention", "")}`;
    const heads = silenced.filter((each) => each.startsWith(`${site}:`)).map((each) => Number(each.split(":")[1]));
    const at = `${stack}.${layer}`;
    return { site, layer, name: `${at}.${name}`, norm: `${at}.residuals.${index}.norm`, silent: new Set(heads), added: [], norms: [], weights: [] };
  })).flat();
}

/** Read the source: the memory of each decoder layer, and what was seen on the way. */
export function encode(model, ids, silenced = []) {
  const { d_model: width } = model.config;
  const sublayers = watched(model, "encoder", silenced);
  let x_KD = model.embed("source", ids);
  const norms = [lengths(x_KD, width)];
  for (const seen of sublayers) {
    x_KD = model.residual(seen.norm, x_KD, (input_KD) => (seen.name.endsWith("feed_forward")
      ? model.feedForward(seen.name, input_KD)
      : model.attention(seen.name, input_KD, model.keysValues(seen.name, input_KD), () => ids.length, seen)), seen);
    norms.push(seen.norms);
  }
  return { memory_KD: model.norm("encoder_norm", x_KD), sublayers, norms };
}

/** A decoder that is fed one token after the other. */
export class Decoder {
  constructor(model, memory_KD, silenced = []) {
    this.model = model;
    this.sublayers = watched(model, "decoder", silenced);
    this.norms = [[], ...this.sublayers.map(({ norms }) => norms)];
    this.guesses = Array.from({ length: model.config.n_decoder_layers }, () => []);
    this.n = 0;
    this.caches = new Map(this.sublayers.map(({ name }) => [name, name.endsWith("cross_attention")
      ? model.keysValues(name, memory_KD) : { key_KHE: new Float32Array(), value_KHE: new Float32Array() }]));
  }

  /** Feed a token; return the scores of the one after it. */
  feed(id) {
    const { model, sublayers } = this;
    const { d_model: width } = model.config;
    let x_1D = model.embed("target", [id], this.n);
    this.n += 1;
    this.norms[0].push(...lengths(x_1D, width));
    let scores;
    sublayers.forEach((seen, at) => {
      x_1D = model.residual(seen.norm, x_1D, (input_1D) => this.sublayer(seen, input_1D), seen);
      if (sublayers[at + 1]?.layer === seen.layer) return;
      scores = model.logits(x_1D);
      this.guesses[seen.layer].push(mostProbable(scores, 1)[0]);
    });
    return scores;
  }

  sublayer(seen, input_1D) {
    const { model, caches } = this;
    const { name } = seen;
    if (name.endsWith("feed_forward")) return model.feedForward(name, input_1D);
    if (name.endsWith("self_attention")) caches.set(name, grown(caches.get(name), model.keysValues(name, input_1D)));
    const memory = caches.get(name);
    const n = rowsOf(memory.key_KHE, model.config.n_heads * model.config.d_k);
    return model.attention(name, input_1D, memory, () => n, seen);
  }
}

const grown = (old, more) => Object.fromEntries(Object.keys(old).map((name) => {
  const both = new Float32Array(old[name].length + more[name].length);
  both.set(old[name]);
  both.set(more[name], old[name].length);
  return [name, both];
}));

/** How many tokens are written at most for a source of this length, its end included. */
export function mostWritten({ target_ratio: ratio, max_positions: most }, nSource) {
  return Math.max(0, Math.min(most - 1, Math.ceil(Math.max(2, ratio) * nSource) + 16));
}

/**
 * One pass: the source is read, and the decoder is fed what it writes, or a text that is given.
 * `best`: the five most probable tokens of each step; `next`: what follows each, and its share.
 */
export function follow(model, sourceIds, { silenced = [], given = null } = {}) {
  const { config } = model;
  const encoder = encode(model, sourceIds, silenced);
  const decoder = new Decoder(model, encoder.memory_KD, silenced);
  const [best, next, fed] = [[], [], [config.bos_id]];
  for (let step = 0; ; step += 1) {
    const scores = decoder.feed(fed[step]);
    best.push(mostProbable(scores, 5));
    const id = given ? given[step] ?? config.eos_ids[0] : best[step][0][0];
    next.push([id, softmax(scores)[id]]);
    const ended = given ? step === given.length : config.eos_ids.includes(id);
    if (ended || (!given && step === mostWritten(config, sourceIds.length))) break;
    fed.push(id);
  }
  return { sourceIds, fed, encoder, decoder, best, next };
}
