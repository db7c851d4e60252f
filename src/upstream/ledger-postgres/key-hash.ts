import { createHash } from 'node:crypto';
import type { Secret } from '../../base/secret.ts';

/** The only form in which a key of the service stands in the shared ledger. */
export const keyHash = (key: Secret): string =>
  createHash('sha256').update(key.reveal()).digest('hex');
