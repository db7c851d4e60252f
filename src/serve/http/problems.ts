import { SECOND_MS } from '../../base/durations.ts';
import { EXIT, TrendlakeError } from '../../base/errors.ts';

/** Problem types by slug, with HTTP status and title. */
export const PROBLEMS = {
  'invalid-parameter': { status: 400, title: 'Invalid parameter' },
  'missing-key': { status: 401, title: 'Missing API key' },
  'unknown-key': { status: 401, title: 'Unknown API key' },
  forbidden: { status: 403, title: 'Key lacks permission' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'payload-too-large': { status: 413, title: 'Request body too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported content type' },
  'rate-limited': { status: 429, title: 'Rate limit exceeded' },
  'quota-exhausted': { status: 429, title: 'Monthly quota exhausted' },
  internal: { status: 500, title: 'Internal server error' },
  unavailable: { status: 503, title: 'Service unavailable' },
} as const;
export type Slug = keyof typeof PROBLEMS;

/** An invalid parameter and the expected value. */
export interface ParameterError {
  readonly parameter: string;
  readonly detail: string;
}

/** Ends a request with a problem response. Any code of the service may throw it. */
export class RefusedError extends TrendlakeError {
  readonly transient = false;
  readonly exitCode = EXIT.failed;
  readonly slug: Slug;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly ParameterError[] | undefined;
  constructor(
    slug: Slug,
    detail: string,
    options: { headers?: Record<string, string>; errors?: readonly ParameterError[] } = {},
  ) {
    super(detail);
    this.slug = slug;
    this.headers = options.headers ?? {};
    this.errors = options.errors;
  }

  /** Problem details as RFC 9457 defines them. */
  reply(): { status: number; headers: Record<string, string>; body: string } {
    const { status, title } = PROBLEMS[this.slug];
    const problem = {
      type: `/problems/${this.slug}`,
      title,
      status,
      detail: this.message,
      ...(this.errors === undefined ? {} : { errors: this.errors }),
    };
    const headers = {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...this.headers,
    };
    return { status, headers, body: JSON.stringify(problem) };
  }
}

/** Response 503 with `Retry-After`. */
export const unavailable = (detail: string, waitMs: number): RefusedError =>
  new RefusedError('unavailable', detail, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / SECOND_MS))) },
  });

export const clientGone = (): RefusedError =>
  new RefusedError('unavailable', 'The client closed the connection.');

export const stopping = (): RefusedError => unavailable('The service is stopping.', SECOND_MS);

/** Response 400 that names every invalid parameter. */
export const invalidParameters = (errors: readonly ParameterError[]): RefusedError =>
  new RefusedError(
    'invalid-parameter',
    errors.map(({ parameter, detail }) => `${parameter}: ${detail}`).join(' '),
    { errors },
  );

/** Validation errors as a problem: 404 for path parameters, 400 for all others. */
export const refusedParameters = (
  target: string,
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
): RefusedError => {
  const errors = issues.map(({ path, message }) => ({
    parameter: String(path[0] ?? target),
    detail: message,
  }));
  const refusal = invalidParameters(errors);
  return target === 'param' ? new RefusedError('not-found', refusal.message) : refusal;
};

export const problemResponse = (refusal: RefusedError): Response => {
  const { body, ...rest } = refusal.reply();
  return new Response(body, rest);
};
