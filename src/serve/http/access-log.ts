import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { hidingKeys } from '../../base/hidden-forms.ts';
import { KEY_PREFIX } from '../../lake/keys/keys.ts';

/** Replaces keys, encoded ones too. */
const withoutKeys = hidingKeys(KEY_PREFIX);

const LONGEST_ADDRESS = 500;

const shortened = (address: string): string =>
  address.length > LONGEST_ADDRESS
    ? `${address.slice(0, LONGEST_ADDRESS)}... (${address.length} characters)`
    : address;

/** Logs a completed request with the id of its key, never the key. */
export const logServed = (
  log: Logger,
  request: IncomingMessage,
  response: ServerResponse,
  {
    keyId,
    requestId,
    tookMs,
  }: {
    keyId?: string | undefined;
    requestId?: string | undefined;
    tookMs: number;
  },
): void => {
  if (!log.isLevelEnabled('info')) return;
  log.info({
    method: request.method,
    address: shortened(withoutKeys(request.url ?? '')),
    status: response.statusCode,
    complete: response.writableFinished,
    key: keyId,
    requestId,
    ms: Math.round(tookMs * 10) / 10,
  });
};
