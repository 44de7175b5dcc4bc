import type { CopyOptions, StoredFile } from '../../storage/blobs.js';
import { ALGORITHMS, algorithmNamed } from '../checksums/algorithms.js';
import { openCopySource } from '../copy-source.js';
import { S3Error, invalidArgument } from '../errors.js';
import type { Command, ObjectCall } from '../service.js';
import { slowAnswer } from '../slow-response.js';
import { writeConditions } from '../messages/conditions.js';
import { quoted } from '../messages/object-headers.js';
import { objectProperties, statedVisibility } from '../messages/properties.js';
import type { S3Request } from '../messages/request.js';
import { MAX_PUT } from '../messages/sizes.js';
import { checksumXml } from '../messages/checksum-xml.js';
import { xmlDocument } from '../xml/write.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html */
export const copyObject: Command = {
  name: 'CopyObject',
  method: 'PUT',
  on: 'object',
  header: 'x-amz-copy-source',
  access: 'write',
  alsoReads: true,
  async run(call) {
    const { service, request, storage, key } = call;
    const options = copyOptions(call);
    const source = await openCopySource(call);
    const { file } = source.opened;
    if (file.size > MAX_PUT)
      throw new S3Error(
        'InvalidRequest',
        `The specified copy source is larger than the maximum allowable size for a copy source: ${MAX_PUT}`,
      );
    const onItself = source.storage.bucketId === storage.bucketId && file.key === key;
    if (onItself && replaces(request, 'x-amz-metadata-directive') === false && options.hashers === undefined)
      throw new S3Error(
        'InvalidRequest',
        "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
      );
    const copied = service.blobs.copy(source.storage, file.id, storage, key, options);
    return slowAnswer(copied.then((result) => xmlDocument('CopyObjectResult', copyXml(result.file))));
  },
};

/** `COPY` (the default) or `REPLACE`. */
function replaces(request: S3Request, name: string): boolean {
  const directive = request.headers.get(name) ?? 'COPY';
  if (directive !== 'COPY' && directive !== 'REPLACE') throw invalidArgument(name, directive, `Unknown ${name}.`);
  return directive === 'REPLACE';
}

function copyOptions({ request, grant, signal }: ObjectCall): CopyOptions {
  const { tags, ...stated } = objectProperties(request);
  // Replaced is replaced whole: what is not stated goes.
  const described = { cacheControl: null, expiresAt: null, visibility: statedVisibility(request), ...stated };
  const named = request.headers.get('x-amz-checksum-algorithm');
  const algorithm = named === undefined ? undefined : algorithmNamed(named);
  if (named !== undefined && !algorithm) throw new S3Error('InvalidRequest', 'Checksum algorithm provided is unsupported.');
  return {
    ...writeConditions(request),
    ...(replaces(request, 'x-amz-metadata-directive') ? described : { visibility: statedVisibility(request) }),
    ...(replaces(request, 'x-amz-tagging-directive') && { tags }),
    ...(algorithm && { hashers: { [algorithm]: ALGORITHMS[algorithm].hasher() } }),
    credential: { kind: 's3', id: grant.id },
    signal,
  };
}

const copyXml = (file: StoredFile) => ({
  LastModified: new Date(file.updatedAt).toISOString(),
  ETag: quoted(file.etag),
  ...checksumXml(file.checksums),
});
