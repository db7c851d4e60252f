/** A queue that alternates between owners, so that an owner with many jobs does not delay the others. */
export class FairQueue<Job> {
  readonly #byOwner = new Map<string, Job[]>(); // next owner first
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(owner: string): number {
    return this.#byOwner.get(owner)?.length ?? 0;
  }

  push(owner: string, job: Job): void {
    const jobs = this.#byOwner.get(owner);
    if (jobs === undefined) this.#byOwner.set(owner, [job]);
    else jobs.push(job);
    this.#size += 1;
  }

  /** Takes the next job of an owner that is not skipped. The owner moves to the end. */
  take(isSkipped: (owner: string) => boolean = () => false): Job | undefined {
    for (const [owner, jobs] of this.#byOwner) {
      if (isSkipped(owner)) continue;
      const job = jobs.shift();
      this.#byOwner.delete(owner);
      if (jobs.length > 0) this.#byOwner.set(owner, jobs);
      this.#size -= 1;
      return job;
    }
    return undefined;
  }

  /** @returns false if the job was already taken */
  remove(owner: string, job: Job): boolean {
    const jobs = this.#byOwner.get(owner) ?? [];
    const index = jobs.indexOf(job);
    if (index < 0) return false;
    jobs.splice(index, 1);
    if (jobs.length === 0) this.#byOwner.delete(owner);
    this.#size -= 1;
    return true;
  }
}
