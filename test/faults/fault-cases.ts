import { gzipSync } from 'node:zlib';
import * as faults from '../support/faults.ts';
import type { Fault } from '../support/faulty-upstream.ts';

// Everything that can be wrong with an answer, and what trendlake does about it. The catalogue's
// test holds every line of it; docs/faults.md is made from it (`npm run docs:faults`).

/** Calls of the run that each fault disturbs, where nothing does. */
export const UNDISTURBED_CALLS = 16;

/** Requests a fault strikes, in words. */
export const REQUESTS = {
  'feed, page 1': /GET \/v1\/feed\/tiktok\?.*page=1$/,
  'feed, page 2': /GET \/v1\/feed\/tiktok\?.*page=2$/,
  'feed, every page': /GET \/v1\/feed\/tiktok/,
  'a trends list': /GET \/v1\/trends\/youtube\/week/,
  'the hashtags': /GET \/v1\/hashtags/,
  'a timeline': /GET \/v1\/videos\//,
  'a profile': /GET \/v1\/creators\//,
  'every request': /./,
} as const;

/** What is then in the lake. */
export type Stored =
  | 'as without it'
  | 'all but that answer'
  | 'what came before'
  | 'nothing'
  | 'as it came'
  | 'the item without that field, its original in `extra`'
  | 'the item, the field in `extra`'
  | 'the page without that item';

/** Where it can be seen. */
export type Seen =
  | '`calls.error`'
  | '`calls.error`, its body in `responses`'
  | '`calls.error`, `run_items.error`, the run’s reason'
  | '`calls.error`, the run’s reason: what to do'
  | '`rejected_items`: reason, item, call'
  | '`drift`: field, first sample, call'
  | 'nowhere: nothing is wrong';

/** One fault, and what is promised about it. */
export interface FaultCase {
  fault: Fault;
  on: keyof typeof REQUESTS;
  always: boolean;
  stored: Stored;
  seen: Seen;
  /** Calls on top of those of an undisturbed run; or the most in all, where what is in flight decides. */
  calls: number | { most: number };
  ends: 'complete' | 'partial' | 'paused' | 'failed';
  /** What the words where it is seen say. */
  says?: RegExp;
  /** What is reported as drift, by field. */
  drift?: Record<string, RegExp>;
  timeoutMs?: number;
  /** Holds only of the request it is told of, not of any. */
  special?: true;
}

type Cases = Record<string, FaultCase>;
type Changes = Partial<Omit<FaultCase, 'fault'>>;

/** A fault that asking again gets over. */
const passing = (fault: Fault, changes: Changes = {}): FaultCase => ({
  fault,
  on: 'feed, page 1',
  always: false,
  stored: 'as without it',
  seen: '`calls.error`',
  calls: 1,
  ends: 'complete',
  ...changes,
});

const unreadable = (fault: Fault, changes: Changes = {}): FaultCase =>
  passing(fault, { seen: '`calls.error`, its body in `responses`', ...changes });

const LIMITED: Cases = {
  '429, Retry-After in seconds': passing(faults.status(429, { 'retry-after': '7' }), {
    says: /429 \(asks to wait 7 s\)/,
  }),
  '429, Retry-After as a date': passing(
    faults.status(429, {
      'retry-after': 'Sun, 01 Mar 2026 00:01:00 GMT',
      date: 'Sun, 01 Mar 2026 00:00:00 GMT',
    }),
    { says: /asks to wait 60 s/ },
  ),
  '429, Retry-After as a date by a clock a year behind': passing(
    faults.status(429, {
      'retry-after': 'Sat, 01 Mar 2025 00:00:09 GMT',
      date: 'Sat, 01 Mar 2025 00:00:00 GMT',
    }),
    { says: /asks to wait 9 s/ },
  ),
  '429, Retry-After twice': passing(
    ({ response }) =>
      void response
        .writeHead(429, [
          ...['content-type', 'application/json'],
          ...['retry-after', '3', 'retry-after', '9'],
        ])
        .end('{}'),
    { says: /429/ },
  ),
  '429 without a hint': passing(faults.status(429), { says: /429: as the test asked/ }),
  '429, Retry-After: later': passing(faults.status(429, { 'retry-after': 'later' })),
  '429, Retry-After: 0': passing(faults.status(429, { 'retry-after': '0' })),
  '429, Retry-After: -3': passing(faults.status(429, { 'retry-after': '-3' })),
  '429, Retry-After a century ahead': passing(faults.status(429, { 'retry-after': '3153600000' }), {
    says: /429: as the test asked/,
  }),
  '429, RateLimit with none left for 5 s': passing(
    faults.status(429, { ratelimit: '"minute";r=0;t=5' }),
  ),
  '429, an HTML body': passing(({ response }) => void response.writeHead(429).end('<html>')),
  '503, Retry-After in seconds': passing(faults.status(503, { 'retry-after': '5' }), {
    says: /503 \(asks to wait 5 s\)/,
  }),
  '503 without a hint': passing(faults.status(503)),
};

