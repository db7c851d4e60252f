import { z } from '@hono/zod-openapi';
import { PLATFORMS, WATCH_KINDS } from '../../../schema/vocabulary.ts';
import { HOUR_MS, rangeMs } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { isoOf, isoOrNull, parseIso } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import { resolveSubject } from '../../lake/watches/resolve-subject.ts';
import { callsPerMonth } from '../../lake/watches/watch-calls.ts';
import { parseSubject } from '../../lake/watches/watch-subject.ts';
import {
  addWatch,
  listWatches,
  type NewWatch,
  removeWatch,
  type Watch,
} from '../../lake/watches/watches.ts';
import { jsonBody } from '../http/body.ts';
import { invalidParameters, RefusedError } from '../http/problems.ts';
import {
  limitInstant,
  pageContent,
  type ReadContext,
  respondOnce,
  type ServiceApp,
  type ServiceContext,
} from '../request/context.ts';
import { describeChange, getRoute, idParameter, pagedResponse } from '../request/describe.ts';
import { asOf, limit, page, tag } from '../request/parameters.ts';
import { NO_STORE, respondChange } from '../request/respond-get.ts';

const LONGEST = 200;
const MOST_TAGS = 20;

const watch = z
  .object({
    id: z.string().meta({ example: 'w_96801ded1c6a' }),
    kind: z.enum(WATCH_KINDS),
    platform: z.enum(PLATFORMS).nullable().meta({ description: 'Null: all platforms.' }),
    subject: z.string().meta({ description: 'Handle, video id, hashtag or search words.' }),
    everyMs: z.int().meta({ description: 'Longest time between two requests.' }),
    tags: z.array(z.string()),
    callsPerMonth: z.int().meta({ description: 'Price in calls per 30 days.' }),
    note: z.string().nullable(),
    until: z.iso.datetime().nullable(),
    lastAt: z.iso.datetime().nullable().meta({ description: 'Newest observation.' }),
    nextAt: z.iso.datetime().meta({ description: 'Due from then on.' }),
    pausedAt: z.iso.datetime().nullable(),
    pausedReason: z.string().nullable(),
  })
  .meta({ id: 'Watch' });

const wish = z.object({
  subject: z.string().min(1).max(2000).meta({
    description: 'A handle with @, a video id or URL, a hashtag with #, or words to search for.',
  }),
  kind: z.enum(WATCH_KINDS).optional(),
  platform: z.enum(PLATFORMS).nullish(),
  every: z.string().optional().meta({
    description: 'A span such as 6h. Default: 1d, or as before if it is followed already.',
  }),
  everyMs: z.int().min(HOUR_MS).optional(),
  tags: z.array(z.string().min(1).max(LONGEST)).max(MOST_TAGS).optional(),
  until: z.string().nullish().meta({ description: 'ISO 8601.' }),
  note: z.string().max(LONGEST).nullish(),
});

/** A watch as the service returns it. */
const shownWatch = (
  stored: Watch,
  context: Pick<ServiceContext, 'listItems'>,
): z.infer<typeof watch> => ({
  id: stored.id,
  kind: stored.kind,
  platform: stored.platform,
  subject: stored.subject,
  everyMs: stored.everyMs,
  tags: [...stored.tags],
  callsPerMonth: callsPerMonth(stored, context),
  note: stored.note,
  until: isoOrNull(stored.until),
  lastAt: isoOrNull(stored.lastAt),
  nextAt: isoOf(stored.nextAt),
  pausedAt: isoOrNull(stored.pausedAt),
  pausedReason: stored.pausedReason,
});

export const watchesRoute = getRoute({
  path: '/watches',
  operationId: 'getWatches',
  summary: 'Watches, oldest first',
  extension: true,
  query: { limit, page, asOf, tag },
  response: pagedResponse(watch),
  read: (service: ReadContext, { asOf, tag, ...paging }) => {
    const all = listWatches(service.lake, tag === undefined ? {} : { tag });
    const show = (stored: Watch) => shownWatch(stored, service);
    return pageContent(all, show, limitInstant(service, asOf), paging);
  },
});

