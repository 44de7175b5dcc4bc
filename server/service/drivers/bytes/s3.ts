import type { GetObjectCommandOutput, ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { BlobLengthError, BlobMissingError } from './driver.js';
import type { BlobRange, BytesDriver, StoredBlob } from './driver.js';
import { exactLength } from './exact-length.js';
import { defaultPartMemory, PartMemory } from './part-memory.js';
import { singleChunk } from './read-up-to.js';
import type { S3Location } from './s3-location.js';
import { isStoreAway, S3MultipartUploads } from './s3-multipart.js';
import { cutIntoParts } from './s3-parts.js';
import type { Part } from './s3-parts.js';
import { assertStored, bucketProblem, isFull, nameOf, S3Requests, toBlobError } from './s3-requests.js';
import type { Sdk } from './s3-requests.js';

/** Objects of one DeleteObjects request, the maximum of S3. */
const DELETE_PAGE = 1000;
const BLOB_ID = /^[a-z0-9]{32}$/;

/**
 * Opens a store of blobs as objects of an S3-compatible store, with the prefix and the blob's id as the key. A body shorter than one part is one
 * PUT, a longer one a multipart upload, cut while it streams. Every request signs the SHA-256 of its payload, which every S3 store compares.
 * @param memory limits the parts of all uploads together.
 * @throws Error that explains why the bucket cannot be used.
 */
export async function openS3Bytes(
  sdk: Sdk,
  location: S3Location,
  memory: PartMemory = new PartMemory(defaultPartMemory()),
): Promise<BytesDriver> {
  const driver = new S3Bytes(sdk, location, memory);
  try {
    await driver.headBucket();
  } catch (cause) {
    await driver.close();
    throw new Error(`the bucket ${location.bucket} of BLOB_STORE cannot be used: ${bucketProblem(cause)}`, { cause });
  }
  return driver;
}

class S3Bytes implements BytesDriver {
  readonly maxWholeBody = 0;
  readonly #sdk: Sdk;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #memory: PartMemory;
  readonly #requests: S3Requests;
  readonly #multipart: S3MultipartUploads;

  constructor(sdk: Sdk, location: S3Location, memory: PartMemory) {
    this.#sdk = sdk;
    this.#bucket = location.bucket;
    this.#prefix = location.prefix;
    this.#memory = memory;
    this.#requests = new S3Requests(sdk, location);
    this.#multipart = new S3MultipartUploads(sdk, this.#requests, location.bucket);
  }

  async headBucket(): Promise<void> {
    const command = new this.#sdk.HeadBucketCommand({ Bucket: this.#bucket });
    await this.#requests.send((client, options) => client.send(command, options));
  }

  async write(
    id: string,
    body: AsyncIterable<Uint8Array> | Uint8Array,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<void> {
    const Key = this.#keyOf(id);
    const stop = new AbortController();
    const forwardAbort = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', forwardAbort, { once: true });
    // Each running request adds a listener.
    setMaxListeners(0, stop.signal);
    const parts = cutIntoParts(body instanceof Uint8Array ? singleChunk(body) : body, this.#memory, stop.signal);
    let first: Part | undefined;
    try {
      signal?.throwIfAborted();
      first = (await parts.next()).value ?? undefined;
      signal?.throwIfAborted();
      if (first?.isFull) await this.#multipart.put(Key, prepend(first, parts), stop);
      else await this.#put(Key, first?.bytes ?? new Uint8Array(), stop.signal);
    } catch (cause) {
      // A failed request may have stored the object, if only its response was lost.
      if (!isStoreAway(cause)) await this.#deleteObjects([id], this.#multipart.cleanupSignal()).catch(() => {});
      signal?.throwIfAborted();
      throw toBlobError(cause);
    } finally {
      signal?.removeEventListener('abort', forwardAbort);
      first?.release();
      await parts.return(undefined);
    }
  }

  async #put(Key: string, Body: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    const command = new this.#sdk.PutObjectCommand({ Bucket: this.#bucket, Key, Body });
    const { ETag } = await this.#requests.send((client, options) => client.send(command, options), signal);
    assertStored(ETag);
  }

  async read(id: string, range?: BlobRange, signal?: AbortSignal): Promise<Readable> {
    const Range = range && { Range: `bytes=${range.start}-${range.end}` };
    const command = new this.#sdk.GetObjectCommand({ Bucket: this.#bucket, Key: this.#keyOf(id), ...Range });
    const response = await this.#requests
      .open((client, options) => client.send(command, options), signal)
      .catch((cause: unknown) => {
        if (nameOf(cause) === 'NoSuchKey') throw new BlobMissingError(id);
        if (nameOf(cause) === 'InvalidRange') throw new BlobLengthError(id, 'short', 'it ends before the requested range');
        throw toBlobError(cause);
      });
    const body = response.Body as Readable;
    try {
      assertLengths(id, response, range);
    } catch (cause) {
      body.destroy();
      throw cause;
    }
    const length = range ? range.end - range.start + 1 : response.ContentLength;
    return length === undefined ? body : exactLength(id, body, length, this.#requests.timeout);
  }

  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#deleteObjects(ids);
    const deleted = new Set(ids);
    for await (const upload of this.#multipart.list(this.#prefix))
      if (deleted.has(this.#idOf(upload.Key))) await this.#multipart.abort(upload, undefined);
  }

  async #deleteObjects(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    for (let start = 0; start < ids.length; start += DELETE_PAGE) {
      const Objects = ids.slice(start, start + DELETE_PAGE).map((id) => ({ Key: this.#keyOf(id) }));
      const command = new this.#sdk.DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } });
      const { Errors = [] } = await this.#requests.send((client, options) => client.send(command, options), signal);
      const failure = Errors.find((error) => error.Code !== 'NoSuchKey');
      if (failure) throw new Error(`the store does not delete ${failure.Key}: ${failure.Code} ${failure.Message ?? ''}`);
    }
  }

  async *list(signal?: AbortSignal): AsyncGenerator<StoredBlob> {
    for await (const { Key, changedAt } of this.#multipart.list(this.#prefix, signal))
      if (BLOB_ID.test(this.#idOf(Key))) yield { id: this.#idOf(Key), size: 0, changedAt };
    for (let ContinuationToken: string | undefined; ;) {
      const command = new this.#sdk.ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, ContinuationToken });
      const page: ListObjectsV2CommandOutput = await this.#requests.send(
        (client, options) => client.send(command, options),
        signal,
      );
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? [])
        if (BLOB_ID.test(this.#idOf(Key))) yield { id: this.#idOf(Key), size: Size, changedAt: LastModified?.getTime() ?? 0 };
      if (!page.IsTruncated) return;
      ContinuationToken = page.NextContinuationToken;
    }
  }

  async ping(signal?: AbortSignal): Promise<void> {
    await this.#put(`${this.#prefix}probe`, new Uint8Array(), signal).catch((cause: unknown) => {
      // A full store can still be read.
      if (!isFull(cause)) throw cause;
    });
  }

  /** Does nothing, because a stored object is durable. */
  async recover(): Promise<void> {}

  async close(): Promise<void> {
    this.#requests.close();
  }

  #keyOf(id: string): string {
    return this.#prefix + id;
  }

  #idOf(key: string): string {
    return key.slice(this.#prefix.length);
  }
}

/** Compares the length and range in a response with the request, before the first byte is passed on. */
function assertLengths(id: string, { ContentLength, ContentRange }: GetObjectCommandOutput, range: BlobRange | undefined): void {
  if (!range) return;
  const { start, end, size } = range;
  const length = end - start + 1;
  const contentRange = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(ContentRange ?? '');
  // A store may send a whole object without Content-Range.
  const total = contentRange ? Number(contentRange[3]) : ContentLength;
  if (size !== undefined && total !== undefined && !Number.isNaN(total) && total !== size)
    throw new BlobLengthError(id, total < size ? 'short' : 'long', `the store has ${total} bytes; ${size} were stored`);
  if (ContentLength !== undefined && ContentLength !== length)
    throw new BlobLengthError(
      id,
      ContentLength < length ? 'short' : 'long',
      `the store sends ${ContentLength} of ${length} bytes`,
    );
  // Without Content-Range the response begins at the first byte.
  const isRequestedRange = contentRange ? Number(contentRange[1]) === start && Number(contentRange[2]) === end : start === 0;
  if (!isRequestedRange)
    throw new Error(`blob ${id}: the store sends ${ContentRange ?? 'the whole object'}; bytes ${start}-${end} were requested`);
}

async function* prepend<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
