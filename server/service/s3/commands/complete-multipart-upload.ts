import { ALGORITHM_NAMES } from '../checksums/algorithms.js';
import { completion, readParts } from '../completion.js';
import type { StatedPart } from '../completion.js';
import type { StoredFile } from '../../storage/blobs.js';
import type { Command, ObjectCall } from '../service.js';
import { slowAnswer } from '../slow-response.js';
import { findUpload, noSuchUpload, requireUpload } from '../uploads.js';
import { readSmall } from '../messages/body-checks.js';
import { writeConditions } from '../messages/conditions.js';
import { objectUrl } from '../messages/object-url.js';
import { quoted } from '../messages/object-headers.js';
import { checksumXml } from '../messages/checksum-xml.js';
import { xmlDocument } from '../xml/write.js';

/** 10,000 parts with a checksum each. */
const MAX_BODY = 4 * 1024 * 1024;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html */
export const completeMultipartUpload: Command = {
  name: 'CompleteMultipartUpload',
  method: 'POST',
  on: 'object',
  query: ['uploadId'],
  access: 'write',
  async run(call) {
    const stated = readParts(await readSmall(call.request, call.payload(), MAX_BODY, 'object'));
    return slowAnswer(completeOnce(call, stated).then((file) => resultXml(call, file)));
  },
};

/** Completes the upload, or answers what the same request made of it: clients repeat a completion whose answer was lost, and some send two. */
async function completeOnce(call: ObjectCall, stated: readonly StatedPart[]): Promise<StoredFile> {
  const request = requestText(call, stated);
  try {
    return await complete(call, stated, request);
  } catch (cause) {
    const earlier = await call.service.blobs.completedUpload(call.storage, call.request.query.get('uploadId')!, request);
    if (earlier) return earlier;
    // Its parts went while they were judged or read.
    throw (await findUpload(call)) ? cause : noSuchUpload(call);
  }
}

async function complete(call: ObjectCall, stated: readonly StatedPart[], text: string): Promise<StoredFile> {
  const { service, request, grant, signal } = call;
  const conditions = writeConditions(request);
  const upload = await requireUpload(call);
  const { parts, etag, checksums, checksumType } = completion(request, upload, stated, await service.blobs.listParts(upload));
  const { file } = await service.blobs.completeUpload(upload, {
    ...conditions,
    parts,
    etag,
    checksums,
    ...(checksumType && { checksumType }),
    request: text,
    credential: { kind: 's3', id: grant.id },
    signal,
  });
  return file;
}

/** All that a completion states of its object. Conditions are judged once, by the request that made it. */
function requestText({ request, key }: ObjectCall, stated: readonly StatedPart[]): string {
  const names = ['x-amz-mp-object-size', 'x-amz-checksum-type', ...ALGORITHM_NAMES.map((name) => `x-amz-checksum-${name}`)];
  return JSON.stringify([key, stated, names.map((name) => request.headers.get(name))]);
}

const resultXml = ({ request, bucket, key }: ObjectCall, file: StoredFile): string =>
  xmlDocument('CompleteMultipartUploadResult', {
    Location: objectUrl(request, bucket.name, key),
    Bucket: bucket.name,
    Key: key,
    ETag: quoted(file.etag),
    ...checksumXml(file.checksums),
    ChecksumType: Object.keys(file.checksums).length > 0 ? (file.checksumType ?? undefined) : undefined,
  });
