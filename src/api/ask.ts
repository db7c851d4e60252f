import type { Period, Platform } from '../../schema/vocabulary.ts';

/**
 * Where an ask stands in its list. `offset`: items on the pages before; `before`: the `mark` of the
 * page before, absent where there is none.
 */
interface Paging {
  limit: number;
  page: number;
  offset: number;
  before?: string;
}

/** One question to the interface. Each costs one call. */
export type Ask =
  | ({ kind: 'feed'; platform: Platform; dateRange: string } & Paging)
  | ({ kind: 'trends'; platform: Platform; period: Period } & Paging)
  | ({ kind: 'hashtags'; dateRange: string } & Paging)
  | ({ kind: 'search'; q: string; platform?: Platform } & Paging)
  | { kind: 'growth'; id: string; platform: Platform }
  | { kind: 'creator'; platform: Platform; handle: string }
  | { kind: 'analyze'; id: string };

/** Asks that are answered by pages of a list. */
export type ListAsk = Extract<Ask, { page: number }>;

/** What is sent for an ask: never a header, so that it can be logged and stored. */
export interface Request {
  method: 'GET' | 'POST';
  /** Path and query under the base URL. */
  path: string;
  /** JSON body of a POST. */
  body?: string;
}

const query = (parameters: Record<string, string | number>): string => {
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const);
  return `?${new URLSearchParams(Object.fromEntries(texts))}`;
};

/** The request that asks it. */
export const requestOf = (ask: Ask): Request => {
  switch (ask.kind) {
    case 'feed': {
      const { dateRange, limit, page } = ask;
      return { method: 'GET', path: `/feed/${ask.platform}${query({ dateRange, limit, page })}` };
    }
    case 'trends': {
      const { limit, page } = ask;
      const path = `/trends/${ask.platform}/${ask.period}${query({ limit, page })}`;
      return { method: 'GET', path };
    }
    case 'hashtags': {
      const { dateRange, limit, page } = ask;
      return { method: 'GET', path: `/hashtags${query({ dateRange, limit, page })}` };
    }
    case 'search': {
      const { q, platform, limit, page } = ask;
      const where = platform === undefined ? {} : { platform };
      return { method: 'GET', path: `/search${query({ q, ...where, limit, page })}` };
    }
    case 'growth':
      return { method: 'GET', path: `/videos/${encodeURIComponent(ask.id)}/growth` };
    case 'creator':
      return { method: 'GET', path: `/creators/${ask.platform}/${encodeURIComponent(ask.handle)}` };
    case 'analyze':
      return { method: 'POST', path: '/lab/analyze', body: JSON.stringify({ id: ask.id }) };
  }
};

/** A request as it stands in `calls.request` and `run_items.request`. */
export const requestLine = (ask: Ask): string => {
  const { method, path, body } = requestOf(ask);
  return `${method} ${path}${body === undefined ? '' : ` ${body}`}`;
};

/**
 * The ask behind a request line of `calls`, where the line alone tells: of those made outside a run.
 * Undefined for lists, whose page does not say how many items came before it.
 */
export const askOfLine = (line: string): Ask | undefined => {
  const id = /^POST \/lab\/analyze (\{.*\})$/.exec(line)?.[1];
  return id === undefined
    ? undefined
    : { kind: 'analyze', id: (JSON.parse(id) as { id: string }).id };
};