const ERRORS: Cases = {
  '500': passing(faults.status(500), { says: /500: as the test asked/ }),
  '501': passing(faults.status(501)),
  '502, an HTML body': passing(
    ({ response }) => void response.writeHead(502).end('<html>Bad Gateway'),
    { says: /502/ },
  ),
  '504': passing(faults.status(504)),
  '408': passing(faults.status(408)),
  '500 on a timeline': passing(faults.status(500), { on: 'a timeline' }),
  '500 on a profile': passing(faults.status(500), { on: 'a profile' }),
  '500 on the hashtags': passing(faults.status(500), { on: 'the hashtags' }),
  '500 that says the key back': passing(faults.echo(500), { says: /you sent Bearer \[hidden\]/ }),
};

const CONNECTION: Cases = {
  'no answer at all': passing(faults.hang, { timeoutMs: 1000, says: /No whole answer.*1000 ms/ }),
  'headers, then nothing': passing(faults.stall, { timeoutMs: 1000, says: /No whole answer/ }),
  'a byte now and then, for ever': passing(faults.drip, {
    timeoutMs: 1000,
    says: /No whole answer/,
  }),
  'reset before a byte': passing(faults.resetAfter(0), { says: /the connection was/ }),
  'reset inside the headers': passing(faults.resetAfter(20)),
  'reset at the start of the body': passing(faults.resetAfter(90)),
  'reset in the middle of the body': passing(faults.resetAfter(9000)),
  'reset in the middle of page 2': passing(faults.resetAfter(3000), { on: 'feed, page 2' }),
  'closed before the promised length': passing(faults.cutWithLength),
  'closed before the last chunk': passing(faults.cutInChunks),
  'no HTTP': passing(faults.noHttp, { says: /No answer from/ }),
};

const BODIES: Cases = {
  'JSON cut short, no length promised': unreadable(faults.cutWithoutLength, {
    says: /not whole JSON/,
  }),
  'an empty 200': unreadable(faults.text(''), { says: /not whole JSON.*0 bytes/ }),
  'an HTML 200': unreadable(faults.text('<html><form>Sign in to the hotel</form>', 'text/html'), {
    says: /text\/html.*looks like HTML/,
  }),
  'invalid UTF-8': unreadable(
    faults.reencode((json) => Buffer.from(json.replace('Video', 'Vid\xe9o'), 'latin1')),
    { special: true },
  ),
  'gzip that is none': passing(
    faults.reencode((json) => json, { 'content-encoding': 'gzip' }),
    { says: /cannot be unpacked/ },
  ),
  'gzip cut short': passing(
    faults.reencode((json) => gzipSync(json).subarray(0, 50), { 'content-encoding': 'gzip' }),
    { says: /cannot be unpacked/ },
  ),
  'gzip in gzip in gzip in gzip': unreadable(
    faults.reencode((json) => [1, 2, 3, 4].reduce((body) => gzipSync(body), Buffer.from(json)), {
      'content-encoding': 'gzip, gzip, gzip, gzip',
    }),
    { says: /not whole JSON/ },
  ),
  'an encoding nobody asked for': passing(
    faults.reencode((json) => json, { 'content-encoding': 'zstd' }),
    { says: /packed as "zstd"/ },
  ),
  'a gzip bomb': passing(faults.bomb('gzip'), { says: /within 8388608 bytes/ }),
  'a brotli bomb': passing(faults.bomb('br'), { says: /within 8388608 bytes/ }),
  'a deflate bomb': passing(faults.bomb('deflate'), { says: /within 8388608 bytes/ }),
  'a body of 100 MB': passing(faults.hundredMegabytes, { says: /larger than 8388608 bytes/ }),
  'a body without end': passing(faults.endless, { says: /larger than 8388608 bytes/ }),
};

/** Only unusual: costs nothing. */
const fine = (fault: Fault, changes: Changes = {}): FaultCase =>
  passing(fault, { seen: 'nowhere: nothing is wrong', calls: 0, ...changes });

