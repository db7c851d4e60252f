/** Allowed drift of two clocks, as a share of the time between two readings. */
const DRIFT = 0.001;

/**
 * Compares a server's clock with this machine's monotonic one. Each reading says that the difference of
 * the two lies in an interval: the server read its clock after the request left and before the response
 * came. Where two readings have no difference in common, one of the clocks was stepped between them.
 */
export class ClockWatch {
  #known: { least: number; most: number; at: number } | undefined;

  /**
   * Takes a reading in; false where the server's clock was stepped since the one before.
   * @param serverAt Unix ms of the server's clock, read between the two monotonic instants
   */
  agrees(serverAt: number, sentMono: number, receivedMono: number): boolean {
    const least = serverAt - receivedMono - 1; // the server's clock is cut to whole milliseconds
    const most = serverAt - sentMono + 1;
    const known = this.#known;
    const driftMs = known === undefined ? 0 : Math.max(0, receivedMono - known.at) * DRIFT;
    const agreed =
      known === undefined
        ? { least, most }
        : {
            least: Math.max(least, known.least - driftMs),
            most: Math.min(most, known.most + driftMs),
          };
    const agrees = agreed.least <= agreed.most;
    this.#known = { ...(agrees ? agreed : { least, most }), at: receivedMono };
    return agrees;
  }
}
