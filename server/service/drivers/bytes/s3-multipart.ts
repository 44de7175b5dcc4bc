import type { CompletedPart } from '@aws-sdk/client-s3';
import { isStoreUnavailable } from './driver.js';
import { ByteSemaphore, PART_SIZE } from './s3-parts.js';
import type { Part } from './s3-parts.js';
import { assertStored, nameOf, toBlobError } from './s3-requests.js';
import type { S3Requests, Sdk } from './s3-requests.js';

/** Bytes of parts of all uploads that are sent while their uploads continue to receive. */
const MAX_IN_FLIGHT = 12 * PART_SIZE;
/** Time for deleting what a failed upload left. The sweep deletes the rest. */
const CLEANUP_TIMEOUT_MS = 5000;

/** A multipart upload in the bucket. */
interface MultipartUpload {
  Key: string;
  UploadId: string | undefined;
}

/** @returns whether the store did not respond. Requests to clean up would then fail as well. */
export const isStoreAway = (cause: unknown): boolean => isStoreUnavailable(toBlobError(cause));

/** Stores large bodies in one bucket as multipart uploads. */
export class S3MultipartUploads {
  readonly #inFlight = new ByteSemaphore(MAX_IN_FLIGHT);
  readonly #cleanupTimeout: number;

  constructor(
    private readonly sdk: Sdk,
    private readonly requests: S3Requests,
    private readonly bucket: string,
  ) {
    this.#cleanupTimeout = Math.min(CLEANUP_TIMEOUT_MS, requests.timeout);
  }

  /** Returns a signal that ends requests to clean up in time. */
  cleanupSignal(): AbortSignal {
    return AbortSignal.timeout(this.#cleanupTimeout);
  }

  /**
   * Stores parts as one object. Sends parts while the next ones arrive, as far as the limit of all uploads permits.
   * @param stop is aborted when a part fails, which ends the wait for the next bytes of the body.
   * @throws the reason of `stop`, after the multipart upload was aborted.
   */
  async put(Key: string, parts: AsyncIterable<Part>, stop: AbortController): Promise<void> {
    const { signal } = stop;
    const create = new this.sdk.CreateMultipartUploadCommand({ Bucket: this.bucket, Key });
    const { UploadId } = await this.requests.send((client, options) => client.send(create, options), signal);
    const upload = { Key, UploadId };
    const sending = new Set<Promise<void>>();
    try {
      const { completed, size } = await this.#sendParts(upload, parts, stop, sending);
      await Promise.all(sending);
      signal.throwIfAborted();
      completed.sort((a, b) => a.PartNumber! - b.PartNumber!);
      await this.#complete(upload, completed, size, signal);
    } catch (cause) {
      stop.abort(cause);
      await Promise.all(sending);
      await this.abort(upload, signal.reason);
      throw signal.reason;
    }
  }

  /** @param sending receives the running requests. @returns the parts, which are complete when these requests have ended. */
  async #sendParts(
    upload: MultipartUpload,
    parts: AsyncIterable<Part>,
    stop: AbortController,
    sending: Set<Promise<void>>,
  ): Promise<{ completed: CompletedPart[]; size: number }> {
    const completed: CompletedPart[] = [];
    let number = 0;
    let size = 0;
    for await (const part of parts) {
      number += 1;
      const { byteLength } = part.bytes;
      size += byteLength;
      const request = this.#sendPart(upload, number, part, stop.signal).then((sent) => void completed.push(sent));
      if (!this.#inFlight.tryTake(byteLength)) {
        await request;
        continue;
      }
      const background = request
        .catch((cause: unknown) => stop.abort(cause))
        .finally(() => {
          this.#inFlight.release(byteLength);
          sending.delete(background);
        });
      sending.add(background);
    }
    return { completed, size };
  }

  async #sendPart(upload: MultipartUpload, PartNumber: number, part: Part, signal: AbortSignal): Promise<CompletedPart> {
    try {
      const command = new this.sdk.UploadPartCommand({ Bucket: this.bucket, ...upload, PartNumber, Body: part.bytes });
      const { ETag } = await this.requests.send((client, options) => client.send(command, options), signal);
      assertStored(ETag);
      return { PartNumber, ETag };
    } finally {
      part.release();
    }
  }

  /** Completes an upload. The response may come from a proxy or an earlier attempt, so the object itself is checked. */
  async #complete(upload: MultipartUpload, Parts: CompletedPart[], size: number, signal: AbortSignal): Promise<void> {
    const command = new this.sdk.CompleteMultipartUploadCommand({
      Bucket: this.bucket,
      ...upload,
      MultipartUpload: { Parts },
    });
    const notFound = await this.requests
      .send((client, options) => client.send(command, options), signal)
      .then(
        () => undefined,
        (cause: unknown) => {
          // An attempt whose response was lost may have succeeded. Then the next one finds no upload. Ceph reports NoSuchKey.
          if (nameOf(cause) !== 'NoSuchUpload' && nameOf(cause) !== 'NoSuchKey') throw cause;
          return { cause };
        },
      );
    const head = new this.sdk.HeadObjectCommand({ Bucket: this.bucket, Key: upload.Key });
    const { ContentLength } = await this.requests
      .send((client, options) => client.send(head, options), signal)
      .catch((cause: unknown) => {
        throw notFound?.cause ?? cause;
      });
    if (ContentLength !== size)
      throw notFound?.cause ?? new Error(`the store completed an object of ${ContentLength} bytes instead of ${size}`);
  }

  /** Aborts an upload, unless the store does not respond. Then the caller deletes it later. @param reason why the upload failed. */
  async abort(upload: MultipartUpload, reason: unknown): Promise<void> {
    if (isStoreAway(reason)) return;
    const command = new this.sdk.AbortMultipartUploadCommand({ Bucket: this.bucket, ...upload });
    await this.requests.send((client, options) => client.send(command, options), this.cleanupSignal()).catch(() => {});
  }

  /** Lists uploads that are running or that a crash left. */
  async *list(Prefix: string, signal?: AbortSignal): AsyncGenerator<MultipartUpload & { changedAt: number }> {
    let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
    for (;;) {
      const command = new this.sdk.ListMultipartUploadsCommand({ Bucket: this.bucket, Prefix, ...markers });
      const page = await this.requests.send((client, options) => client.send(command, options), signal);
      for (const { Key = '', UploadId, Initiated } of page.Uploads ?? [])
        yield { Key, UploadId, changedAt: Initiated?.getTime() ?? 0 };
      if (!page.IsTruncated) return;
      markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }
}
