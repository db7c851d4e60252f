import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  ListPartsCommand,
  type ListPartsCommandInput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { md5Of, stretchOf } from './local-file.ts';
import { ListBound } from './s3-bounds.ts';
import { failureOf } from './s3-errors.ts';
import type { OpenFile } from './table-store.ts';

/** Runs a request. Retries transient failures and explains permanent ones. */
export type Request = <T>(what: string, send: () => Promise<T>) => Promise<T>;

interface Part {
  readonly PartNumber: number;
  readonly ETag: string;
}
interface Begun {
  readonly key: string;
  readonly id: string;
  readonly at: number;
}

/** Multipart uploads of one object. Parts stay in the store until the upload ends. */
export class Multipart {
  readonly #client: S3Client;
  readonly #at: { Bucket: string; Key: string };
  readonly #request: Request;
  readonly #partBytes: number;

  constructor(
    client: S3Client,
    at: { Bucket: string; Key: string },
    request: Request,
    partBytes: number,
  ) {
    this.#client = client;
    this.#at = at;
    this.#request = request;
    this.#partBytes = partBytes;
  }

  /** Unfinished uploads below the key, oldest first. */
  async #begun(): Promise<Begun[]> {
    const { Bucket, Key: Prefix } = this.#at;
    const begun: Begun[] = [];
    const bound = new ListBound();
    let marker: Partial<ListMultipartUploadsCommandInput> | undefined = {};
    while (marker !== undefined) {
      const list: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        Bucket,
        Prefix,
        ...marker,
      });
      marker = await this.#request(`Listing uploads of ${Prefix}`, async () => {
        const page = await this.#client.send(list);
        const { Uploads = [], NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
        for (const { Key = '', UploadId = '', Initiated } of Uploads)
          begun.push({ key: Key, id: UploadId, at: Initiated?.getTime() ?? 0 });
        return bound.add(Uploads.length, page.IsTruncated, { KeyMarker, UploadIdMarker });
      });
    }
    return begun.sort((a, b) => a.at - b.at);
  }

  async #begin(): Promise<string> {
    const { UploadId = '' } = await this.#request(`Uploading ${this.#at.Key}`, () =>
      this.#client.send(new CreateMultipartUploadCommand(this.#at)),
    );
    return UploadId;
  }

  /** ETags of the uploaded parts, by number. */
  async #partsOf(UploadId: string): Promise<Map<number, string>> {
    const parts = new Map<number, string>();
    const bound = new ListBound();
    let marker: Partial<ListPartsCommandInput> | undefined = {};
    while (marker !== undefined) {
      const list: ListPartsCommand = new ListPartsCommand({ ...this.#at, UploadId, ...marker });
      marker = await this.#request(`Listing parts of ${this.#at.Key}`, async () => {
        const page = await this.#client.send(list);
        const { Parts = [], NextPartNumberMarker: PartNumberMarker } = page;
        for (const { PartNumber = 0, ETag = '' } of Parts) parts.set(PartNumber, ETag);
        return bound.add(Parts.length, page.IsTruncated, { PartNumberMarker });
      });
    }
    return parts;
  }

  /** Uploads one part unless it is there: its ETag is its MD5. */
  async #part(
    file: OpenFile,
    UploadId: string,
    PartNumber: number,
    held: string | undefined,
  ): Promise<Part> {
    const start = (PartNumber - 1) * this.#partBytes;
    const bytes = Math.min(this.#partBytes, file.bytes - start);
    const md5 = await md5Of(file, start, bytes);
    if (held !== undefined && held.replaceAll('"', '') === md5.toString('hex'))
      return { PartNumber, ETag: held };
    const { ETag = '' } = await this.#request(`Uploading ${this.#at.Key}`, () =>
      this.#client.send(
        new UploadPartCommand({
          ...this.#at,
          UploadId,
          PartNumber,
          Body: stretchOf(file, start, bytes),
          ContentLength: bytes,
          ContentMD5: md5.toString('base64'),
        }),
      ),
    );
    return { PartNumber, ETag };
  }

  /** Completes an upload. A missing one may have been completed by a request whose response was lost. */
  async #complete(UploadId: string, Parts: Part[], bytes: number): Promise<void> {
    await this.#request(`Uploading ${this.#at.Key}`, async () => {
      const complete = { ...this.#at, UploadId, MultipartUpload: { Parts } };
      try {
        await this.#client.send(new CompleteMultipartUploadCommand(complete));
      } catch (error) {
        if (failureOf(error).code !== 'NoSuchUpload') throw error;
        const { ContentLength } = await this.#client.send(new HeadObjectCommand(this.#at));
        if (ContentLength !== bytes) throw error;
      }
    });
  }

  /** Uploads a file in parts, one after another. Resumes an interrupted upload. */
  async upload(file: OpenFile): Promise<void> {
    const begun = (await this.#begun()).filter(({ key }) => key === this.#at.Key).at(-1);
    const id = begun?.id ?? (await this.#begin());
    const held = begun === undefined ? new Map<number, string>() : await this.#partsOf(id);
    const parts: Part[] = [];
    for (let number = 1; (number - 1) * this.#partBytes < file.bytes; number += 1)
      parts.push(await this.#part(file, id, number, held.get(number)));
    await this.#complete(id, parts, file.bytes);
  }

  /** Aborts unfinished uploads below the key that began before `before` (Unix ms). */
  async abortOlder(before: number): Promise<void> {
    const { Bucket } = this.#at;
    for (const { key: Key, id: UploadId, at } of await this.#begun())
      if (at < before)
        await this.#request(`Ending an upload of ${Key}`, () =>
          this.#client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
        );
  }
}
