import type { ByteSink } from './byte-sink.ts';
import { deltaBinaryPacked, WIDEST_RANGE } from './delta-binary-packed.ts';
import { type Bounds, type Coding, type Dictionary, tooMany, type Values } from './values.ts';

/** Integers or doubles of a column. */
export class NumberValues implements Values {
  readonly #integers: boolean;
  #numbers = new Float64Array(256);
  #kinds = new Uint32Array(0);
  #count = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  constructor(type: 'integers' | 'doubles') {
    this.#integers = type === 'integers';
  }

  get count(): number {
    return this.#count;
  }

  get plainBytes(): number {
    return this.#count * 8;
  }

  get codings(): readonly Coding[] {
    const close = this.#greatest - this.#least < WIDEST_RANGE;
    return this.#integers && close ? ['DELTA_BINARY_PACKED', 'PLAIN'] : ['PLAIN'];
  }

  add(value: unknown): boolean {
    if (typeof value !== 'number') return false;
    if (this.#integers ? !Number.isSafeInteger(value) : Number.isNaN(value)) return false;
    if (this.#count === this.#numbers.length) {
      const grown = new Float64Array(this.#numbers.length * 2);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.#count++] = value;
    if (value < this.#least) this.#least = value;
    if (value > this.#greatest) this.#greatest = value;
    return true;
  }

  clear(): void {
    this.#count = 0;
    this.#least = Number.POSITIVE_INFINITY;
    this.#greatest = Number.NEGATIVE_INFINITY;
  }

  encode(coding: Coding, start: number, end: number, into: ByteSink): void {
    if (coding === 'DELTA_BINARY_PACKED') deltaBinaryPacked(this.#numbers, start, end, into);
    else for (let i = start; i < end; i++) this.encodeOne(i, into);
  }

  encodeOne(position: number, into: ByteSink): void {
    const value = this.#numbers[position] ?? 0;
    if (this.#integers) into.integer(value);
    else into.double(value);
  }

  dictionary(): Dictionary | undefined {
    if (this.#kinds.length < this.#count) this.#kinds = new Uint32Array(this.#numbers.length);
    const known = new Map<number, number>();
    const firsts: number[] = [];
    for (let i = 0; i < this.#count; i++) {
      const value = this.#numbers[i] ?? 0;
      if (Object.is(value, -0)) return undefined; // a Map takes it for 0
      const kind = known.get(value) ?? firsts.length;
      if (kind === firsts.length) {
        known.set(value, kind);
        firsts.push(i);
        if (tooMany(kind, i)) return undefined;
      }
      this.#kinds[i] = kind;
    }
    return { firsts, kinds: this.#kinds };
  }

  bounds(): Bounds | undefined {
    if (this.#count === 0) return undefined;
    const bytesOf = (bound: number, zero: number): Buffer => {
      const bytes = Buffer.alloc(8);
      if (this.#integers) bytes.writeBigInt64LE(BigInt(bound));
      else bytes.writeDoubleLE(bound === 0 ? zero : bound); // 0 and -0 are equal, and both inside
      return bytes;
    };
    return {
      least: bytesOf(this.#least, -0),
      greatest: bytesOf(this.#greatest, 0),
      leastExact: true,
      greatestExact: true,
    };
  }
}
