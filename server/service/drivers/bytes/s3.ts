import type { CompletedPart, GetObjectCommandOutput, ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { BlobLengthError, BlobMissingError, isStoreUnavailable } from './driver.js';
import type { BlobRange, BytesDriver } from './driver.js';
import { exactLength } from './exact-length.js';
import { defaultPartMemory, PartMemory } from './part-memory.js';
import { singleChunk } from './read-up-to.js';
import type { S3Location } from './s3-location.js';
import { ByteSemaphore, cutIntoParts, PART_SIZE } from './s3-parts.js';
import type { Part } from './s3-parts.js';
import { isFull, nameOf, S3Requests, toBlobError, bucketProblem } from './s3-requests.js';

type Sdk = typeof import('@aws-sdk/client-s3');

/** Bytes of parts of all uploads that are sent while their uploads continue to receive. */
const MAX_IN_FLIGHT = 12 * PART_SIZE;
const DELETE_PAGE = 1000;
/** Time for deleting what a failed upload left. The sweep deletes the rest. ms */
const CLEANUP_TIMEOUT = 5000;
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
  const { bucket: Bucket, prefix: Prefix } = location;
  const store = new S3Requests(sdk, location);
  const inFlight = new ByteSemaphore(MAX_IN_FLIGHT);
  const cleanUpWithin = Math.min(CLEANUP_TIMEOUT, location.timeout);
  const keyOf = (id: string) => Prefix + id;
  const idOf = (key: string | undefined) => key?.slice(Prefix.length) ?? '';

  async function put(Key: string, Body: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    const command = new sdk.PutObjectCommand({ Bucket, Key, Body });
    const { ETag } = await store.send((client, options) => client.send(command, options), signal);
    assertStored(ETag);
  }

  async function putParts(Key: string, parts: AsyncIterable<Part>, stop: AbortController): Promise<void> {
    const { signal } = stop;
    const begin = new sdk.CreateMultipartUploadCommand({ Bucket, Key });
    const { UploadId } = await store.send((client, options) => client.send(begin, options), signal);
    const done: CompletedPart[] = [];
    const sending = new Set<Promise<void>>();
    let size = 0;

    async function send(PartNumber: number, part: Part): Promise<void> {
      try {
        const command = new sdk.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: part.bytes });
        const { ETag } = await store.send((client, options) => client.send(command, options), signal);
        assertStored(ETag);
        done.push({ PartNumber, ETag });
      } finally {
        part.release();
      }
    }

    try {
      let number = 0;
      for await (const part of parts) {
        number += 1;
        const { byteLength } = part.bytes;
        size += byteLength;
        if (!inFlight.tryTake(byteLength)) {
          await send(number, part);
          continue;
        }
        const request = send(number, part)
          // The abort ends the wait for the next bytes of the body.
          .catch((cause: unknown) => stop.abort(cause))
          .finally(() => {
            inFlight.release(byteLength);
            sending.delete(request);
          });
        sending.add(request);
      }
      await Promise.all(sending);
      signal.throwIfAborted();
      done.sort((a, b) => a.PartNumber! - b.PartNumber!);
      await complete(Key, UploadId, done, size, signal);
    } catch (cause) {
      stop.abort(cause);
      await Promise.all(sending);
      await abortMultipart(Key, UploadId, signal.reason);
      throw signal.reason;
    }
  }

  async function complete(
    Key: string,
    UploadId: string | undefined,
    Parts: CompletedPart[],
    size: number,
    signal: AbortSignal,
  ): Promise<void> {
    const command = new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
    const lost = await store
      .send((client, options) => client.send(command, options), signal)
      .then(
        () => undefined,
        (cause: unknown) => {
          // An attempt whose response was lost may have succeeded. Then the next one finds no upload. Ceph reports NoSuchKey.
          if (nameOf(cause) !== 'NoSuchUpload' && nameOf(cause) !== 'NoSuchKey') throw cause;
          return { cause };
        },
      );
    // The response may come from a proxy or an earlier attempt, so the object itself is checked.
    const head = new sdk.HeadObjectCommand({ Bucket, Key });
    const { ContentLength } = await store
      .send((client, options) => client.send(head, options), signal)
      .catch((cause: unknown) => {
        throw lost?.cause ?? cause;
      });
    if (ContentLength !== size)
      throw lost?.cause ?? new Error(`the store completed an object of ${ContentLength} bytes instead of ${size}`);
  }

  /** Aborts a multipart upload, unless the store does not respond. Then the caller deletes it later. */
  async function abortMultipart(Key: string, UploadId: string | undefined, reason: unknown): Promise<void> {
    if (isStoreAway(reason)) return;
    const command = new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId });
    await store.send((client, options) => client.send(command, options), AbortSignal.timeout(cleanUpWithin)).catch(() => {});
  }

  /** Lists multipart uploads that are running or that a crash left. */
  async function* listMultipartUploads(signal?: AbortSignal) {
    let at: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
    for (;;) {
      const command = new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...at });
      const page = await store.send((client, options) => client.send(command, options), signal);
      for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
        if (BLOB_ID.test(idOf(Key))) yield { id: idOf(Key), Key, UploadId, changedAt: Initiated?.getTime() ?? 0 };
      if (!page.IsTruncated) return;
      at = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  async function remove(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    for (let at = 0; at < ids.length; at += DELETE_PAGE) {
      const Objects = ids.slice(at, at + DELETE_PAGE).map((id) => ({ Key: keyOf(id) }));
      const command = new sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
      const { Errors = [] } = await store.send((client, options) => client.send(command, options), signal);
      const first = Errors.find((error) => error.Code !== 'NoSuchKey');
      if (first) throw new Error(`the store does not delete ${first.Key}: ${first.Code} ${first.Message ?? ''}`);
    }
  }

  const head = new sdk.HeadBucketCommand({ Bucket });
  await store
    .send((client, options) => client.send(head, options))
    .catch((cause: unknown) => {
      store.close();
      throw new Error(`the bucket ${Bucket} of BLOB_STORE cannot be used: ${bucketProblem(cause)}`, { cause });
    });

  return {
    maxWholeBody: 0,

    async write(id, body, { signal } = {}) {
      const Key = keyOf(id);
      const stop = new AbortController();
      const aborted = () => stop.abort(signal?.reason);
      signal?.addEventListener('abort', aborted, { once: true });
      // Each running request adds a listener.
      setMaxListeners(0, stop.signal);
      const parts = cutIntoParts(body instanceof Uint8Array ? singleChunk(body) : body, memory, stop.signal);
      let first: Part | undefined;
      try {
        signal?.throwIfAborted();
        first = (await parts.next()).value ?? undefined;
        signal?.throwIfAborted();
        if (first?.isFull) await putParts(Key, prepend(first, parts), stop);
        else await put(Key, first?.bytes ?? new Uint8Array(), stop.signal);
      } catch (cause) {
        // A failed request may have stored the object, if only its response was lost.
        if (!isStoreAway(cause)) await remove([id], AbortSignal.timeout(cleanUpWithin)).catch(() => {});
        signal?.throwIfAborted();
        throw toBlobError(cause);
      } finally {
        signal?.removeEventListener('abort', aborted);
        first?.release();
        await parts.return(undefined);
      }
    },

    async read(id, range, signal) {
      const Range = range && { Range: `bytes=${range.start}-${range.end}` };
      const command = new sdk.GetObjectCommand({ Bucket, Key: keyOf(id), ...Range });
      const response = await store
        .open((client, options) => client.send(command, options), signal)
        .catch((cause: unknown) => {
          if (nameOf(cause) === 'NoSuchKey') throw new BlobMissingError(id);
          if (nameOf(cause) === 'InvalidRange')
            throw new BlobLengthError(id, 'short', 'it ends before the range that was asked for');
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
      return length === undefined ? body : exactLength(id, body, length, location.timeout);
    },

    async delete(ids) {
      if (ids.length === 0) return;
      await remove(ids);
      const wanted = new Set(ids);
      for await (const { id, Key, UploadId } of listMultipartUploads())
        if (wanted.has(id)) await abortMultipart(Key!, UploadId, undefined);
    },

    async *list(signal) {
      for await (const { id, changedAt } of listMultipartUploads(signal)) yield { id, size: 0, changedAt };
      for (let ContinuationToken: string | undefined; ;) {
        const command = new sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken });
        const page: ListObjectsV2CommandOutput = await store.send((client, options) => client.send(command, options), signal);
        for (const { Key, Size = 0, LastModified } of page.Contents ?? [])
          if (BLOB_ID.test(idOf(Key))) yield { id: idOf(Key), size: Size, changedAt: LastModified?.getTime() ?? 0 };
        if (!page.IsTruncated) return;
        ContinuationToken = page.NextContinuationToken;
      }
    },

    async ping(signal) {
      await put(`${Prefix}probe`, new Uint8Array(), signal).catch((cause: unknown) => {
        // A full store can still be read.
        if (!isFull(cause)) throw cause;
      });
    },

    // A stored object is durable, so there is nothing to repair.
    async recover() {},

    async close() {
      store.close();
    },
  };
}

