import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { hidingKeys } from '../hidden-forms.ts';
import { KEY_PREFIX } from './auth/keys.ts';

/** Text without keys, wherever and however spelt somebody may have put one. */
const withoutKeys = hidingKeys(KEY_PREFIX);

const keyIds = new WeakMap<ServerResponse, string>();

/** Notes under which key's id a request is logged. */
export const noteKey = (response: ServerResponse, keyId: string): void =>
  void keyIds.set(response, keyId);

/** Logs a request whose answer has left: who (id of the key, never the key), what, how it ended. */
export const logAnswered = (
  log: Logger,
  request: IncomingMessage,
  response: ServerResponse,
  tookMs: number,
): void => {
  if (!log.isLevelEnabled('info')) return;
  log.info({
    method: request.method,
    address: withoutKeys(request.url ?? ''),
    status: response.statusCode,
    complete: response.writableFinished,
    key: keyIds.get(response),
    ms: Math.round(tookMs * 10) / 10,
  });
};
