// Text to tokens and back, as core/tokenizer has it: words, and byte-level BPE within each.

// The letters of scripts without spaces, as core/tokenizer/words.py lists them.
const UNSPACED = String.raw`\p{sc=Han}〆〼ーｰ[[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]&&[\p{L}\p{M}]]`;
const BEGINS = `(?=[${UNSPACED}])`;
// What belongs to the letter before it: of the marks that take room, Burmese has some that do not.
const EXTENDS = String.raw`[\p{Gr_Ext}\u200d\u0e33\u0eb3[\p{Mc}--[\u102b\u102c\u1038\u1062-\u1064\u1067-\u106d\u1083\u1087-\u108c\u108f\u109a-\u109c\uaa7b\uaa7d]]]*`;
const FORMAT = String.raw`[\p{Cf}&&[^\u200b]]`;
const CHARACTER = String.raw`${BEGINS}(?:[^]${EXTENDS}(?<=[\u1039\u17d2])${BEGINS})*[^]${EXTENDS}${FORMAT}*`;
const LETTERS = String.raw`[[\p{L}\p{M}\p{Cf}]&&[^\u200b${UNSPACED}]]+`;
const ENDS = String.raw`(?![\p{Alphabetic}\p{M}\p{N}\p{Pc}])`;
const CLITICS = `(?:s|re|ve|ll|d|m)${ENDS}`;
const WORD_PATTERN = new RegExp(
  String.raw` ?${CHARACTER}| ?${LETTERS}(?=n['’]t${ENDS})|n['’]t${ENDS}`
  + String.raw`| ?${LETTERS}['’](?=\p{L})(?!${CLITICS})|['’]${CLITICS}`
  + String.raw`| ?${LETTERS}| ?(?:\p{N}[\p{M}\p{Cf}]*)+`
  + String.raw`| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+`, "gv");
const BEFORE_UNSPACED = new RegExp(`^ ${BEGINS}`, "v");

const utf8 = new TextEncoder();
const exactly = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// The printable sign by which byte-level BPE writes each byte.
const SIGNS = [];
for (let byte = 0, others = 0; byte < 256; byte += 1) {
  const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  SIGNS.push(String.fromCharCode(printable ? byte : 0x100 + others++));
}
const BYTES = new Map(SIGNS.map((sign, byte) => [sign, byte]));
const asBytes = (signs) => Array.from(signs, (sign) => BYTES.get(sign));

/** What of bytes is UTF-8, and a text for each byte that is not. */
function decoded(bytes, instead) {
  try {
    return exactly.decode(bytes);
  } catch {
    let text = "";
    for (let at = 0; at < bytes.length;) {
      const size = [1, 2, 3, 4].find((length) => isCharacter(bytes.subarray(at, at + length)));
      text += size ? exactly.decode(bytes.subarray(at, at + size)) : instead(bytes[at]);
      at += size ?? 1;
    }
    return text;
  }
}

function isCharacter(bytes) {
  try {
    return exactly.decode(bytes).length > 0;
  } catch {
    return false;
  }
}

const asHex = (byte) => `‹${byte.toString(16).toUpperCase()}›`;

export class Tokenizer {
  /**
   * `pieces`: of each id what it stands for, a sign for each byte, empty for a special token;
   * `texts`: how each is shown; `merges`: pairs, the most frequent first; `apostrophe`: the one
   * that the model sees; `end`: the id after a source.
   */
  constructor({ pieces, texts, merges, apostrophe, end }) {
    Object.assign(this, { pieces, texts, apostrophe, end });
    this.ids = new Map(pieces.map((piece, id) => [piece, id]));
    this.ranks = new Map(merges.map((pair, rank) => [pair, rank]));
  }

  normalise(text) {
    let normal = text.replace(/\p{Cs}/gu, "?").normalize("NFC");
    normal = this.apostrophe === "’" ? normal.replace(/(?<=\p{L})'(?=\p{L})/gu, "’") : normal.replaceAll("’", "'");
    return normal.replace(/\p{White_Space}+/gu, " ").replace(/^ | $/g, "");
  }

  /** The ids of a text, the end included; of an empty one the end alone. */
  encode(text) {
    const normal = this.normalise(text);
    const words = normal ? ` ${normal}`.replace(BEFORE_UNSPACED, "").match(WORD_PATTERN) : [];
    return [...words.flatMap((word) => this.merged(word)), this.end];
  }

  merged(word) {
    const parts = Array.from(utf8.encode(word), (byte) => SIGNS[byte]);
    for (;;) {
      let [best, at] = [Infinity, -1];
      for (let i = 0; i + 1 < parts.length; i += 1) {
        const rank = this.ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;
        if (rank < best) [best, at] = [rank, i];
      }
      if (at < 0) return parts.map((part) => this.ids.get(part));
      parts.splice(at, 2, parts[at] + parts[at + 1]);
    }
  }

  bytes(ids) {
    return Uint8Array.from(ids.flatMap((id) => asBytes(this.pieces[id])));
  }

  decode(ids) {
    return decoded(this.bytes(ids), asHex).replace(/^ /, "");
  }

  /** What each id is called by itself; of two that read alike, one shows its space. */
  alone(ids) {
    const alike = (id) => ids.some((other) => other !== id && this.texts[other] === this.texts[id]);
    return ids.map((id) => (alike(id) && this.pieces[id].startsWith(SIGNS[0x20]) ? "␣" : "") + this.texts[id]);
  }

  /** Each id with its text, whether it is special, and the number and the text of its word. */
  describe(ids) {
    const words = decoded(this.bytes(ids), () => "x").match(WORD_PATTERN) ?? [];
    const wordOfByte = words.flatMap((word, index) => Array(utf8.encode(word).length).fill(index));
    const tokens = [];
    let [at, word, last] = [0, -1, -1];
    for (const id of ids) {
      const bytes = asBytes(this.pieces[id]);
      const special = bytes.length === 0;
      const own = special ? -1 : wordOfByte[at + (bytes[0] === 0x20 && bytes.length > 1)];
      if (special || own !== last) word += 1;
      [at, last] = [at + bytes.length, own];
      tokens.push({ id, text: this.texts[id], special, word });
    }
    for (const token of tokens) {
      const group = tokens.filter((each) => each.word === token.word).map(({ id }) => id);
      token.wordText = token.special ? token.text : this.decode(group);
    }
    return tokens;
  }
}
