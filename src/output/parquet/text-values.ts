import { ByteSink } from './byte-sink.ts';
import { deltaBinaryPacked } from './delta-binary-packed.ts';
import {
  type Bounds,
  type Coding,
  type Dictionary,
  roomForKinds,
  tooMany,
  type ValuePart,
  type Values,
} from './values.ts';

const grown = (
  numbers: Uint32Array,
  length: number = numbers.length * 2,
): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(length);
  larger.set(numbers);
  return larger;
};

/** Texts of a column in UTF-8. Equal neighbours are stored once. */
export class TextValues implements Values {
  readonly codings: readonly Coding[] = ['PLAIN', 'DELTA_BYTE_ARRAY'];
  readonly #texts = new ByteSink();
  /** End of each text, and start of the next one. */
  #ends = new Uint32Array(256);
  #texted = 0;
  #last: string | undefined;
  /** Text of each value. */
  #which = new Uint32Array(256);
  #count = 0;
  #plainBytes = 0;

  get count(): number {
    return this.#count;
  }

  get plainBytes(): number {
    return this.#plainBytes;
  }

  add(value: unknown): boolean {
    if (value !== this.#last) {
      if (typeof value !== 'string') return false;
      if (this.#texted === this.#ends.length) this.#ends = grown(this.#ends);
      this.#texts.text(value);
      this.#ends[this.#texted++] = this.#texts.length;
      this.#last = value;
    }
    if (this.#count === this.#which.length) this.#which = grown(this.#which);
    const text = this.#texted - 1;
    this.#which[this.#count++] = text;
    this.#plainBytes += this.#endOf(text) - this.#startOf(text) + 4;
    return true;
  }

  reserve(values: number): void {
    if (values > this.#which.length) this.#which = grown(this.#which, values);
  }

  clear(): void {
    this.#texts.clear();
    this.#texted = 0;
    this.#last = undefined;
    this.#count = 0;
    this.#plainBytes = 0;
  }

  #startOf(text: number): number {
    return text === 0 ? 0 : (this.#ends[text - 1] ?? 0);
  }

  #endOf(text: number): number {
    return this.#ends[text] ?? 0;
  }

  encode(coding: Coding, part: ValuePart, into: ByteSink): void {
    if (coding === 'DELTA_BYTE_ARRAY') this.#encodeDeltas(part, into);
    else for (let i = part.start; i < part.end; i++) this.encodeOne(i, into);
  }

  encodeOne(position: number, into: ByteSink): void {
    const text = this.#which[position] ?? 0;
    const [from, to] = [this.#startOf(text), this.#endOf(text)];
    into.word(to - from);
    into.append(this.#texts.view(), from, to);
  }

  /**
   * Writes the number of bytes shared with the previous text, the number of other bytes, then those.
   */
  #encodeDeltas({ start, end, packing }: ValuePart, into: ByteSink): void {
    const bytes = this.#texts.view();
    const shared = new Float64Array(end - start);
    const own = new Float64Array(end - start);
    let before: number | undefined;
    for (let i = start; i < end; i++) {
      const text = this.#which[i] ?? 0;
      const same = before === undefined ? 0 : this.#sharedBy(bytes, before, text);
      shared[i - start] = same;
      own[i - start] = this.#endOf(text) - this.#startOf(text) - same;
      before = text;
    }
    const all = { start: 0, end: end - start };
    deltaBinaryPacked(shared, all, packing, into);
    deltaBinaryPacked(own, all, packing, into);
    for (let i = start; i < end; i++) {
      const to = this.#endOf(this.#which[i] ?? 0);
      const length = own[i - start] ?? 0;
      if (length > 0) into.append(bytes, to - length, to);
    }
  }

  /** Number of common leading bytes of two texts. */
  #sharedBy(bytes: Buffer, left: number, other: number): number {
    const [from, to] = [this.#startOf(left), this.#endOf(left)];
    const shift = this.#startOf(other) - from;
    const end = Math.min(to, this.#endOf(other) - shift);
    let at = from;
    if (shift === 0) return to - from;
    while (at < end && bytes[at] === bytes[at + shift]) at += 1;
    return at - from;
  }

  /** True if two texts are equal, byte by byte. */
  #same(bytes: Buffer, left: number, other: number): boolean {
    const [from, to] = [this.#startOf(left), this.#endOf(left)];
    const shift = this.#startOf(other) - from;
    if (this.#endOf(other) - to !== shift) return false;
    for (let i = from; i < to; i++) if (bytes[i] !== bytes[i + shift]) return false;
    return true;
  }

  #hashOf(bytes: Buffer, text: number): number {
    const to = this.#endOf(text);
    let hash = 0x811c9dc5;
    for (let i = this.#startOf(text); i < to; i++)
      hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
    return (hash ^ (hash >>> 15)) >>> 0;
  }

  dictionary(): Dictionary | undefined {
    const kinds = roomForKinds(this.#count);
    const bytes = this.#texts.view();
    const slots = 2 ** (33 - Math.clz32(this.#texted)); // at least twice as many as texts
    const table = new Int32Array(slots).fill(-1); // kinds, by the hash of their text
    const firsts: number[] = [];
    const texts: number[] = []; // of each kind
    for (let i = 0; i < this.#count; i++) {
      const text = this.#which[i] ?? 0;
      if (i > 0 && this.#which[i - 1] === text) {
        kinds[i] = kinds[i - 1] ?? 0;
        continue;
      }
      let slot = this.#hashOf(bytes, text) % slots;
      let kind = table[slot] ?? -1;
      while (kind !== -1 && !this.#same(bytes, texts[kind] ?? 0, text)) {
        slot = (slot + 1) % slots;
        kind = table[slot] ?? -1;
      }
      if (kind === -1) {
        kind = table[slot] = firsts.length;
        firsts.push(i);
        texts.push(text);
        if (tooMany(firsts.length, i)) return undefined;
      }
      kinds[i] = kind;
    }
    return { firsts, kinds };
  }

  /** Compares the bytes of two texts: negative if the first comes first. */
  #order(bytes: Buffer, left: number, other: number): number {
    const [from, to] = [this.#startOf(left), this.#endOf(left)];
    const [start, end] = [this.#startOf(other), this.#endOf(other)];
    const most = Math.min(to - from, end - start);
    for (let i = 0; i < most; i++) {
      const difference = (bytes[from + i] ?? 0) - (bytes[start + i] ?? 0);
      if (difference !== 0) return difference;
    }
    return to - from - (end - start);
  }

  bounds(): Bounds | undefined {
    if (this.#count === 0) return undefined;
    const bytes = this.#texts.view();
    let least = 0;
    let greatest = 0;
    for (let i = 1; i < this.#texted; i++) {
      if (this.#order(bytes, i, greatest) > 0) greatest = i;
      else if (this.#order(bytes, i, least) < 0) least = i;
    }
    const textAt = (text: number): Buffer =>
      Buffer.from(bytes.subarray(this.#startOf(text), this.#endOf(text)));
    return { least: textAt(least), greatest: textAt(greatest) };
  }
}
