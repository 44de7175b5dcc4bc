import { ALGORITHM_NAMES } from '../checksums/algorithms.js';
import { validateParts, parsePartList } from '../multipart/validate-parts.js';
import type { ListedPart } from '../multipart/validate-parts.js';
import type { StoredFile } from '../../storage/blob-storage.js';
import type { Command, ObjectContext } from '../command.js';
import { slowResponse } from '../messages/slow-response.js';
import { findUpload, noSuchUpload, requireUpload } from '../multipart/uploads.js';
import { readSmallBody } from '../body/read-small-body.js';
import { writeConditions } from '../messages/conditions.js';
import { objectUrl } from '../messages/object-url.js';
import { quoteEtag } from '../messages/object-headers.js';
import { checksumXml } from '../messages/checksum-xml.js';
import { xmlDocument } from '../xml/write-xml.js';

/** 10,000 parts with a checksum each. */
const MAX_BODY = 4 * 1024 * 1024;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html */
export const completeMultipartUpload: Command = {
  name: 'CompleteMultipartUpload',
  method: 'POST',
  target: 'object',
  requiredQuery: ['uploadId'],
  access: 'write',
  async run(context) {
    const listed = parsePartList(await readSmallBody(context.request, context.payload(), MAX_BODY, 'object'));
    return slowResponse(completeIdempotently(context, listed).then((file) => resultXml(context, file)));
  },
};

/**
 * Completes the upload. If the same request completed it before, returns that object: clients repeat a completion whose response was lost, and
 * some send two at once.
 */
async function completeIdempotently(context: ObjectContext, listed: readonly ListedPart[]): Promise<StoredFile> {
  const fingerprint = completionFingerprint(context, listed);
  try {
    return await complete(context, listed, fingerprint);
  } catch (cause) {
    const { service, storage, request } = context;
    const completed = await service.blobs.completedUpload(storage, request.query.get('uploadId')!, fingerprint);
    if (completed) return completed;
    // An abort may have deleted parts while this request read them.
    throw (await findUpload(context)) ? cause : noSuchUpload(context);
  }
}

async function complete(context: ObjectContext, listed: readonly ListedPart[], fingerprint: string): Promise<StoredFile> {
  const { service, request, grant, signal } = context;
  const conditions = writeConditions(request);
  const upload = await requireUpload(context);
  const stored = await service.blobs.listParts(upload);
  const { parts, etag, checksums, checksumType } = validateParts(request, upload, listed, stored);
  const { file } = await service.blobs.completeUpload(upload, {
    ...conditions,
    parts,
    etag,
    checksums,
    ...(checksumType && { checksumType }),
    request: fingerprint,
    credential: { kind: 's3', id: grant.id },
    signal,
  });
  return file;
}

/** Identifies repeats of a completion: its key, parts and checksum headers. Conditions are not included, because only the first request checks them. */
function completionFingerprint({ request, key }: ObjectContext, listed: readonly ListedPart[]): string {
  const names = ['x-amz-mp-object-size', 'x-amz-checksum-type', ...ALGORITHM_NAMES.map((name) => `x-amz-checksum-${name}`)];
  return JSON.stringify([key, listed, names.map((name) => request.headers.get(name))]);
}

const resultXml = ({ request, bucket, key }: ObjectContext, file: StoredFile): string =>
  xmlDocument('CompleteMultipartUploadResult', {
    Location: objectUrl(request, bucket.name, key),
    Bucket: bucket.name,
    Key: key,
    ETag: quoteEtag(file.etag),
    ...checksumXml(file.checksums),
    ChecksumType: Object.keys(file.checksums).length > 0 ? (file.checksumType ?? undefined) : undefined,
  });
