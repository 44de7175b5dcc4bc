import type { CompletedPart, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { BlobError } from '../../../src/protocol/errors.js';
import { BlobMissingError } from './driver.js';
import type { BytesDriver } from './driver.js';
import { only } from './peek.js';
import type { S3Location } from './s3-location.js';
import { Ahead, cut, partSize } from './s3-parts.js';

type Sdk = typeof import('@aws-sdk/client-s3');

/** Parts of all uploads together that travel while their uploads read on. */
const AHEAD = 12;
const DELETE_PAGE = 1000;
const BLOB_ID = /^[a-z0-9]{32}$/;

/**
 * Blobs as objects of an S3-compatible store, named by their ids. A body up to one part is one PUT, a longer one a multipart upload, cut while
 * it streams: an upload holds one part in memory whatever its length. Every request signs its payload's SHA-256, which the store compares:
 * that is the checksum every S3 store has, older Ceph included.
 * @throws Error when the bucket cannot be used, with what to do.
 */
export async function openS3Bytes(sdk: Sdk, location: S3Location): Promise<BytesDriver> {
  const { bucket: Bucket, prefix: Prefix, endpoint, region } = location;
  const client: S3Client = new sdk.S3Client({
    // Only AWS gives every bucket a host name for certain.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(region !== undefined && { region }),
    maxAttempts: 5,
    // Trailing checksums in chunked bodies are what older stores refuse; the signed SHA-256 says the same.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 10_000,
      requestTimeout: 120_000,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: 256 },
      httpsAgent: { maxSockets: 256 },
    },
  });
  const ahead = new Ahead(AHEAD);
  const keyOf = (id: string) => Prefix + id;
  const idOf = (key: string | undefined) => key?.slice(Prefix.length) ?? '';
  const options = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});

  async function put(Key: string, Body: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    await client.send(new sdk.PutObjectCommand({ Bucket, Key, Body }), options(signal));
  }

  async function putParts(Key: string, parts: AsyncIterable<Buffer>, signal: AbortSignal | undefined): Promise<void> {
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand({ Bucket, Key }), options(signal));
    const done: CompletedPart[] = [];
    const travelling = new Set<Promise<void>>();
    let failure: { cause: unknown } | undefined;
    let size = 0;

    async function send(PartNumber: number, Body: Buffer): Promise<void> {
      const command = new sdk.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body });
      const { ETag } = await client.send(command, options(signal));
      done.push({ PartNumber, ETag });
    }

    try {
      let number = 0;
      for await (const part of parts) {
        if (failure) throw failure.cause;
        number += 1;
        size += part.byteLength;
        if (!ahead.take()) {
          await send(number, part);
          continue;
        }
        const one = send(number, part)
          .catch((cause: unknown) => void (failure ??= { cause }))
          .finally(() => {
            ahead.give();
            travelling.delete(one);
          });
        travelling.add(one);
      }
      await Promise.all(travelling);
      if (failure) throw failure.cause;
      done.sort((a, b) => a.PartNumber! - b.PartNumber!);
      await complete(Key, UploadId, done, size, signal);
    } catch (cause) {
      await Promise.all(travelling);
      await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => {});
      throw cause;
    }
  }

  async function complete(
    Key: string,
    UploadId: string | undefined,
    Parts: CompletedPart[],
    size: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const command = new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
    await client.send(command, options(signal)).catch(async (cause: unknown) => {
      // A try whose answer was lost has done it, and the next finds no upload any more.
      // Ceph calls that NoSuchKey.
      if (nameOf(cause) !== 'NoSuchUpload' && nameOf(cause) !== 'NoSuchKey') throw cause;
      const head = await client.send(new sdk.HeadObjectCommand({ Bucket, Key }), options(signal)).catch(() => undefined);
      if (head?.ContentLength !== size) throw cause;
    });
  }

  /** Multipart uploads under way, or left over by a crash. */
  async function* halves(signal?: AbortSignal) {
    let at: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
    for (;;) {
      const page = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...at }), options(signal));
      for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
        if (BLOB_ID.test(idOf(Key))) yield { id: idOf(Key), Key, UploadId, changedAt: Initiated?.getTime() ?? 0 };
      if (!page.IsTruncated) return;
      at = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  async function remove(ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += DELETE_PAGE) {
      const Objects = ids.slice(at, at + DELETE_PAGE).map((id) => ({ Key: keyOf(id) }));
      const { Errors = [] } = await client.send(new sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
      const first = Errors.find((error) => error.Code !== 'NoSuchKey');
      if (first) throw new Error(`the store does not delete ${first.Key}: ${first.Code} ${first.Message ?? ''}`);
    }
  }

  await client.send(new sdk.HeadBucketCommand({ Bucket })).catch((cause: unknown) => {
    throw new Error(`the bucket ${Bucket} of BLOB_STORE cannot be used: ${whyUnusable(cause)}`, { cause });
  });

  return {
    atOnce: 0,

    async write(id, body, { size, signal } = {}) {
      const parts = cut(body instanceof Uint8Array ? only(body) : body, size);
      const Key = keyOf(id);
      // Each request that travels listens for the end of them all.
      if (signal) setMaxListeners(0, signal);
      try {
        const first = await parts.next();
        signal?.throwIfAborted();
        if (first.done) await put(Key, new Uint8Array(), signal);
        else if (first.value.byteLength < partSize(1, size)) await put(Key, first.value, signal);
        else await putParts(Key, before(first.value, parts), signal);
      } catch (cause) {
        // What was refused may have been stored all the same: a lost answer, a cut after the last byte.
        await remove([id]).catch(() => {});
        signal?.throwIfAborted();
        throw isFull(cause) ? new BlobError('STORAGE_FULL', 'The store is full; nothing was stored.', { cause }) : cause;
      }
    },

    async read(id, range, signal) {
      const Range = range && { Range: `bytes=${range.start}-${range.end}` };
      const command = new sdk.GetObjectCommand({ Bucket, Key: keyOf(id), ...Range });
      const { Body } = await client.send(command, options(signal)).catch((cause: unknown) => {
        throw nameOf(cause) === 'NoSuchKey' ? new BlobMissingError(id) : cause;
      });
      return Body as Readable;
    },

    async delete(ids) {
      if (ids.length === 0) return;
      await remove(ids);
      const wanted = new Set(ids);
      for await (const { id, Key, UploadId } of halves())
        if (wanted.has(id)) await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => {});
    },

    async *list(signal) {
      for await (const { id, changedAt } of halves(signal)) yield { id, size: 0, changedAt };
      for (let ContinuationToken: string | undefined; ;) {
        const page = await client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }), options(signal));
        for (const { Key, Size = 0, LastModified } of page.Contents ?? [])
          if (BLOB_ID.test(idOf(Key))) yield { id: idOf(Key), size: Size, changedAt: LastModified?.getTime() ?? 0 };
        if (!page.IsTruncated) return;
        ContinuationToken = page.NextContinuationToken;
      }
    },

    ping: (signal) => put(`${Prefix}probe`, new Uint8Array(), signal),

    // A store that answers has stored; there is nothing to put right.
    async recover() {},

    async close() {
      client.destroy();
    },
  };
}

async function* before<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/** A HEAD has no body: its status is all that the store says. */
function whyUnusable(cause: unknown): string {
  const { $metadata, message, code } = cause as Partial<S3ServiceException> & { code?: string };
  const status = $metadata?.httpStatusCode;
  if (status === 404) return 'the store has no such bucket; make it first';
  if (status === 403) return 'the store refuses these credentials, or they may not use this bucket (403)';
  if (status === 301 || status === 400) return `the region or the endpoint is not the bucket's (${status})`;
  // A host of several addresses has all that was said in a list, and no message.
  return message || code || nameOf(cause);
}

const nameOf = (cause: unknown): string => (cause as Partial<S3ServiceException>)?.name ?? String(cause);

const isFull = (cause: unknown): boolean =>
  ['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull', 'StorageFull'].includes(nameOf(cause)) ||
  (cause as Partial<S3ServiceException>)?.$metadata?.httpStatusCode === 507;
