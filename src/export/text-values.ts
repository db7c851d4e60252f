import { ByteSink } from './byte-sink.ts';
import { deltaBinaryPacked } from './delta-binary-packed.ts';
import { greatestWithin, leastWithin } from './text-bounds.ts';
import {
  type Bounds,
  type Coding,
  type Dictionary,
  type Part,
  tooMany,
  type Values,
} from './values.ts';

/** Texts of a column, as UTF-8 one after another. */
export class TextValues implements Values {
  readonly codings: readonly Coding[] = ['PLAIN', 'DELTA_BYTE_ARRAY'];
  readonly #texts = new ByteSink();
  /** Where each text ends; it begins where the one before ends. */
  #ends = new Uint32Array(256);
  #kinds = new Uint32Array(0);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get plainBytes(): number {
    return this.#texts.length + this.#count * 4;
  }

  add(value: unknown): boolean {
    if (typeof value !== 'string') return false;
    if (this.#count === this.#ends.length) {
      const grown = new Uint32Array(this.#ends.length * 2);
      grown.set(this.#ends);
      this.#ends = grown;
    }
    this.#texts.text(value);
    this.#ends[this.#count++] = this.#texts.length;
    return true;
  }

  clear(): void {
    this.#texts.clear();
    this.#count = 0;
  }

  #startOf(position: number): number {
    return position === 0 ? 0 : (this.#ends[position - 1] ?? 0);
  }

  #endOf(position: number): number {
    return this.#ends[position] ?? 0;
  }

  encode(coding: Coding, part: Part, into: ByteSink): void {
    if (coding === 'DELTA_BYTE_ARRAY') this.#encodeDeltas(part, into);
    else for (let i = part.start; i < part.end; i++) this.encodeOne(i, into);
  }

  encodeOne(position: number, into: ByteSink): void {
    const [from, to] = [this.#startOf(position), this.#endOf(position)];
    into.word(to - from);
    into.append(this.#texts.view(), from, to);
  }

  /** How many bytes of each text are those of the text before, how many are not, then those. */
  #encodeDeltas({ start, end, packing }: Part, into: ByteSink): void {
    const bytes = this.#texts.view();
    const shared = new Float64Array(end - start);
    const own = new Float64Array(end - start);
    for (let i = start; i < end; i++) {
      const [from, to] = [this.#startOf(i), this.#endOf(i)];
      const before = i === start ? from : this.#startOf(i - 1);
      const most = i === start ? 0 : Math.min(to - from, from - before);
      let same = 0;
      while (same < most && bytes[from + same] === bytes[before + same]) same += 1;
      shared[i - start] = same;
      own[i - start] = to - from - same;
    }
    const all = { start: 0, end: end - start };
    deltaBinaryPacked(shared, all, packing, into);
    deltaBinaryPacked(own, all, packing, into);
    for (let i = start; i < end; i++)
      into.append(bytes, this.#startOf(i) + (shared[i - start] ?? 0), this.#endOf(i));
  }

  /** Whether two texts are the same, byte by byte. */
  #same(bytes: Buffer, one: number, other: number): boolean {
    const [from, to] = [this.#startOf(one), this.#endOf(one)];
    const shift = this.#startOf(other) - from;
    if (this.#endOf(other) - to !== shift) return false;
    for (let i = from; i < to; i++) if (bytes[i] !== bytes[i + shift]) return false;
    return true;
  }

  #hashOf(bytes: Buffer, position: number): number {
    const to = this.#endOf(position);
    let hash = 0x811c9dc5;
    for (let i = this.#startOf(position); i < to; i++)
      hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
    return (hash ^ (hash >>> 15)) >>> 0;
  }

  dictionary(): Dictionary | undefined {
    if (this.#kinds.length < this.#count) this.#kinds = new Uint32Array(this.#ends.length);
    const bytes = this.#texts.view();
    const slots = 2 ** (33 - Math.clz32(this.#count)); // at least twice as many as texts
    const table = new Int32Array(slots).fill(-1); // kinds, by the hash of their text
    const firsts: number[] = [];
    for (let i = 0; i < this.#count; i++) {
      if (i > 0 && this.#same(bytes, i - 1, i)) {
        this.#kinds[i] = this.#kinds[i - 1] ?? 0;
        continue;
      }
      let slot = this.#hashOf(bytes, i) % slots;
      let kind = table[slot] ?? -1;
      while (kind !== -1 && !this.#same(bytes, firsts[kind] ?? 0, i)) {
        slot = (slot + 1) % slots;
        kind = table[slot] ?? -1;
      }
      if (kind === -1) {
        kind = table[slot] = firsts.length;
        firsts.push(i);
        if (tooMany(firsts.length, i)) return undefined;
      }
      this.#kinds[i] = kind;
    }
    return { firsts, kinds: this.#kinds };
  }

  /** Below 0 where the bytes of `one` come before those of `other`, above 0 where after. */
  #order(bytes: Buffer, one: number, other: number): number {
    const [from, to] = [this.#startOf(one), this.#endOf(one)];
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
    for (let i = 1; i < this.#count; i++) {
      if (this.#order(bytes, i, greatest) > 0) greatest = i;
      else if (this.#order(bytes, i, least) < 0) least = i;
    }
    const textAt = (position: number): Buffer =>
      bytes.subarray(this.#startOf(position), this.#endOf(position));
    const [first, last] = [textAt(least), textAt(greatest)];
    const above = greatestWithin(last);
    if (above === undefined) return undefined;
    const below = leastWithin(first);
    return {
      least: below,
      greatest: above,
      leastExact: below.length === first.length,
      greatestExact: above.equals(last),
    };
  }
}
