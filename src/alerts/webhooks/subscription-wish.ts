import {
  EVENT_KINDS,
  type EventKind,
  PLATFORMS,
  type Platform,
} from '../../../schema/vocabulary.ts';
import { messageOf, UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import type { SubscriptionFilter } from '../events/outbox.ts';
import { chatTarget } from './chat.ts';
import { secretKey } from './signature.ts';
import { readTarget } from './target.ts';

/** An invalid part of a subscription, named by `parameter`. */
export class SubscriptionError extends UsageError {
  readonly parameter: string;
  constructor(parameter: string, message: string) {
    super(message);
    this.parameter = parameter;
  }
}

/** One subscription more than a key may have. */
export class TooManySubscriptionsError extends UsageError {}

/** A checked request for a subscription. */
export interface SubscriptionWish {
  readonly url: string;
  readonly filter: SubscriptionFilter;
  readonly allowLoopbackHttp: boolean;
  readonly secret: string | undefined;
}

const LONGEST_LIST = 100;
const LONGEST_SUBJECT = 200;
const KNOWN = ['url', 'events', 'platforms', 'subjects', 'tags', 'secret', 'allowLoopbackHttp'];

const words = (parameter: string, value: unknown): string[] => {
  if (value === undefined || value === null) return [];
  const fits =
    Array.isArray(value) &&
    value.length <= LONGEST_LIST &&
    value.every((word) => typeof word === 'string' && word.trim() !== '');
  if (!fits)
    throw new SubscriptionError(
      parameter,
      `${parameter} must be a list of at most ${LONGEST_LIST} texts, or left out for everything.`,
    );
  return [...new Set((value as string[]).map((word) => word.trim()))];
};

const knownWords = <T extends string>(
  parameter: string,
  value: unknown,
  known: readonly T[],
): T[] => {
  const names = words(parameter, value);
  const unknown = names.find((name) => !known.includes(name as T));
  if (unknown !== undefined)
    throw new SubscriptionError(
      parameter,
      `${parameter} may hold ${known.join(', ')}; it holds "${unknown.slice(0, 60)}".`,
    );
  return names as T[];
};

const subjectsOf = (value: unknown): string[] => {
  const subjects = words('subjects', value).map((subject) => subject.replace(/^[@#]/, ''));
  if (subjects.some((subject) => subject === '' || subject.length > LONGEST_SUBJECT))
    throw new SubscriptionError(
      'subjects',
      `subjects must be handles, tags, video ids or <kind>:<id>, each of 1 to ${LONGEST_SUBJECT} characters.`,
    );
  return subjects;
};

const naming = <T>(parameter: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw new SubscriptionError(parameter, messageOf(error));
  }
};

/** An address, with the prefix of a chat service if it has one. */
const checkedUrl = (text: string, allowLoopbackHttp: boolean): string => {
  const url = chatTarget(text)?.url ?? text;
  const prefix = text.slice(0, text.length - url.length).toLowerCase();
  return `${prefix}${readTarget(url, allowLoopbackHttp).href}`;
};

/**
 * Reads a subscription as a JSON body or the command line gives it: `{url, events?, platforms?,
 * subjects?, tags?, secret?, allowLoopbackHttp?}`.
 * @param mayLoopback true if http to this machine may be requested
 * @throws SubscriptionError with the part and its expected value
 */
export const readWish = (input: unknown, mayLoopback: boolean): SubscriptionWish => {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new SubscriptionError('body', 'The body must be a JSON object with at least a url.');
  const body = input as Record<string, unknown>;
  const unknown = Object.keys(body).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined)
    throw new SubscriptionError(
      unknown.slice(0, 60),
      `A subscription has ${KNOWN.join(', ')}; there is no "${unknown.slice(0, 60)}".`,
    );
  const { url, secret, allowLoopbackHttp = false } = body;
  if (typeof url !== 'string') throw new SubscriptionError('url', 'url must be a text.');
  if (secret !== undefined && typeof secret !== 'string')
    throw new SubscriptionError('secret', 'secret must be a text, or left out for a new one.');
  if (typeof allowLoopbackHttp !== 'boolean' || (allowLoopbackHttp && !mayLoopback))
    throw new SubscriptionError(
      'allowLoopbackHttp',
      `allowLoopbackHttp can only be given by the operator: \`${commandText('webhooks add --allow-loopback-http')}\`.`,
    );
  if (secret !== undefined) naming('secret', () => secretKey(secret));
  return {
    url: naming('url', () => checkedUrl(url, allowLoopbackHttp)),
    filter: {
      events: knownWords<EventKind>('events', body.events, EVENT_KINDS),
      platforms: knownWords<Platform>('platforms', body.platforms, PLATFORMS),
      subjects: subjectsOf(body.subjects),
      ...(body.tags === undefined ? {} : { tags: words('tags', body.tags) }),
    },
    allowLoopbackHttp,
    secret,
  };
};
