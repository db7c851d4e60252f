import { EXIT, TrendlakeError } from '../../base/errors.ts';

/** Everything that can go wrong with a request: slug of its `type`, HTTP status, title. */
export const PROBLEMS = {
  'invalid-parameter': { status: 400, title: 'A parameter is not valid' },
  'missing-key': { status: 401, title: 'No key was given' },
  'unknown-key': { status: 401, title: 'The key is not known' },
  forbidden: { status: 403, title: 'The key may not do this' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'The method does not fit this address' },
  'payload-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body is of another type' },
  'rate-limited': { status: 429, title: 'Too many requests in a minute' },
  'quota-exhausted': { status: 429, title: 'The calls of this month are used up' },
  internal: { status: 500, title: 'Something failed here' },
  unavailable: { status: 503, title: 'This cannot be answered now' },
} as const;
export type Slug = keyof typeof PROBLEMS;

/** One parameter that cannot be right, and what was expected of it. */
export interface ParameterError {
  readonly parameter: string;
  readonly detail: string;
}

/** Ends a request with a problem. Thrown anywhere below the service, answered in one place. */
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

  /** What the sender is told: RFC 9457, `application/problem+json`. */
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

/** Ends a request with 400, naming every parameter that cannot be right. */
export const invalidParameters = (errors: readonly ParameterError[]): RefusedError =>
  new RefusedError(
    'invalid-parameter',
    errors.map(({ parameter, detail }) => `${parameter}: ${detail}`).join(' '),
    { errors },
  );

/** Refuses what cannot be right. A path parameter that names nothing is an unknown address. */
export const refusedParameters = (
  target: string,
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
): RefusedError => {
  const errors = issues.map(({ path, message }) => ({
    parameter: String(path[0] ?? target),
    detail: message,
  }));
  return target === 'param'
    ? new RefusedError(
        'not-found',
        errors.map(({ parameter, detail }) => `${parameter}: ${detail}`).join(' '),
      )
    : invalidParameters(errors);
};

/** A refusal as a response. */
export const problemResponse = (refusal: RefusedError): Response => {
  const { body, ...rest } = refusal.reply();
  return new Response(body, rest);
};
