interface Closable {
  close(): void | Promise<void>;
}

/** Closes resources together, last opened first. */
export class Opened {
  readonly #all: Closable[] = [];

  add<T extends Closable>(resource: T): T {
    this.#all.push(resource);
    return resource;
  }

  /**
   * Closes all, even if one fails.
   * @throws (rejects) the first failure
   */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const resource of this.#all.splice(0).reverse())
      try {
        await resource.close();
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
