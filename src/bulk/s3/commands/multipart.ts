import { notS3Error } from '../response-error.js';
import { S3Error } from '../../errors.js';
import type { ObjectProperties } from '../../types.js';
import { fromSdk, sdkOf, commandSignal, withHeaders } from '../sdk.js';
import type { Store } from '../object-store.js';
import { propertyHeaders } from './properties.js';
import { unquote, withChecksums } from './body-checksums.js';

/** The control plane of multipart uploads, through the SDK. Source: AWS API reference, the commands of the same names. */

export interface UploadRef {
  bucket: string;
  key: string;
  uploadId: string;
}

export interface StoredPart {
  number: number;
  size: number;
  etag: string;
  /** That of `Store.checksum`, where the store tells it. */
  checksum: string | undefined;
}

export interface CompletedPart {
  number: number;
  etag: string;
  checksum?: string;
}

async function call<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw fromSdk(error);
  }
}

/** @returns the upload's id. */
export function createMultipartUpload(
  store: Store,
  create: {
    bucket: string;
    key: string;
    properties: ObjectProperties;
    /** @default true */ checksums?: boolean;
    signal: AbortSignal;
  },
): Promise<string> {
  return withChecksums(store, () =>
    call(async () => {
      const { client, module } = await sdkOf(store);
      const command = new module.CreateMultipartUploadCommand({
        Bucket: create.bucket,
        Key: create.key,
        ...(!store.refusesChecksums &&
          create.checksums !== false && { ChecksumAlgorithm: store.checksum, ChecksumType: 'FULL_OBJECT' }),
      });
      const headers = propertyHeaders(create.properties);
      const response = await client.send(withHeaders(command, headers), commandSignal(create.signal));
      if (response.UploadId === undefined) throw notS3Error(200);
      return response.UploadId;
    }),
  );
}

/** @returns the ETag, and the object's checksum where the store tells it. */
export function completeMultipartUpload(
  store: Store,
  complete: UploadRef & { parts: CompletedPart[]; checksum?: string; size: number; onlyNew?: boolean; signal: AbortSignal },
): Promise<{ etag: string; checksum: string | undefined }> {
  return call(async () => {
    const { client, module } = await sdkOf(store);
    // Parts that the store copied itself have no checksum that we could state.
    const element = `Checksum${store.checksum}` as const;
    const checks = store.confirmsChecksums === true && complete.checksum !== undefined;
    const response = await client.send(
      new module.CompleteMultipartUploadCommand({
        Bucket: complete.bucket,
        Key: complete.key,
        UploadId: complete.uploadId,
        MultipartUpload: {
          Parts: complete.parts.map((part) => ({
            PartNumber: part.number,
            ETag: `"${part.etag}"`,
            ...(checks && part.checksum !== undefined && { [element]: part.checksum }),
          })),
        },
        ...(checks && { [element]: complete.checksum, ChecksumType: 'FULL_OBJECT', MpuObjectSize: complete.size }),
        ...(complete.onlyNew && { IfNoneMatch: '*' }),
      }),
      commandSignal(complete.signal),
    );
    return { etag: unquote(response.ETag), checksum: response[element] };
  });
}

/** Whether a store says that it does not know an upload. Ceph says so in another way while it is just completing one. */
export const isUnknownUpload = (error: unknown): boolean =>
  error instanceof S3Error && (error.code === 'NoSuchUpload' || error.code === 'NoSuchKey');

/** One that is gone already is aborted. */
export async function abortMultipartUpload(store: Store, upload: UploadRef & { signal: AbortSignal }): Promise<void> {
  await call(async () => {
    const { client, module } = await sdkOf(store);
    await client.send(
      new module.AbortMultipartUploadCommand({ Bucket: upload.bucket, Key: upload.key, UploadId: upload.uploadId }),
      commandSignal(upload.signal),
    );
  }).catch((error: unknown) => {
    if (!isUnknownUpload(error)) throw error;
  });
}

/** @returns the parts that lie in the store; undefined when the upload is gone. */
export async function listParts(store: Store, upload: UploadRef & { signal: AbortSignal }): Promise<StoredPart[] | undefined> {
  const parts: StoredPart[] = [];
  try {
    await call(async () => {
      const { client, module } = await sdkOf(store);
      for (let marker: string | undefined, more = true; more;) {
        const page: import('@aws-sdk/client-s3').ListPartsCommandOutput = await client.send(
          new module.ListPartsCommand({
            Bucket: upload.bucket,
            Key: upload.key,
            UploadId: upload.uploadId,
            ...(marker !== undefined && { PartNumberMarker: marker }),
          }),
          commandSignal(upload.signal),
        );
        for (const part of page.Parts ?? [])
          parts.push({
            number: part.PartNumber!,
            size: part.Size!,
            etag: unquote(part.ETag),
            checksum: part[`Checksum${store.checksum}`],
          });
        // A marker that does not move on, or moves on without parts, would be asked for without end.
        const tells = (page.Parts?.length ?? 0) > 0 && Number(page.NextPartNumberMarker) > Number(marker ?? 0);
        more = page.IsTruncated === true && tells;
        marker = page.NextPartNumberMarker;
      }
    });
  } catch (error) {
    if (isUnknownUpload(error)) return undefined;
    throw error;
  }
  return parts;
}

/** One upload that was begun and not ended. */
export interface UploadEntry {
  key: string;
  uploadId: string;
  initiatedMs: number;
}

/** Where the next page begins. */
export interface UploadsAfter {
  key: string;
  uploadId: string;
}

/** A page of the uploads under a prefix that were begun and not ended. */
export function listUploads(
  store: Store,
  list: { bucket: string; prefix: string; after?: UploadsAfter; signal: AbortSignal },
): Promise<{ uploads: UploadEntry[]; after: UploadsAfter | undefined }> {
  return call(async () => {
    const { client, module } = await sdkOf(store);
    const { bucket, prefix, after } = list;
    const page = await client.send(
      new module.ListMultipartUploadsCommand({
        Bucket: bucket,
        Prefix: prefix,
        ...(after && { KeyMarker: after.key, UploadIdMarker: after.uploadId }),
      }),
      commandSignal(list.signal),
    );
    const uploads = (page.Uploads ?? []).map((upload) => ({
      key: upload.Key!,
      uploadId: upload.UploadId!,
      initiatedMs: upload.Initiated?.getTime() ?? 0,
    }));
    const { NextKeyMarker: key, NextUploadIdMarker: uploadId } = page;
    // A marker that does not move on would be asked for without end.
    const more = page.IsTruncated === true && key !== undefined && uploadId !== undefined && uploadId !== after?.uploadId;
    return { uploads, after: more ? { key, uploadId } : undefined };
  });
}