const addRoute = describeChange({
  method: 'post',
  path: '/watches',
  operationId: 'createWatch',
  summary: 'Follows a creator, video, hashtag or search',
  scope: 'watch',
  body: { schema: wish, description: 'The subject, and how often to request it.' },
  status: 201,
  result: 'The watch with its price. An existing watch of the subject is updated.',
  response: watch,
});

const removeRoute = describeChange({
  method: 'delete',
  path: '/watches/{id}',
  operationId: 'deleteWatch',
  summary: 'Removes a watch with its tags and search results',
  scope: 'watch',
  params: z.object({ id: idParameter('w_96801ded1c6a') }),
  status: 204,
  result: 'Removed.',
});

const invalid = (parameter: string, detail: string): RefusedError =>
  invalidParameters([{ parameter, detail }]);

const everyMsOf = ({ every, everyMs }: z.infer<typeof wish>): number | null => {
  if (everyMs === undefined && every === undefined) return null;
  const found = everyMs ?? rangeMs(every ?? '');
  if (found === undefined) throw invalid('every', `Expected ${EXPECTED.every}. It is "${every}".`);
  return found;
};

const untilOf = (text: string | null | undefined, now: number): number | null => {
  if (text === null || text === undefined) return null;
  const at = parseIso(text);
  if (at !== undefined && at > now) return at;
  throw invalid('until', `Expected ${EXPECTED.until}. It is "${text}".`);
};

/** Expected values of the fields of a watch to add. */
const EXPECTED: Readonly<Record<string, string>> = {
  subject: 'a handle with @, a video id or address, a hashtag with #, or words to search for',
  kind: `one of ${WATCH_KINDS.join(', ')}`,
  platform: `one of ${PLATFORMS.join(', ')}`,
  every: 'a span such as 6h or 1d',
  everyMs: `a whole number of milliseconds from ${HOUR_MS}`,
  tags: `at most ${MOST_TAGS} texts of 1 to ${LONGEST} characters`,
  until: 'an ISO 8601 instant in the future',
  note: `a text of at most ${LONGEST} characters`,
};

const PREFIX = { creator: '@', hashtag: '#' } as const;

/** @throws RefusedError naming the field */
const readWatchWish = (body: unknown, writer: Lake, now: number): NewWatch => {
  const read = wish.safeParse(body);
  if (!read.success)
    throw invalidParameters(
      read.error.issues.map(({ path }) => ({
        parameter: path.join('.') || 'body',
        detail: `Expected ${EXPECTED[String(path[0])] ?? 'a JSON object with a subject'}.`,
      })),
    );
  const { subject, kind, platform = null, tags = [], until, note = null } = read.data;
  const prefix = kind === 'creator' || kind === 'hashtag' ? PREFIX[kind] : '';
  const text = subject.startsWith(prefix) || /^https?:/i.test(subject) ? subject : prefix + subject;
  try {
    const parsed = parseSubject(text, { platform, isSearch: kind === 'search' });
    const times = { everyMs: everyMsOf(read.data), until: untilOf(until, now) };
    return { ...resolveSubject(writer, parsed), ...times, tags, note };
  } catch (error) {
    if (error instanceof UsageError) throw invalid('subject', error.message);
    throw error;
  }
};

/** Changes under `/v1/watches`. A key with the scope `watch` sees and changes all watches of the lake. */
export const watchChanges = (app: ServiceApp, service: ServiceContext): void => {
  const { writer } = service;
  respondChange(app, addRoute, async (c) => {
    const body = await jsonBody(c);
    return respondOnce(service, c, body, () => {
      const now = service.clock.now();
      const added = addWatch(writer, readWatchWish(body, writer, now), now);
      const headers = { ...NO_STORE, location: `/v1/watches/${added.id}` };
      return c.json(shownWatch(added, service), 201, headers);
    });
  });

  respondChange(app, removeRoute, (c) => {
    const id = c.req.param('id') ?? '';
    if (listWatches(writer, { id }).length === 0)
      throw new RefusedError('not-found', `No watch has the id ${id}.`);
    removeWatch(writer, id);
    return c.body(null, 204);
  });
};
