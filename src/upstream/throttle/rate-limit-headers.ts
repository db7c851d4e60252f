import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';

/** One limit that a response stated, in whole numbers. Null: not stated, or not understood. */
export interface LimitWord {
  /** The field and the policy, or the position in its list: `RateLimit "month"`, `X-RateLimit 2`. */
  name: string;
  /** The fields as they came. */
  stated: string;
  windowMs: number | null;
  quota: number | null;
  remaining: number | null;
  resetsInMs: number | null;
}

type Headers = Readonly<Record<string, string>>;

const WINDOWS = new Map(
  Object.entries({
    second: SECOND_MS,
    minute: MINUTE_MS,
    hour: HOUR_MS,
    day: DAY_MS,
    daily: DAY_MS,
    week: 7 * DAY_MS,
    month: 30 * DAY_MS,
    monthly: 30 * DAY_MS,
  }),
);
const LONGEST_RESET_MS = 400 * DAY_MS;

/** Parts of a list: at the commas outside quotes. */
const listOf = (value: string): string[] =>
  (value.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).map((part) => part.trim());

/** A member of a structured list: what stands first, and its parameters. */
const memberOf = (part: string): { head: string; parameters: Map<string, string> } => {
  const [head = '', ...rest] = (part.match(/(?:"(?:[^"\\]|\\.)*"|[^;"])+/g) ?? []).map((text) =>
    text.trim(),
  );
  const parameters = rest.map((text): [string, string] => {
    const [key = '', value = ''] = text.split('=', 2);
    return [key.trim().toLowerCase(), value.trim()];
  });
  return { head: head.replace(/^"|"$/g, ''), parameters: new Map(parameters) };
};

const numberIn = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}(\.\d+)?$/.test(text.trim()) ? Number(text) : null;

/** Calls; of a part of one nothing is there. */
const callsIn = (text: string | undefined): number | null => {
  const calls = numberIn(text);
  return calls === null ? null : Math.floor(calls);
};

/** Seconds as milliseconds; a part of one lasts to its end. */
const secondsIn = (text: string | undefined): number | null => {
  const seconds = numberIn(text);
  return seconds === null ? null : Math.ceil(seconds * SECOND_MS);
};

/**
 * Whole milliseconds until a reset: seconds from now, Unix seconds, Unix milliseconds, or a date. Which of
 * them a number is follows from its size; one that fits none is not understood.
 */
export const resetMs = (text: string | undefined, sentAt: number): number | null => {
  const number = numberIn(text);
  const at =
    number === null
      ? Date.parse(text ?? '')
      : number * SECOND_MS <= LONGEST_RESET_MS
        ? sentAt + number * SECOND_MS
        : number > 1e11
          ? number
          : number * SECOND_MS;
  const waitMs = Math.ceil(at - sentAt);
  return waitMs >= 0 && waitMs <= LONGEST_RESET_MS ? waitMs : null;
};

const windowNamed = (name: string): number | null => WINDOWS.get(name.toLowerCase()) ?? null;

/** `RateLimit` and `RateLimit-Policy`, lists of named policies (draft-ietf-httpapi-ratelimit-headers-08 to -10). */
const namedPolicies = (headers: Headers): LimitWord[] => {
  const policies = new Map(
    listOf(headers['ratelimit-policy'] ?? '').map((part) => {
      const { head, parameters } = memberOf(part);
      return [head, { part, parameters }] as const;
    }),
  );
  return listOf(headers.ratelimit ?? '').flatMap((part) => {
    const { head, parameters } = memberOf(part);
    if (!parameters.has('r')) return [];
    const policy = policies.get(head);
    const windowMs = secondsIn(policy?.parameters.get('w')) ?? windowNamed(head);
    return {
      name: `RateLimit "${head}"`,
      stated: policy === undefined ? part : `${part}; policy ${policy.part}`,
      windowMs,
      quota: callsIn(policy?.parameters.get('q')),
      remaining: callsIn(parameters.get('r')),
      resetsInMs: secondsIn(parameters.get('t')),
    };
  });
};

