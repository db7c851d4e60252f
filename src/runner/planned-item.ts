import type { Ask } from '../api/ask.ts';

/** A request a run means to make, and why it was chosen. */
export interface PlannedItem {
  ask: Ask;
  reason?: Record<string, unknown>;
}
