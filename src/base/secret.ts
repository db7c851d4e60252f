/** A value that prints as `[hidden]` wherever it is logged, joined or serialised. */
export class Secret {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return '[hidden]';
  }
  toJSON(): string {
    return '[hidden]';
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[hidden]';
  }
}
