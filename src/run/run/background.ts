/** Runs one piece of work at a time, beside the runs. */
export class Background {
  #underWay: Promise<void> | undefined;

  /** Starts the work, unless other work is in progress. */
  start(work: () => Promise<unknown>): void {
    if (this.#underWay === undefined) this.queue(work);
  }

  /** Starts the work after the work in progress. */
  queue(work: () => Promise<unknown>): void {
    const earlier = this.#underWay ?? Promise.resolve();
    const latest: Promise<void> = earlier.then(work).then(() => {
      if (this.#underWay === latest) this.#underWay = undefined;
    });
    this.#underWay = latest;
  }

  async close(): Promise<void> {
    await this.#underWay;
  }
}
