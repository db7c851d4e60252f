/** A growing row of numbers, 8 bytes each, where objects would take a hundred. Null is kept as NaN. */
export class NumberColumn {
  #values: Float64Array<ArrayBuffer>;
  #length = 0;

  /** Room for `expected` numbers; what is not used takes no memory, what is missing is added. */
  constructor(expected: number) {
    this.#values = new Float64Array(Math.max(16, expected));
  }

  push(value: number | null): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value ?? Number.NaN;
  }

  get length(): number {
    return this.#length;
  }

  /** Empties it, for others in the same memory. */
  clear(): void {
    this.#length = 0;
  }

  /** All numbers so far; valid until the next is pushed. */
  values(): Float64Array {
    return this.#values.subarray(0, this.#length);
  }
}

/** A number of a column: `otherwise` where it is not known. */
export const knownOr = <T>(value: number | undefined, otherwise: T): number | T =>
  value === undefined || Number.isNaN(value) ? otherwise : value;
