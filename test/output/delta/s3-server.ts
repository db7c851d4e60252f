import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A response of the store in place of the requested action. */
export interface S3Fault {
  /** Matches `METHOD /bucket/key?query`. */
  on: RegExp;
  status: number;
  code: string;
  times?: number;
  /** Do what was asked, and answer wrongly all the same. */
  after?: boolean;
}

interface Upload {
  key: string;
  parts: Map<number, { bytes: Buffer; md5: string }>;
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
const tag = (name: string, text: string | number): string => `<${name}>${text}</${name}>`;

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/**
 * A small store that speaks as much of S3 as publishing needs, on loopback, in memory: conditions,
 * lists, uploads in parts, checks of Content-MD5. It does not check signatures.
 */
export const startS3 = async (options: { ignoresConditions?: boolean } = {}) => {
  const objects = new Map<string, { bytes: Buffer; at: string }>();
  const uploads = new Map<string, Upload>();
  const requests: string[] = [];
  const faults: S3Fault[] = [];
  let uploadIds = 0;

  interface Answer {
    status: number;
    body?: Buffer | string;
    headers?: Record<string, string>;
  }
  const error = (status: number, code: string): Answer => ({
    status,
    body: `<Error>${tag('Code', code)}${tag('Message', code)}</Error>`,
  });
  const xml = (root: string, body: string): Answer => ({
    status: 200,
    body: `<?xml version="1.0" encoding="UTF-8"?><${root}>${body}</${root}>`,
  });

  const put = (key: string, bytes: Buffer, request: IncomingMessage, query: URLSearchParams) => {
    const sent = request.headers['content-md5'];
    const got = md5(bytes);
    if (sent !== undefined && Buffer.from(String(sent), 'base64').toString('hex') !== got)
      return error(400, 'BadDigest');
    const upload = uploads.get(query.get('uploadId') ?? '');
    if (query.has('uploadId')) {
      if (upload === undefined) return error(404, 'NoSuchUpload');
      upload.parts.set(Number(query.get('partNumber')), { bytes, md5: got });
      return { status: 200, headers: { ETag: `"${got}"` } };
    }
    const conditional = request.headers['if-none-match'] === '*' && !options.ignoresConditions;
    if (conditional && objects.has(key)) return error(412, 'PreconditionFailed');
    objects.set(key, { bytes, at: new Date().toISOString() });
    return { status: 200, headers: { ETag: `"${got}"` } };
  };

  const list = (query: URLSearchParams): Answer => {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, 50); // so that lists have several pages
    const contents = page.map((key) => {
      const { bytes, at } = objects.get(key) ?? { bytes: Buffer.alloc(0), at: '' };
      return `<Contents>${tag('Key', key)}${tag('Size', bytes.length)}${tag('LastModified', at)}</Contents>`;
    });
    const cut = keys.length > page.length;
    const next = cut ? tag('NextContinuationToken', page.at(-1) ?? '') : '';
    return xml('ListBucketResult', `${tag('IsTruncated', String(cut))}${next}${contents.join('')}`);
  };

  const listUploads = (query: URLSearchParams): Answer =>
    xml(
      'ListMultipartUploadsResult',
      [...uploads]
        .filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''))
        .map(([id, { key }]) => `<Upload>${tag('Key', key)}${tag('UploadId', id)}</Upload>`)
        .join(''),
    );

  const listParts = (id: string): Answer =>
    xml(
      'ListPartsResult',
      [...(uploads.get(id)?.parts ?? [])]
        .map(
          ([n, { md5 }]) =>
            `<Part>${tag('PartNumber', n)}${tag('ETag', `&quot;${md5}&quot;`)}</Part>`,
        )
        .join(''),
    );

  const complete = (id: string): Answer => {
    const upload = uploads.get(id);
    if (upload === undefined) return error(404, 'NoSuchUpload');
    const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, { bytes }]) => bytes);
    objects.set(upload.key, { bytes: Buffer.concat(parts), at: new Date().toISOString() });
    uploads.delete(id);
    return xml('CompleteMultipartUploadResult', tag('Key', upload.key));
  };

  const responseOf = (request: IncomingMessage, bytes: Buffer): Answer => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://s3');
    const [, bucket = '', ...path] = decodeURIComponent(pathname).split('/');
    const key = path.join('/');
    const id = query.get('uploadId') ?? '';
    if (bucket !== 'bucket') return error(404, 'NoSuchBucket');
    if (request.method === 'POST' && query.has('uploads')) {
      uploads.set(`upload-${++uploadIds}`, { key, parts: new Map() });
      return xml('InitiateMultipartUploadResult', tag('UploadId', `upload-${uploadIds}`));
    }
    if (request.method === 'POST') return complete(id);
    if (request.method === 'PUT') return put(key, bytes, request, query);
    if (request.method === 'DELETE') {
      if (query.has('uploadId')) uploads.delete(id);
      else objects.delete(key);
      return { status: 204 };
    }
    if (query.has('uploads')) return listUploads(query);
    if (query.has('uploadId')) return listParts(id);
    if (key === '') return list(query);
    const found = objects.get(key);
    if (found === undefined) return error(404, 'NoSuchKey');
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (range === null) return { status: 200, body: found.bytes };
    return { status: 206, body: found.bytes.subarray(Number(range[1]), Number(range[2]) + 1) };
  };

  const server = createServer((request, response) => {
    void bodyOf(request).then((bytes) => {
      const line = `${request.method} ${decodeURIComponent(request.url ?? '')}`;
      requests.push(line);
      const fault = faults.find(({ on, times = 1 }) => times > 0 && on.test(line));
      if (fault !== undefined) fault.times = (fault.times ?? 1) - 1;
      const isRefused = fault !== undefined && fault.after !== true;
      const done = isRefused ? undefined : responseOf(request, bytes);
      const answer = fault === undefined ? done : error(fault.status, fault.code);
      const { status = 500, body = '', headers = {} } = answer ?? {};
      const length = { 'content-length': Buffer.byteLength(body) };
      response.writeHead(status, { 'content-type': 'application/xml', ...headers, ...length });
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
  };
  return { env, objects, uploads, requests, faults };
};
