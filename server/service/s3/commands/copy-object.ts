import type { CopyOptions, StoredFile } from '../../storage/blob-storage.js';
import { ALGORITHMS, parseAlgorithm } from '../checksums/algorithms.js';
import { openCopySource } from '../objects/copy-source.js';
import { S3ServiceError, invalidArgument } from '../errors.js';
import type { Command, ObjectContext } from '../command.js';
import { slowResponse } from '../messages/slow-response.js';
import { writeConditions } from '../messages/conditions.js';
import { quoteEtag } from '../messages/object-headers.js';
import { objectProperties, requestedVisibility } from '../messages/object-properties.js';
import type { S3Request } from '../messages/request.js';
import { MAX_PUT_BYTES } from '../messages/limits.js';
import { checksumXml } from '../messages/checksum-xml.js';
import { xmlDocument } from '../xml/write-xml.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html */
export const copyObject: Command = {
  name: 'CopyObject',
  method: 'PUT',
  target: 'object',
  requiredHeader: 'x-amz-copy-source',
  access: 'write',
  alsoReadsData: true,
  async run(context) {
    const { service, request, storage, key } = context;
    const options = copyOptions(context);
    const source = await openCopySource(context);
    const { file } = source.opened;
    if (file.size > MAX_PUT_BYTES)
      throw new S3ServiceError(
        'InvalidRequest',
        `The specified copy source is larger than the maximum allowable size for a copy source: ${MAX_PUT_BYTES}`,
      );
    const isSameObject = source.storage.bucketId === storage.bucketId && file.key === key;
    const changesSomething = isReplaceDirective(request, 'x-amz-metadata-directive') || options.hashers !== undefined;
    if (isSameObject && !changesSomething)
      throw new S3ServiceError(
        'InvalidRequest',
        "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
      );
    const copied = service.blobs.copy(source.storage, file.id, storage, key, options);
    return slowResponse(copied.then((result) => xmlDocument('CopyObjectResult', copyXml(result.file))));
  },
};

/** Reads `COPY` (the default) or `REPLACE`. @throws S3ServiceError `InvalidArgument` */
function isReplaceDirective(request: S3Request, name: string): boolean {
  const directive = request.headers.get(name) ?? 'COPY';
  if (directive !== 'COPY' && directive !== 'REPLACE') throw invalidArgument(name, directive, `Unknown ${name}.`);
  return directive === 'REPLACE';
}

function copyOptions({ request, grant, signal }: ObjectContext): CopyOptions {
  const { tags, ...requested } = objectProperties(request);
  // REPLACE replaces all properties, so those that the request omits are removed.
  const replacement = { cacheControl: null, expiresAt: null, visibility: requestedVisibility(request), ...requested };
  const algorithmName = request.headers.get('x-amz-checksum-algorithm');
  const algorithm = algorithmName === undefined ? undefined : parseAlgorithm(algorithmName);
  if (algorithmName !== undefined && !algorithm)
    throw new S3ServiceError('InvalidRequest', 'Checksum algorithm provided is unsupported.');
  return {
    ...writeConditions(request),
    ...(isReplaceDirective(request, 'x-amz-metadata-directive') ? replacement : { visibility: requestedVisibility(request) }),
    ...(isReplaceDirective(request, 'x-amz-tagging-directive') && { tags }),
    ...(algorithm && { hashers: { [algorithm]: ALGORITHMS[algorithm].hasher() } }),
    credential: { kind: 's3', id: grant.id },
    signal,
  };
}

const copyXml = (file: StoredFile) => ({
  LastModified: new Date(file.updatedAt).toISOString(),
  ETag: quoteEtag(file.etag),
  ...checksumXml(file.checksums),
});
