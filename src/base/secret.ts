/** A value that prints as `[hidden]` in logs, strings and JSON. */
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
