/** Jobs that wait, taken from their owners in turn: who brings many waits for them, not the others. */
export class FairQueue<Job> {
  readonly #byOwner = new Map<string, Job[]>(); // in the order of their turns
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Jobs of one owner. */
  sizeOf(owner: string): number {
    return this.#byOwner.get(owner)?.length ?? 0;
  }

  /** Jobs whose turn comes before that of a further one of this owner. */
  before(owner: string): number {
    const own = this.sizeOf(owner);
    let before = own;
    for (const [other, jobs] of this.#byOwner)
      if (other !== owner) before += Math.min(jobs.length, own + 1);
    return before;
  }

  push(owner: string, job: Job): void {
    const jobs = this.#byOwner.get(owner);
    if (jobs === undefined) this.#byOwner.set(owner, [job]);
    else jobs.push(job);
    this.#size += 1;
  }

  /** The job whose turn it is, past the owners to skip; its owner comes last after it. */
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

  /** Takes a job out of the queue; false where its turn came already. */
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