const gzip = (text: string | Buffer) => gzipSync(text);

/** Place of an item that no other answer shows. */
const ITEM = 55;

/** The answer with a title turned into one that no two encodings agree on. */
const accented = (encoding: BufferEncoding, charset: string): Fault =>
  faults.reencode((json) => Buffer.from(json.replace('Video 55', 'Vidéo 55'), encoding), {
    'content-type': `application/json; charset=${charset}`,
  });

const ENCODINGS: Cases = {
  'a byte order mark': fine(faults.reencode((json) => `\ufeff${json}`)),
  'the wrong content type': fine(faults.reencode((json) => json, { 'content-type': 'text/html' })),
  'no content type': fine(({ response, body }) => void response.end(JSON.stringify(body))),
  'a charset nobody knows': fine(
    faults.reencode((json) => json, { 'content-type': 'application/json; charset=klingon' }),
  ),
  'blanks around the JSON': fine(faults.reencode((json) => `\n\n ${json} \n`)),
  gzip: fine(faults.reencode(gzip, { 'content-encoding': 'gzip' })),
  'gzip in gzip': fine(
    faults.reencode((json) => gzip(gzip(json)), { 'content-encoding': 'gzip, gzip' }),
  ),
  'gzip in small letters and large, under another name': fine(
    faults.reencode(gzip, { 'content-encoding': 'X-GZip' }),
  ),
};

const CHARSETS: Cases = {
  'UTF-8 that says it is Latin-1': fine(accented('utf8', 'latin1'), { stored: 'as it came' }),
  'Latin-1 that says so': fine(accented('latin1', 'latin1'), { stored: 'as it came' }),
  'UTF-16 that says so': fine(accented('utf16le', 'utf-16le'), { stored: 'as it came' }),
  'Latin-1 that says it is UTF-8': unreadable(accented('latin1', 'utf-8'), {
    says: /not whole JSON/,
  }),
  'Latin-1 under a charset nobody knows': unreadable(accented('latin1', 'klingon'), {
    says: /not whole JSON/,
  }),
};

const SHAPES: Cases = {
  'fields in another order': fine(
    faults.rewrite((body) => ({
      ...body,
      items: body.items.map((item) => Object.fromEntries(Object.entries(item).reverse())),
    })),
  ),
  'numbers as text': fine(
    faults.rewrite((body) => ({
      ...body,
      items: body.items.map((item) => ({
        ...item,
        views: String(item.views),
        likes: String(item.likes),
      })),
    })),
  ),
};

/** Unlike what the interface shows, and reported as that, once. */
const drifting = (fault: Fault, drift: Record<string, RegExp>, changes: Changes = {}): FaultCase =>
  fine(fault, { seen: '`drift`: field, first sample, call', drift, ...changes });

/** The list's items without some of their fields. */
const lacking = (...names: string[]): Fault =>
  faults.rewrite((body) => ({
    ...body,
    items: body.items.map((item) =>
      Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name))),
    ),
  }));

const nested = '['.repeat(5000) + ']'.repeat(5000);
/** The answer with a text put into an item. */
const spliced = (text: string): Fault =>
  faults.reencode((json) => json.replace(`{"id":"tt_${ITEM}"`, `{${text},"id":"tt_${ITEM}"`));

