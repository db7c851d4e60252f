/**
 * Repeatable chance: a stream of numbers that depends on its keys only, so that any part of the
 * made-up world can be computed without the parts before it (sfc32).
 */
export class RandomStream {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;
  #nextNormal: number | undefined;

  constructor(...keys: number[]) {
    let a = 0x9e3779b9;
    let b = 0x85ebca6b;
    let c = 0xc2b2ae35;
    for (const key of keys) {
      a = mixed(a ^ key);
      b = mixed(b + a + key / 0x100000000); // the upper half of keys past 32 bits counts too
      c = mixed(c ^ b);
    }
    this.#a = a;
    this.#b = b;
    this.#c = c;
    for (let round = 0; round < 8; round++) this.next();
  }

  /** 0 <= r < 1, 32 bits fine. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 0x100000000;
  }

  between(from: number, to: number): number {
    return from + (to - from) * this.next();
  }

  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const item = from[this.below(from.length)];
    if (item === undefined) throw new RangeError('Nothing to pick from.');
    return item;
  }

  /** The position of one weight, chosen in proportion. */
  weighted(weights: readonly number[]): number {
    let rest = this.next() * weights.reduce((sum, weight) => sum + weight, 0);
    for (const [index, weight] of weights.entries()) {
      rest -= weight;
      if (rest < 0) return index;
    }
    return weights.length - 1;
  }

  /** Standard normal (Box and Muller 1958). */
  normal(): number {
    const surplus = this.#nextNormal;
    this.#nextNormal = undefined;
    if (surplus !== undefined) return surplus;
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    const angle = 2 * Math.PI * this.next();
    this.#nextNormal = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  logNormal(median: number, sigma: number): number {
    return median * Math.exp(sigma * this.normal());
  }

  /** Poisson (Knuth); for small means. */
  poisson(mean: number): number {
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.next(); product > limit; product *= this.next()) count++;
    return count;
  }
}

/** Finalizer of MurmurHash3. */
const mixed = (value: number): number => {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
};
