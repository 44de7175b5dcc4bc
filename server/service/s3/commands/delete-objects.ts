import { coversKey } from '../access/authorize.js';
import { deleteKey } from '../objects/delete-key.js';
import type { DeleteConditions } from '../objects/delete-key.js';
import { S3ServiceError, toS3Error } from '../errors.js';
import type { BucketContext, Command } from '../command.js';
import { readSmallBody } from '../body/read-small-body.js';
import { childText, onlyChildren, readXml, requiredText } from '../xml/read-xml.js';
import type { XmlElement } from '../xml/read-xml.js';
import type { XmlNode } from '../xml/write-xml.js';
import { xmlDocument } from '../xml/write-xml.js';

const MAX_OBJECTS = 1000;
const MAX_BODY = 2 * 1024 * 1024;

interface ObjectToDelete {
  key: string;
  version: string | undefined;
  conditions: DeleteConditions;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html Every key succeeds or fails independently. */
export const deleteObjects: Command = {
  name: 'DeleteObjects',
  method: 'POST',
  target: 'bucket',
  requiredQuery: ['delete'],
  access: 'write',
  prefixLimited: 'allow',
  async run(context) {
    const root = readXml(await readSmallBody(context.request, context.payload(), MAX_BODY), 'Delete');
    const quiet = childText(root, 'Quiet')?.trim() === 'true';
    const objects = onlyChildren(root, 'Object', ['Quiet']).map(parseObject);
    if (objects.length === 0 || objects.length > MAX_OBJECTS) throw new S3ServiceError('MalformedXML');
    const deleted: XmlNode[] = [];
    const failed: XmlNode[] = [];
    for (const object of objects) {
      try {
        await deleteObjectOf(context, object);
        if (!quiet) deleted.push({ Key: object.key, VersionId: object.version });
      } catch (error) {
        const { code, message } = toS3Error(error);
        failed.push({ Key: object.key, VersionId: object.version, Code: code, Message: message });
      }
    }
    return { status: 200, body: xmlDocument('DeleteResult', { Deleted: deleted, Error: failed }) };
  },
};

function parseObject(element: XmlElement): ObjectToDelete {
  return {
    key: requiredText(element, 'Key'),
    version: childText(element, 'VersionId'),
    conditions: {
      etag: childText(element, 'ETag'),
      size: childText(element, 'Size'),
      modified: childText(element, 'LastModifiedTime'),
    },
  };
}

async function deleteObjectOf(
  { service, storage, grant, bucket }: BucketContext,
  { key, version, conditions }: ObjectToDelete,
): Promise<void> {
  if (!coversKey(grant, bucket, key)) throw new S3ServiceError('AccessDenied');
  if (version !== undefined && version !== 'null') throw new S3ServiceError('NoSuchVersion');
  await deleteKey(service, storage, key, conditions);
}