const DRIFT: Cases = {
  'the list under `data`': drifting(
    faults.rewrite(({ items, ...rest }) => ({ ...rest, data: { items } })),
    { 'items (as data.items)': /^{"total":120,"page":1,/ },
  ),
  'no total': drifting(
    faults.rewrite(({ total: _, ...rest }) => rest),
    { 'total (missing)': /^{"page":1,"items":/ },
    { stored: 'as it came' },
  ),
  'a bare list': drifting(
    faults.rewrite(({ items }) => items),
    { 'items (as a bare list)': /^\[{"id":"tt_0"/ },
    { stored: 'as it came' },
  ),
  'an unknown field beside the list': drifting(
    faults.rewrite((body) => ({ ...body, cursor: 'abc' })),
    { cursor: /^"abc"$/ },
  ),
  'no likes, no createdAt': drifting(
    lacking('likes', 'createdAt'),
    { 'likes (missing)': /^{"id":"tt_0",/, 'createdAt (missing)': /^{"id":"tt_0",/ },
    { stored: 'as it came' },
  ),
  'an id without a prefix, beside a platform': fine(faults.item({ id: 'abc' }, ITEM), {
    stored: 'as it came',
  }),
  'null likes': fine(faults.item({ likes: null }, ITEM), { stored: 'as it came' }),
  'an unknown field': drifting(
    faults.item({ shares: 7 }, ITEM),
    { shares: /^7$/ },
    { stored: 'the item, the field in `extra`' },
  ),
  'fields named `__proto__`, `constructor`, `toString`': drifting(
    spliced('"__proto__":{"polluted":true},"constructor":1,"toString":"x"'),
    Object.fromEntries([
      ['__proto__', /^{"polluted":true}$/],
      ['constructor', /^1$/],
      ['toString', /^"x"$/],
    ]),
    { stored: 'the item, the field in `extra`' },
  ),
  'an unknown field of 300 kB': drifting(
    faults.item({ big: 'x'.repeat(300_000) }, ITEM),
    { big: /^"x{1000,1100}\.\.\.$/ },
    { stored: 'the item, the field in `extra`' },
  ),
  'an unknown field nested 5,000 levels deep': drifting(
    spliced(`"deep":${nested}`),
    { deep: /^"nested deeper than 200 levels; whole in the kept answer"$/ },
    { stored: 'the item, the field in `extra`' },
  ),
};

/** Asking again would not help: one answer is given up, the rest of the run goes on. */
const refused = (fault: Fault, changes: Changes = {}): FaultCase => ({
  fault,
  on: 'a trends list',
  always: true,
  stored: 'all but that answer',
  seen: '`calls.error`, `run_items.error`, the run’s reason',
  calls: 0,
  ends: 'partial',
  ...changes,
});

const ONE_ANSWER: Cases = {
  '400': refused(faults.status(400), { on: 'the hashtags', says: /hashtags.*400/s }),
  '404 on a list': refused(faults.status(404), { says: /trends\/youtube\/week.*404/s }),
  '404 on a video or a creator: it is gone': refused(faults.status(404), {
    on: 'a timeline',
    seen: '`calls.error`',
    ends: 'complete',
    says: /404/,
  }),
  '403: the key may not ask for this': refused(faults.status(403), {
    on: 'a profile',
    calls: { most: 16 },
    says: /403.*plan and scopes/s,
  }),
  '418': refused(faults.status(418), { says: /418/ }),
  '204': refused(({ response }) => void response.writeHead(204).end(), { says: /204/ }),
  'a list of no known shape': refused(faults.text('{"things":[]}'), {
    says: /no list \(looked for items, data, results\); it is an object with the fields things/,
  }),
  'JSON that is no object': refused(faults.text('"sorry"'), {
    says: /no list.*text of 5 characters/,
  }),
  '500 for ever on one list': refused(faults.status(500), { calls: 3, says: /500/ }),
  'HTML for ever on one list': refused(faults.text('<html>'), {
    calls: 3,
    says: /not whole JSON.*looks like HTML/,
  }),
  '404 that says the key back': refused(faults.echo(404), { says: /Bearer \[hidden\]/ }),
};

/** Of the service, the key or what stands between: the run stops and says what to do. */
const whole = (fault: Fault, changes: Changes = {}): FaultCase => ({
  fault,
  on: 'every request',
  always: true,
  stored: 'nothing',
  seen: '`calls.error`, the run’s reason: what to do',
  calls: { most: 6 },
  ends: 'failed',
  ...changes,
});

const THE_SERVICE: Cases = {
  'a refused key (401)': whole(faults.status(401), {
    calls: { most: 2 },
    says: /does not accept the key \(401\).*TRENDLAKE_API_KEY/,
  }),
  'a key refused in the middle of a run': whole(faults.status(401), {
    on: 'the hashtags',
    stored: 'what came before',
    calls: { most: 13 },
    says: /does not accept the key \(401\).*TRENDLAKE_API_KEY/,
  }),
  '500 for ever': whole(faults.status(500), { says: /has not answered.*TRENDLAKE_BASE_URL/s }),
  '504 for ever': whole(faults.status(504), { says: /has not answered.*TRENDLAKE_BASE_URL/s }),
  'resets for ever': whole(faults.resetAfter(0), { says: /not answered.*TRENDLAKE_BASE_URL/s }),
  'HTML for ever': whole(faults.text('<html>'), { says: /not answered.*TRENDLAKE_BASE_URL/s }),
  '429 for ever': whole(faults.status(429), { ends: 'paused', calls: { most: 100 }, says: /429/ }),
  '429, Retry-After of two hours': whole(faults.status(429, { 'retry-after': '7200' }), {
    on: 'the hashtags',
    stored: 'what came before',
    calls: { most: 16 },
    ends: 'paused',
    says: /asks to wait 7200 s/,
  }),
};

/** Points to another host, where a second upstream writes down whoever comes. */
export const redirects = (elsewhere: string): Cases =>
  Object.fromEntries(
    [301, 302, 303, 307, 308].map((code) => [
      `${code} to another host: not followed, the key stays`,
      refused(faults.redirect(code, elsewhere), {
        says: /redirects to .*not followed.*TRENDLAKE_BASE_URL/,
      }),
    ]),
  );

/** A list that does not hold together. */
const asItCame = (fault: Fault, changes: Changes = {}): FaultCase =>
  fine(fault, { on: 'feed, every page', always: true, stored: 'as it came', ...changes });

/** The first hundred videos again, without their fields. */
const FIRST_PAGE = Array.from({ length: 100 }, (_, n) => ({ id: `tt_${n}`, platform: 'tiktok' }));
const MISSING = Object.fromEntries(
  ['title', 'user', 'views', 'likes', 'engagementRate', 'createdAt'].map((name) => [
    `${name} (missing)`,
    /^{"id":"tt_0","platform":"tiktok"}$/,
  ]),
);

const REPEATED = { 'page (repeated)': /^{"total":\d+,"page":2,"items":\[{"id":"tt_0"/ };
const oddTotal = (sample: RegExp): Changes => ({
  seen: '`drift`: field, first sample, call',
  drift: { 'total (unexpected value)': sample },
});

const lyingTotal = (total: unknown): Fault => faults.rewrite((body) => ({ ...body, total }));

const LISTS: Cases = {
  'shifted while it was paged: a video at two places': asItCame(
    faults.rewrite((body) => ({
      ...body,
      items: [{ ...body.items[0], id: 'tt_99', title: 'Video 99 #tag4 #tiktok' }, ...body.items],
    })),
    { on: 'feed, page 2' },
  ),
  'a video twice on one page': asItCame(
    faults.rewrite((body) => ({ ...body, items: [body.items[0], ...body.items] })),
    { on: 'feed, page 2' },
  ),
  'page 2 repeats page 1: not loaded, the list ends': asItCame(
    faults.rewrite((body) => ({ ...body, items: FIRST_PAGE })),
    {
      on: 'feed, page 2',
      seen: '`drift`: field, first sample, call',
      drift: { ...MISSING, ...REPEATED },
    },
  ),
  'page 2 repeats half of page 1, without fields': asItCame(
    faults.rewrite((body) => ({ ...body, items: FIRST_PAGE.slice(0, 50) })),
    { on: 'feed, page 2', seen: '`drift`: field, first sample, call', drift: MISSING },
  ),
  'a total of a million: one page more, which is empty': asItCame(lyingTotal(1_000_000), {
    calls: 1,
  }),
  'a total below what the page holds: no further page': asItCame(lyingTotal(5), { calls: -1 }),
  'a total of -7': asItCame(lyingTotal(-7), oddTotal(/^-7$/)),
  'a total of "many"': asItCame(lyingTotal('many'), oddTotal(/^"many"$/)),
  'an empty list': asItCame(
    faults.rewrite((body) => ({ ...body, total: 0, items: [] })),
    {
      calls: -1,
    },
  ),
  'the same page for ever: its first repeat is not loaded and ends the list': asItCame(
    faults.rewrite((body) => ({ ...body, total: 1_000_000, items: FIRST_PAGE })),
    { seen: '`drift`: field, first sample, call', drift: { ...MISSING, ...REPEATED } },
  ),
};

/** Fields of an item that cannot be right. */
const ODD_FIELDS: Record<string, Record<string, unknown>> = {
  'negative views': { views: -1 },
  'fractional views': { views: 10.5 },
  'views of "NaN"': { views: 'NaN' },
  'likes of "1.2M"': { likes: '1.2M' },
  'likes of true': { likes: true },
  'an object for a title': { title: { text: 'x' } },
  'a number for a title': { title: 7 },
  'a list for a user': { user: ['x'] },
  'an impossible day': { createdAt: '2026-02-30T00:00:00Z' },
  'a time before 1970': { createdAt: -5 },
  'a time in words': { createdAt: 'yesterday' },
  'a time past the year 9999': { createdAt: 1e15 },
  'a negative rate': { engagementRate: -0.1 },
  'text for hashtags': { hashtags: 'dance' },
};
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const odd = (fields: Record<string, unknown>, fault = faults.item(fields, ITEM)): FaultCase =>
  drifting(
    fault,
    Object.fromEntries(
      Object.entries(fields).map(([field, value]) => [
        `${field} (unexpected value)`,
        new RegExp(`^${escaped(JSON.stringify(value))}$`),
      ]),
    ),
    { stored: 'the item without that field, its original in `extra`' },
  );

const FIELDS: Cases = {
  ...Object.fromEntries(Object.entries(ODD_FIELDS).map(([name, fields]) => [name, odd(fields)])),
  'views past 2^53 - 1: kept digit by digit': odd(
    { views: '9007199254740993' },
    faults.reencode((json) => json.replace('"views":65000', '"views":9007199254740993')),
  ),
  'a createdAt in the future: believed': fine(
    faults.item({ createdAt: '2030-01-01T00:00:00Z' }, ITEM),
    {
      stored: 'as it came',
    },
  ),
};

/** An item nobody could place. */
const unplaceable = (fields: Record<string, unknown>, says: RegExp): FaultCase =>
  fine(faults.item(fields, ITEM), {
    stored: 'the page without that item',
    seen: '`rejected_items`: reason, item, call',
    says,
  });

const ITEMS: Cases = {
  'no id': unplaceable({ id: undefined }, /no usable id/),
  'a null id': unplaceable({ id: null }, /no usable id/),
  'an empty id': unplaceable({ id: '' }, /no usable id/),
  'a number for an id': unplaceable({ id: 12 }, /no usable id/),
  'an id of 10 kB': unplaceable({ id: `tt_${'x'.repeat(10_240)}` }, /no usable id/),
  'an unknown platform': unplaceable({ platform: 'vimeo' }, /unknown platform "vimeo"/),
  'a platform that its id contradicts': unplaceable(
    { platform: 'youtube' },
    /youtube by its field, tiktok/,
  ),
  'no platform and no prefix': unplaceable(
    { id: 'abc', platform: undefined },
    /no platform, and none/,
  ),
  'null for an item': {
    ...unplaceable({}, /not an object/),
    fault: faults.rewrite((body) => ({ ...body, items: [null, ...body.items.slice(1)] })),
  },
};

/** The catalogue but for the redirects, section by section, each with what is true of all its lines. */
export const SECTIONS: { title: string; about: string; cases: Cases }[] = [
  {
    title: 'The service asks to wait',
    about: 'Everybody waits as long as it says, or 5 s and longer each time where it does not.',
    cases: LIMITED,
  },
  {
    title: 'The service fails',
    about: 'Asked again after 0.5 to 1.5 s, doubling; four attempts at one request.',
    cases: ERRORS,
  },
  { title: 'The connection', about: 'Asked again likewise.', cases: CONNECTION },
  {
    title: 'The body',
    about: 'No more than 8 MB of an answer is read, packed or unpacked.',
    cases: BODIES,
  },
  { title: 'Unusual, and fine', about: 'Costs nothing.', cases: { ...ENCODINGS, ...SHAPES } },
  {
    title: 'Character sets',
    about: 'JSON is UTF-8; another charset is believed where it is not.',
    cases: CHARSETS,
  },
  {
    title: 'One answer is refused',
    about: 'The rest of the run goes on; the next run asks again.',
    cases: ONE_ANSWER,
  },
  {
    title: 'The key, or the service as a whole',
    about: 'The run stops after the calls in flight; the next sync goes on.',
    cases: THE_SERVICE,
  },
  {
    title: 'Lists that do not hold together',
    about: 'Kept as they came: every place with its video, a video once.',
    cases: LISTS,
  },
  {
    title: 'Drift',
    about: 'Each is reported once, in the run’s summary and in `status`.',
    cases: DRIFT,
  },
  {
    title: 'Fields that cannot be right',
    about: 'Nothing is rounded, clamped or guessed; each field is reported once.',
    cases: FIELDS,
  },
  { title: 'Items nobody could place', about: 'The rest of the page is loaded.', cases: ITEMS },
];

/** Faults after which the same things asked again give the same lake, whatever request they strike. */
export const STRIKING_ANYWHERE: Record<string, Fault> = Object.fromEntries(
  Object.entries({
    ...LIMITED,
    ...ERRORS,
    ...CONNECTION,
    ...BODIES,
    ...ENCODINGS,
    ...ONE_ANSWER,
    ...redirects('https://elsewhere.invalid'),
    ...THE_SERVICE,
  })
    .filter(([, { special }]) => special === undefined)
    .map(([name, { fault }]) => [name, fault]),
);
