import { messageOf } from '../../base/errors.ts';
import { TablesError } from './errors.ts';
import { TooMuchError } from './s3-bounds.ts';

/** An error of the S3 client. */
export interface S3Failure {
  /** The store's code, such as `SlowDown`, or the system's, such as `ECONNREFUSED`. */
  readonly code: string;
  /** HTTP status; undefined when nothing answered. */
  readonly status: number | undefined;
}

/** Codes and statuses after which the same request may succeed. */
const PASSING_CODES = new Set([
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'RequestTimeout',
  'OperationAborted',
  'ConditionalRequestConflict',
  'TimeoutError',
  'Throttling',
  'ThrottlingException',
  'RequestTimeTooSkewed',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
]);

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** Reads an error of the client, whichever layer of it failed. */
export const failureOf = (error: unknown): S3Failure => {
  const status = field(field(error, '$metadata'), 'httpStatusCode');
  const code = field(error, 'Code') ?? field(error, 'code') ?? field(error, 'name');
  return {
    code: typeof code === 'string' ? code : 'Unknown',
    status: typeof status === 'number' ? status : undefined,
  };
};

/** True if the same request may succeed later. */
export const isPassing = ({ code, status }: S3Failure): boolean =>
  PASSING_CODES.has(code) ||
  status === 429 ||
  (status !== undefined && status >= 500 && status !== 501);

const RIGHTS =
  's3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload, s3:ListMultipartUploadParts and s3:ListBucketMultipartUploads';

/** Advice by the store's error. */
const adviceOf = ({ code, status }: S3Failure, bucket: string): string => {
  switch (code) {
    case 'NoSuchBucket':
      return `There is no bucket "${bucket}": make it, or correct TRENDLAKE_TABLES_URL.`;
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
    case 'InvalidToken':
      return 'The store does not know this key: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or the profile or role they come from), and that they belong to AWS_ENDPOINT_URL.';
    case 'ExpiredToken':
    case 'ExpiredTokenException':
      return 'The credentials have run out: get new ones and publish again.';
    case 'CredentialsProviderError':
      return 'No credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile or role.';
    case 'RequestTimeTooSkewed':
      return "The clocks of this machine and of the store differ by more than 15 minutes: set this machine's clock.";
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed':
    case 'IllegalLocationConstraintException':
      return 'The bucket is in another region: set AWS_REGION to it.';
    case 'NotImplemented':
      return 'The store does not know what was asked of it: tables need conditional writes (If-None-Match), which AWS S3, Ceph, MinIO and Cloudflare R2 know.';
    case 'TooMuch':
      return 'No S3 store sends that much, and reading was given up: check AWS_ENDPOINT_URL and who operates it.';
    case 'SlowDown':
      return 'The store asks to slow down. Uploaded files are kept: publish again later.';
    case 'ENOTFOUND':
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'Nothing answers there: check AWS_ENDPOINT_URL, AWS_REGION and the network.';
    default:
  }
  if (status === 403)
    return `The credentials may not do this in bucket "${bucket}": they need ${RIGHTS} there.`;
  if (status === 301 || status === 307)
    return 'The bucket is in another region: set AWS_REGION to it.';
  return 'Uploaded files are kept: publish again later.';
};

/** Explains an error of the client, without key or signature. */
export const explainS3 = (
  error: unknown,
  what: string,
  url: string,
  bucket: string,
): TablesError => {
  const failure = failureOf(error);
  const { code, status } = failure;
  const isOwn = error instanceof TooMuchError;
  const stated = isOwn || (status === undefined && code === 'Unknown') ? messageOf(error) : code;
  return new TablesError(
    `${what} at ${url} failed: ${stated}${status === undefined ? '' : ` (HTTP ${status})`}. ${adviceOf(failure, bucket)} Readers see the tables as they were.`,
    { cause: error, transient: isPassing(failure) },
  );
};
