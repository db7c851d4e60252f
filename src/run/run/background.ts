/** Runs one piece of work at a time, beside the runs. */
export class Background {
  #underWay: Promise<void> | undefined;

  /** Starts the work, unless other work is in progress. */
  start(work: () => Promise<unknown>): void {
    this.#underWay ??= work().then(() => {
      this.#underWay = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#underWay;
  }
}
