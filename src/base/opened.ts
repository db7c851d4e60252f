/** What ends when it is closed, at once or in a while. */
interface Closable {
  close(): void | Promise<void>;
}

/** What was opened one after another, and is closed together: the last one first. */
export class Opened {
  readonly #all: Closable[] = [];

  /** Notes that something is open. @returns it */
  add<T extends Closable>(one: T): T {
    this.#all.push(one);
    return one;
  }

  /** Closes all; one that cannot be closed keeps no other open. @throws (rejects) what failed first */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const one of this.#all.splice(0).reverse())
      try {
        await one.close();
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  }
}
