import type { Period, Platform } from '../../schema/vocabulary.ts';

/**
 * Where a request stands in its list. `offset`: items on the pages before; `before`: the `mark` of the
 * page before, absent where there is none.
 */
interface ListPosition {
  limit: number;
  page: number;
  offset: number;
  before?: string;
}

/** What may be requested of the interface. Each costs one call. */
export type UpstreamRequest =
  | ({ kind: 'feed'; platform: Platform; dateRange: string } & ListPosition)
  | ({ kind: 'trends'; platform: Platform; period: Period } & ListPosition)
  | ({ kind: 'hashtags'; dateRange: string } & ListPosition)
  | ({ kind: 'search'; q: string; platform?: Platform } & ListPosition)
  | { kind: 'growth'; id: string; platform: Platform }
  | { kind: 'creator'; platform: Platform; handle: string }
  | { kind: 'analyze'; id: string };

/** Requests whose responses are pages of a list. */
export type ListRequest = Extract<UpstreamRequest, { page: number }>;

/** What is sent for a request: never a header, so that it can be logged and stored. */
export interface HttpRequest {
  method: 'GET' | 'POST';
  /** Path and query under the base URL. */
  path: string;
  /** JSON body of a POST. */
  body?: string;
}

const queryOf = (parameters: Record<string, string | number>): string => {
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const);
  return `?${new URLSearchParams(Object.fromEntries(texts))}`;
};

/** What is sent for it. */
export const httpRequest = (request: UpstreamRequest): HttpRequest => {
  switch (request.kind) {
    case 'feed': {
      const { dateRange, limit, page } = request;
      return {
        method: 'GET',
        path: `/feed/${request.platform}${queryOf({ dateRange, limit, page })}`,
      };
    }
    case 'trends': {
      const { limit, page } = request;
      const path = `/trends/${request.platform}/${request.period}${queryOf({ limit, page })}`;
      return { method: 'GET', path };
    }
    case 'hashtags': {
      const { dateRange, limit, page } = request;
      return { method: 'GET', path: `/hashtags${queryOf({ dateRange, limit, page })}` };
    }
    case 'search': {
      const { q, platform, limit, page } = request;
      const where = platform === undefined ? {} : { platform };
      return { method: 'GET', path: `/search${queryOf({ q, ...where, limit, page })}` };
    }
    case 'growth':
      return { method: 'GET', path: `/videos/${encodeURIComponent(request.id)}/growth` };
    case 'creator':
      return {
        method: 'GET',
        path: `/creators/${request.platform}/${encodeURIComponent(request.handle)}`,
      };
    case 'analyze':
      return { method: 'POST', path: '/lab/analyze', body: JSON.stringify({ id: request.id }) };
  }
};

/** A request as it stands in `calls.request` and `run_items.request`. */
export const requestLine = (request: UpstreamRequest): string => {
  const { method, path, body } = httpRequest(request);
  return `${method} ${path}${body === undefined ? '' : ` ${body}`}`;
};

/**
 * The request behind a request line of `calls`, where the line alone tells: of those made outside a run.
 * Undefined for lists, whose page does not say how many items came before it.
 */
export const requestOfLine = (line: string): UpstreamRequest | undefined => {
  const id = /^POST \/lab\/analyze (\{.*\})$/.exec(line)?.[1];
  return id === undefined
    ? undefined
    : { kind: 'analyze', id: (JSON.parse(id) as { id: string }).id };
};
