import type { UpstreamRequest } from '../../upstream/request.ts';

/** A request a run means to make, and why it was chosen. */
export interface PlannedItem {
  request: UpstreamRequest;
  reason?: Record<string, unknown>;
}
