/** Work beside the runs, one piece at a time. */
export class Background {
  #underWay: Promise<void> | undefined;

  /** Starts the work. Leaves it out while another piece is under way. */
  start(work: () => Promise<unknown>): void {
    this.#underWay ??= work().then(() => {
      this.#underWay = undefined;
    });
  }

  /** Resolves once nothing is under way. */
  async close(): Promise<void> {
    await this.#underWay;
  }
}
