export interface Valued {
  readonly value: number;
  /** Of two items of one value the one with the lower order is larger. */
  readonly order: number;
  readonly item: number;
}

const largestFirst = (a: Valued, b: Valued): number => b.value - a.value || a.order - b.order;

/** The `count` largest of any number of items with a value above 0; holds twice as many at most. */
export class Largest {
  readonly #count: number;
  #held: Valued[] = [];
  #least: Valued | undefined; // nothing below it is among them any more

  constructor(count: number) {
    this.#count = count;
  }

  add(value: number, order: number, item: number): void {
    if (!(value > 0) || this.#count <= 0) return;
    if (this.#least !== undefined) {
      if (value < this.#least.value) return;
      if (value === this.#least.value && order > this.#least.order) return;
    }
    this.#held.push({ value, order, item });
    if (this.#held.length >= 2 * this.#count) this.#cut();
  }

  /** The largest so far, largest first. */
  get items(): readonly Valued[] {
    this.#cut();
    return this.#held;
  }

  #cut(): void {
    this.#held = this.#held.sort(largestFirst).slice(0, this.#count);
    if (this.#held.length === this.#count) this.#least = this.#held.at(-1);
  }
}
