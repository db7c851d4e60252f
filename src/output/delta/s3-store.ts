import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { SECOND_MS } from '../../base/durations.ts';
import { proxyIn } from '../../base/proxy.ts';
import { md5Of, stretchOf } from './local-file.ts';
import { boundResponses, ListBound } from './s3-bounds.ts';
import { explainS3, failureOf, isPassing } from './s3-errors.ts';
import { Multipart, type Request } from './s3-multipart.ts';
import type { ByteRange, OpenFile, StoreDeps, StoredObject, TableStore } from './table-store.ts';

const PART_BYTES = 16 << 20;
/** A file with more parts than this is uploaded in parts. */
const WHOLE_PARTS = 4;
const TRIES = 6;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 20 * SECOND_MS;
const CONNECT_MS = 10 * SECOND_MS;
const SILENCE_MS = 60 * SECOND_MS;
const REMOVED_AT_ONCE = 8;

/** The client writes to the console by default. trendlake reports failures itself. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Agents that use the proxies of the environment; none without them. */
const proxyAgents = (env: NodeJS.ProcessEnv) => {
  const proxy = proxyIn(env);
  if (proxy === undefined) return {};
  const proxyEnv = {
    HTTP_PROXY: proxy.http?.reveal(),
    HTTPS_PROXY: proxy.https?.reveal(),
    NO_PROXY: proxy.direct,
  };
  const options = { keepAlive: true, maxSockets: 50, proxyEnv };
  return { httpAgent: new HttpAgent(options), httpsAgent: new HttpsAgent(options) };
};

/** Client with the settings of the `AWS_*` variables and files. */
const clientOf = (env: NodeJS.ProcessEnv): S3Client => {
  const endpoint = env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL;
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  const own = endpoint === undefined ? {} : { endpoint, forcePathStyle: true };
  const chosen = region ?? (endpoint === undefined ? undefined : 'us-east-1');
  const client = new S3Client({
    ...own,
    ...(chosen === undefined ? {} : { region: chosen }),
    logger: SILENT,
    maxAttempts: 1, // tried again here, by our clock
    // many stores support Content-MD5 but not the newer checksums
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      ...proxyAgents(env),
    },
  });
  return boundResponses(client);
};

/** Tables in a bucket of any store that speaks S3 and knows `If-None-Match`. */
export class S3Store implements TableStore {
  readonly url: string;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #deps: StoreDeps;

  private constructor(client: S3Client, url: URL, deps: StoreDeps) {
    this.#client = client;
    this.#bucket = url.host;
    const path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
    this.#prefix = path === '' ? '' : `${path}/`;
    this.#deps = deps;
    this.url = `s3://${this.#bucket}${path === '' ? '' : `/${path}`}`;
  }

  /** A store for `s3://bucket/prefix`. Sends no request yet. */
  static open(url: URL, deps: StoreDeps): S3Store {
    return new S3Store(clientOf(deps.env), url, deps);
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }

  get #partBytes(): number {
    return this.#deps.partBytes ?? PART_BYTES;
  }

  #multipart(key: string): Multipart {
    return new Multipart(this.#client, this.#at(key), this.#request, this.#partBytes);
  }

  #request: Request = async (what, send) => {
    const { clock, random, signal } = this.#deps;
    for (let tried = 1; ; tried += 1) {
      signal.throwIfAborted();
      try {
        return await send();
      } catch (error) {
        signal.throwIfAborted();
        const failure = failureOf(error);
        // the client learns the store's time from the first refusal
        const tries = failure.code === 'RequestTimeTooSkewed' ? 2 : TRIES;
        if (!isPassing(failure) || tried >= tries)
          throw explainS3(error, what, this.url, this.#bucket);
        const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tried);
        await clock.sleep(longest * (0.5 + random() / 2), signal);
      }
    }
  };

  read(key: string, range?: ByteRange): Promise<Buffer | undefined> {
    const part =
      range === undefined ? {} : { Range: `bytes=${range.from}-${range.from + range.bytes - 1}` };
    return this.#request(`Reading ${key}`, async () => {
      try {
        const { Body } = await this.#client.send(
          new GetObjectCommand({ ...this.#at(key), ...part }),
        );
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      } catch (error) {
        if (failureOf(error).code === 'NoSuchKey') return undefined;
        throw error;
      }
    });
  }

  async *list(prefix: string, after?: string): AsyncGenerator<StoredObject> {
    const { Bucket, Key: Prefix } = this.#at(prefix);
    const start = after === undefined ? {} : { StartAfter: this.#at(after).Key };
    const bound = new ListBound();
    let more: { StartAfter?: string; ContinuationToken?: string } | undefined = start;
    while (more !== undefined) {
      const list: ListObjectsV2Command = new ListObjectsV2Command({ Bucket, Prefix, ...more });
      const { objects, next } = await this.#request(`Listing ${prefix}`, async () => {
        const page = await this.#client.send(list);
        const { Contents = [], IsTruncated, NextContinuationToken } = page;
        return {
          objects: Contents,
          next: bound.add(Contents.length, IsTruncated, NextContinuationToken),
        };
      });
      for (const { Key = '', Size = 0, LastModified } of objects)
        yield {
          key: Key.slice(this.#prefix.length),
          bytes: Size,
          modifiedAt: LastModified?.getTime() ?? 0,
        };
      more = next === undefined ? undefined : { ContinuationToken: next };
    }
  }

  sizeOf(key: string): Promise<number | undefined> {
    return this.#request(`Asking for ${key}`, async () => {
      try {
        return (await this.#client.send(new HeadObjectCommand(this.#at(key)))).ContentLength;
      } catch (error) {
        if (failureOf(error).status === 404) return undefined;
        throw error;
      }
    });
  }

  create(key: string, bytes: Uint8Array): Promise<boolean> {
    const put = new PutObjectCommand({ ...this.#at(key), Body: bytes, IfNoneMatch: '*' });
    return this.#request(`Writing ${key}`, async () => {
      try {
        await this.#client.send(put);
        return true;
      } catch (error) {
        if (failureOf(error).status === 412) return false;
        throw error;
      }
    });
  }

  async replace(key: string, bytes: Uint8Array): Promise<void> {
    await this.#request(`Writing ${key}`, () =>
      this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: bytes })),
    );
  }

  async copyIn(key: string, file: OpenFile): Promise<void> {
    if (file.bytes > WHOLE_PARTS * this.#partBytes) return this.#multipart(key).upload(file);
    const md5 = await md5Of(file, 0, file.bytes);
    await this.#request(`Uploading ${key}`, () =>
      this.#client.send(
        new PutObjectCommand({
          ...this.#at(key),
          Body: stretchOf(file, 0, file.bytes),
          ContentLength: file.bytes,
          ContentMD5: md5.toString('base64'),
        }),
      ),
    );
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (let done = 0; done < keys.length; done += REMOVED_AT_ONCE)
      await Promise.all(
        keys
          .slice(done, done + REMOVED_AT_ONCE)
          .map((key) =>
            this.#request(`Removing ${key}`, () =>
              this.#client.send(new DeleteObjectCommand(this.#at(key))),
            ),
          ),
      );
  }

  tidy(prefix: string, before: number): Promise<void> {
    return this.#multipart(prefix).abortOlder(before);
  }

  close(): void {
    this.#client.destroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
