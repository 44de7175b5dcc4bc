import { reaches } from '../access/authorize.js';
import { deleteKey } from '../delete-key.js';
import type { DeleteConditions } from '../delete-key.js';
import { S3Error, toS3Error } from '../errors.js';
import type { BucketCall, Command } from '../service.js';
import { readSmall } from '../messages/body-checks.js';
import { childText, onlyChildren, readXml, requiredText } from '../xml/read.js';
import type { XmlNode } from '../xml/write.js';
import { xmlDocument } from '../xml/write.js';

const MAX_OBJECTS = 1000;
const MAX_BODY = 2 * 1024 * 1024;

interface Doomed {
  key: string;
  version: string | undefined;
  conditions: DeleteConditions;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html Each key is judged by itself. */
export const deleteObjects: Command = {
  name: 'DeleteObjects',
  method: 'POST',
  on: 'bucket',
  query: ['delete'],
  access: 'write',
  reach: 'any',
  async run(call) {
    const root = readXml(await readSmall(call.request, call.payload(), MAX_BODY), 'Delete');
    const quiet = childText(root, 'Quiet')?.trim() === 'true';
    const doomed = onlyChildren(root, 'Object', ['Quiet']).map((one) => ({
      key: requiredText(one, 'Key'),
      version: childText(one, 'VersionId'),
      conditions: {
        etag: childText(one, 'ETag'),
        size: childText(one, 'Size'),
        modified: childText(one, 'LastModifiedTime'),
      },
    }));
    if (doomed.length === 0 || doomed.length > MAX_OBJECTS) throw new S3Error('MalformedXML');
    const deleted: XmlNode[] = [];
    const failed: XmlNode[] = [];
    for (const one of doomed) {
      try {
        await deleteOne(call, one);
        if (!quiet) deleted.push({ Key: one.key, VersionId: one.version });
      } catch (error) {
        const { code, message } = toS3Error(error);
        failed.push({ Key: one.key, VersionId: one.version, Code: code, Message: message });
      }
    }
    return { status: 200, body: xmlDocument('DeleteResult', { Deleted: deleted, Error: failed }) };
  },
};

async function deleteOne({ service, storage, grant, bucket }: BucketCall, { key, version, conditions }: Doomed): Promise<void> {
  if (!reaches(grant, bucket, key)) throw new S3Error('AccessDenied');
  if (version !== undefined && version !== 'null') throw new S3Error('NoSuchVersion');
  await deleteKey(service, storage, key, conditions);
}
