import type { Period, Platform } from '../../schema/vocabulary.ts';

/** A page of a list. */
interface ListPosition {
  limit: number;
  /** From 1. */
  page: number;
  /** Items on the pages before. */
  offset: number;
  /** The `mark` of the page before. */
  before?: string;
  /** Cursor that the page before stated, if the upstream uses cursors. */
  cursor?: string;
}

/** A request of the interface. Each costs one call. */
export type UpstreamRequest = Asked & {
  /** Address of the result, if the service accepted the request and answers later. */
  location?: string;
};

/** A request of `probe`, as it is sent. */
export interface ProbeRequest {
  kind: 'probe';
  method: 'GET' | 'HEAD';
  path: string;
  location?: string;
}

/** Everything that can be sent. */
export type AnyRequest = UpstreamRequest | ProbeRequest;

type Asked =
  | ({ kind: 'feed'; platform: Platform; dateRange: string } & ListPosition)
  | ({ kind: 'trends'; platform: Platform; period: Period } & ListPosition)
  | ({ kind: 'hashtags'; dateRange: string } & ListPosition)
  | ({ kind: 'search'; q: string; platform?: Platform } & ListPosition)
  | { kind: 'growth'; id: string; platform: Platform }
  | { kind: 'creator'; platform: Platform; handle: string }
  | { kind: 'analyze'; id: string };

/** Requests whose responses are pages of a list. */
export type ListRequest = Extract<UpstreamRequest, { page: number }>;

/** A request in the words of the upstream. */
export type WordedRequest = UpstreamRequest extends infer R
  ? R extends UpstreamRequest
    ? { [K in keyof R]: K extends 'platform' | 'period' ? string | Extract<R[K], undefined> : R[K] }
    : never
  : never;

/** A request without its headers, so that it can be logged and stored. */
export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST';
  /** Path and query under the base URL. */
  path: string;
  /** JSON body of a POST. */
  body?: string;
}

/** A path with query parameters. */
export const withQuery = (
  path: string,
  parameters: Readonly<Record<string, string | number>>,
): string => {
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const);
  return texts.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(texts))}`;
};

const get = (path: string, parameters: Record<string, string | number> = {}): HttpRequest => ({
  method: 'GET',
  path: withQuery(path, parameters),
});

/** Method, path and body of a request, with the parameters that select the page of a list. */
export const httpRequest = (
  request: WordedRequest,
  paging: Record<string, string | number> = 'page' in request
    ? { limit: request.limit, page: request.page }
    : {},
): HttpRequest => {
  switch (request.kind) {
    case 'feed': {
      const { platform, dateRange } = request;
      return get(`/feed/${encodeURIComponent(platform)}`, { dateRange, ...paging });
    }
    case 'trends': {
      const { platform, period } = request;
      return get(`/trends/${encodeURIComponent(platform)}/${encodeURIComponent(period)}`, paging);
    }
    case 'hashtags':
      return get('/hashtags', { dateRange: request.dateRange, ...paging });
    case 'search': {
      const { q, platform } = request;
      return get('/search', { q, ...(platform === undefined ? {} : { platform }), ...paging });
    }
    case 'growth':
      return get(`/videos/${encodeURIComponent(request.id)}/growth`);
    case 'creator': {
      const { platform, handle } = request;
      return get(`/creators/${encodeURIComponent(platform)}/${encodeURIComponent(handle)}`);
    }
    case 'analyze':
      return { method: 'POST', path: '/lab/analyze', body: JSON.stringify({ id: request.id }) };
  }
};

/** A request as `calls.request` and `run_items.request` store it: in our words, whatever the upstream's. */
export const requestLine = (request: AnyRequest): string => {
  const { method, path, body }: HttpRequest =
    request.kind === 'probe' ? request : httpRequest(request);
  return `${method} ${path}${body === undefined ? '' : ` ${body}`}`;
};

/**
 * The request of a line of `calls`, if the line is enough: for requests outside a run.
 * Undefined for lists, whose page does not say how many items came before it.
 */
export const requestOfLine = (line: string): UpstreamRequest | undefined => {
  const id = /^POST \/lab\/analyze (\{.*\})$/.exec(line)?.[1];
  return id === undefined
    ? undefined
    : { kind: 'analyze', id: (JSON.parse(id) as { id: string }).id };
};
