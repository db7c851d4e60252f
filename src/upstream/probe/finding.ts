/** One open point of the interface, as a probe found it. */
export interface ProbeFinding {
  readonly part: string;
  readonly found: string;
  readonly certainty: 'certain' | 'likely' | 'unknown';
  readonly evidence: string;
  /** Field of the setting `upstream` that it decides; null if it decides none. */
  readonly setting: string | null;
}

/** The call was not made: the calls of the probe are used up. */
export class OutOfCallsError extends Error {}