/** Requires an ETag, because a proxy may respond with 200 to anything. */
function assertStored(etag: string | undefined): void {
  if (!etag) throw new Error('the store responded to an upload without an ETag');
}

const isStoreAway = (cause: unknown): boolean => isStoreUnavailable(toBlobError(cause));

/** Compares the length and range in a response with the request, before the first byte is passed on. */
function assertLengths(id: string, { ContentLength, ContentRange }: GetObjectCommandOutput, range: BlobRange | undefined): void {
  if (!range) return;
  const { start, end, size } = range;
  const wanted = end - start + 1;
  const stated = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(ContentRange ?? '');
  // A store may send a whole object without Content-Range.
  const total = stated ? Number(stated[3]) : ContentLength;
  if (size !== undefined && total !== undefined && !Number.isNaN(total) && total !== size)
    throw new BlobLengthError(id, total < size ? 'short' : 'long', `the store holds ${total} bytes where ${size} were stored`);
  if (ContentLength !== undefined && ContentLength !== wanted)
    throw new BlobLengthError(
      id,
      ContentLength < wanted ? 'short' : 'long',
      `the store sends ${ContentLength} of ${wanted} bytes`,
    );
  if (stated ? Number(stated[1]) !== start || Number(stated[2]) !== end : start !== 0)
    throw new Error(`blob ${id}: the store sends ${ContentRange ?? 'the whole'} where ${start}-${end} was asked for`);
}

async function* prepend<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
