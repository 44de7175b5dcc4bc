import { coversKey } from '../access/authorize.js';
import { conditionFailed, isConditional, meetsConditions } from '../objects/delete-key.js';
import type { DeleteConditions } from '../objects/delete-key.js';
import { S3ServiceError, toS3Error } from '../errors.js';
import type { BucketContext, Command } from '../command.js';
import type { KeyToDelete } from '../../storage/files/delete.js';
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
    const errors = await deleteAll(context, objects);
    const deleted: XmlNode[] = [];
    const failed: XmlNode[] = [];
    for (const object of objects) {
      const error = errors.get(object);
      if (error) failed.push({ Key: object.key, VersionId: object.version, Code: error.code, Message: error.message });
      else if (!quiet) deleted.push({ Key: object.key, VersionId: object.version });
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

/** Deletes the objects together, so that the activity log has one entry. @returns the errors of those that remain. */
async function deleteAll(
  context: BucketContext,
  objects: readonly ObjectToDelete[],
): Promise<Map<ObjectToDelete, S3ServiceError>> {
  const { service, storage, grant } = context;
  const errors = new Map<ObjectToDelete, S3ServiceError>();
  const items = new Map<KeyToDelete, ObjectToDelete>();
  for (const object of objects) {
    const { key, conditions } = object;
    const error = refusalOf(context, object);
    if (error) errors.set(object, error);
    else items.set({ key, isMet: isConditional(conditions) ? (file) => meetsConditions(conditions, file) : undefined }, object);
  }
  if (items.size === 0) return errors;
  try {
    const unmet = await service.blobs.deleteKeys(storage, [...items.keys()], await service.creatorOfKeyPair(grant.id));
    for (const item of unmet) errors.set(items.get(item)!, conditionFailed());
  } catch (error) {
    for (const object of items.values()) errors.set(object, toS3Error(error));
  }
  return errors;
}

function refusalOf({ grant, bucket }: BucketContext, { key, version }: ObjectToDelete): S3ServiceError | undefined {
  if (!coversKey(grant, bucket, key)) return new S3ServiceError('AccessDenied');
  if (version !== undefined && version !== 'null') return new S3ServiceError('NoSuchVersion');
  return undefined;
}
