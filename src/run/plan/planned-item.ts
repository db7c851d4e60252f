import type { UpstreamRequest } from '../../upstream/request.ts';

/** A planned request, and the reason for choosing it. */
export interface PlannedItem {
  request: UpstreamRequest;
  reason?: Record<string, unknown>;
}