/** The fields of one family, such as X-RateLimit-*, by what they say. */
interface Family {
  name: string;
  label: string;
  fields: Map<string, string>;
}

/** Fields of a family, by the words that name them. */
const KINDS = new Map(['limit', 'remaining', 'reset', 'policy'].map((kind) => [kind, kind])).set(
  'left',
  'remaining',
);

/** Fields named <family>[-<label>]-Limit, -Remaining, -Reset, -Policy, the label before or after. */
const familiesOf = (headers: Headers): Family[] => {
  const families = new Map<string, Family>();
  for (const [header, value] of Object.entries(headers)) {
    const match = /^(x-)?(rate-?limit|quota)-(.+)$/.exec(header.toLowerCase());
    if (match === null) continue;
    const words = (match[3] as string).split('-');
    const kind = words.find((word) => KINDS.has(word));
    if (kind === undefined) continue;
    const label = words.filter((word) => word !== kind).join('-');
    const family = `${match[1] === undefined ? '' : 'X-'}${match[2] === 'quota' ? 'Quota' : 'RateLimit'}`;
    const name = label === '' ? family : `${family}-${label}`;
    const known = families.get(name) ?? { name, label, fields: new Map<string, string>() };
    families.set(name, known);
    known.fields.set(KINDS.get(kind) ?? kind, value);
  }
  return [...families.values()];
};

/** One field for each number, lists of them in step: RateLimit-Limit (drafts to -06), X-RateLimit-*, X-Quota-*. */
const separateFields = ({ name, label, fields }: Family, sentAt: number): LimitWord[] => {
  const remaining = listOf(fields.get('remaining') ?? '');
  const limits = listOf(fields.get('limit') ?? '').map(memberOf);
  const policies = listOf(fields.get('policy') ?? '').map(memberOf);
  const reset = fields.get('reset');
  const resets = remaining.length < 2 ? [reset] : listOf(reset ?? '');
  return remaining.map((left, position) => {
    const limit = limits[position];
    const policy =
      policies.length === remaining.length
        ? policies[position]
        : [...policies, ...limits.slice(1)].find(({ head }) => head === limit?.head);
    const window =
      limit?.parameters.get('w') ?? limit?.parameters.get('window') ?? policy?.parameters.get('w');
    return {
      name: remaining.length < 2 ? name : `${name} ${position + 1}`,
      stated: [...fields].map(([kind, value]) => `${kind}: ${value}`).join('; '),
      windowMs: secondsIn(window) ?? windowNamed(label),
      quota: callsIn(limit?.head),
      remaining: callsIn(left),
      resetsInMs: resetMs(resets[position], sentAt),
    };
  });
};

/**
 * `RateLimit: limit=100, remaining=50, reset=5` with `RateLimit-Policy: 100;w=60` (draft -07), as
 * separate fields.
 */
const combinedField = (headers: Headers): Family | undefined => {
  const value = headers.ratelimit ?? '';
  if (!/(^|,)\s*remaining=/.test(value)) return undefined;
  const fields = new Map(
    listOf(value).map((part): [string, string] => {
      const [key = '', text = ''] = part.split('=', 2);
      return [key.trim(), text.trim()];
    }),
  );
  if (headers['ratelimit-policy'] !== undefined) fields.set('policy', headers['ratelimit-policy']);
  return { name: 'RateLimit', label: '', fields };
};

/**
 * Limits of the service in the headers of a response. Dates are judged by the response's own `Date`,
 * so that our clock may be wrong.
 * @param headers by lower-case name
 * @param now Unix ms, for a response without a `Date`
 */
export const limitWords = (headers: Headers, now: number): LimitWord[] => {
  const dated = Date.parse(headers.date ?? '');
  const sentAt = Number.isNaN(dated) ? now : dated;
  const combined = combinedField(headers);
  const families = familiesOf(headers);
  const named = namedPolicies(headers);
  return [
    ...named,
    ...(combined === undefined ? families : [...families, combined]).flatMap((family) =>
      separateFields(family, sentAt),
    ),
  ];
};
