import { completion, multipartEtag, readParts } from '../completion.js';
import type { StatedPart } from '../completion.js';
import type { StoredFile } from '../../blobs.js';
import type { Command, ObjectCall } from '../service.js';
import { slowAnswer } from '../slow-answer.js';
import { findUpload, noSuchUpload } from '../uploads.js';
import { readSmall } from '../wire/body-checks.js';
import { writeConditions } from '../wire/conditions.js';
import { objectUrl } from '../wire/object-url.js';
import { quoted } from '../wire/object-headers.js';
import { checksumXml } from '../wire/checksum-xml.js';
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
    const { service, request, grant } = call;
    const stated = readParts(await readSmall(request, call.payload(), MAX_BODY, 'object'));
    const conditions = writeConditions(request);
    const upload = await findUpload(call);
    if (!upload) return slowAnswer(Promise.resolve(resultXml(call, await finishedBefore(call, stated))));
    const { parts, etag, checksums, checksumType } = completion(request, upload, stated, await service.blobs.listParts(upload));
    const done = service.blobs.completeUpload(upload, {
      ...conditions,
      parts,
      etag,
      checksums,
      ...(checksumType && { checksumType }),
      credential: { kind: 's3', id: grant.id },
      signal: call.signal,
    });
    return slowAnswer(done.then(({ file }) => resultXml(call, file)));
  },
};

/** A repeat whose first answer was lost: the object stands there, made of these very parts. */
async function finishedBefore(call: ObjectCall, stated: readonly StatedPart[]): Promise<StoredFile> {
  const file = await call.service.blobs.get(call.storage, call.key);
  if (file?.parts?.length !== stated.length || file.etag !== multipartEtag(stated)) throw noSuchUpload(call);
  return file;
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
