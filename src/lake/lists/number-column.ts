/** A growing column of numbers, 8 bytes each. Null is stored as NaN. */
export class NumberColumn {
  #values: Float64Array<ArrayBuffer>;
  #length = 0;

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

  /** All numbers. Valid until the next `push`. */
  values(): Float64Array {
    return this.#values.subarray(0, this.#length);
  }
}

/** A number of a column, or `otherwise` if it is unknown. */
export const knownOr = <T>(value: number | undefined, otherwise: T): number | T =>
  value === undefined || Number.isNaN(value) ? otherwise : value;
