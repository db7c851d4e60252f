import type { Context } from 'hono';
import { messageOf } from '../../base/errors.ts';
import type { ServiceEnv } from '../request/context.ts';
import { invalidParameters, RefusedError } from './problems.ts';

export const LARGEST_BODY_BYTES = 64 * 1024;

const tooLarge = (): RefusedError =>
  new RefusedError(
    'payload-too-large',
    `The body is larger than ${LARGEST_BODY_BYTES} bytes (64 KiB). Send a smaller one.`,
  );

const expectType = (c: Context<ServiceEnv>, type: RegExp, expected: string): void => {
  const given = c.req.header('content-type') ?? '';
  if (type.test(given)) return;
  throw new RefusedError(
    'unsupported-media-type',
    `Expected Content-Type: ${expected}; got ${given === '' ? 'none' : `"${given.slice(0, 60)}"`}.`,
  );
};

const expectPlain = (c: Context<ServiceEnv>): void => {
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return;
  throw new RefusedError(
    'unsupported-media-type',
    `Expected a body without Content-Encoding; got "${encoding.slice(0, 60)}".`,
  );
};

/**
 * Reads the whole body. Sends `100 Continue` only here, after all other checks passed.
 * @throws RefusedError 415 for a compressed body, 413 for more than 64 KiB
 */
export const readBody = async (c: Context<ServiceEnv>): Promise<Buffer> => {
  expectPlain(c);
  const { incoming, outgoing, exchange } = c.env;
  if (Number(incoming.headers['content-length'] ?? 0) > LARGEST_BODY_BYTES) throw tooLarge();
  if (exchange.awaitsContinue) {
    outgoing.writeContinue();
    exchange.awaitsContinue = false;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // a body that is too large is left open, so that its sender can read the response
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > LARGEST_BODY_BYTES) throw tooLarge();
  }
  return Buffer.concat(chunks);
};

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** Parses the body. The caller validates its fields. */
export const jsonBody = async (c: Context<ServiceEnv>): Promise<unknown> => {
  expectType(c, JSON_TYPE, 'application/json');
  const body = await readBody(c);
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    const detail = `The body is not JSON: ${messageOf(error)}.`;
    throw invalidParameters([{ parameter: 'body', detail }]);
  }
};

export const formBody = async (c: Context<ServiceEnv>): Promise<URLSearchParams> => {
  expectType(c, FORM_TYPE, 'application/x-www-form-urlencoded');
  return new URLSearchParams((await readBody(c)).toString());
};
