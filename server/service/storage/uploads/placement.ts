import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { hasAllowedExtension } from '../../../../src/protocol/extensions.js';
import { toSafeFileName, addSuffix } from '../../../../src/protocol/file-names.js';
import { validatePath, validatePrefix, baseName, isWithin } from '../../../../src/protocol/paths.js';
import type { UploadTokenRecord } from '../../../../src/protocol/types.js';
import type { FileProperties } from '../types.js';
import { randomText } from '../../runtime/ids.js';

/** 14 characters are 70 random bits, so names can be neither guessed nor equal. */
const SUFFIX_LENGTH = 14;

/** The key that a client asks for: a path, or a person's file name in a folder. */
export type UploadTarget = { path: string } | { name: string; prefix?: string };

export interface RequestedUpload {
  target: UploadTarget;
  properties: FileProperties;
  overwrite?: boolean;
}

export interface Placement {
  key: string;
  properties: FileProperties;
  overwrite: boolean;
  maxSize?: number;
}

/** Places an upload with an API key. @throws `INVALID_PATH`. */
export function placeForKey(upload: RequestedUpload): Placement {
  return { key: keyOfTarget(upload.target), properties: upload.properties, overwrite: upload.overwrite ?? false };
}

const keyOfTarget = (target: UploadTarget): string =>
  'path' in target ? validatePath(target.path) : keyInFolder(target.prefix, toSafeFileName(target.name));

const keyInFolder = (folder: string | undefined, name: string): string =>
  folder ? validatePath(`${validatePrefix(folder)}/${name}`) : validatePath(name);

/**
 * Places an upload with a token. Compares the key with the token's path and prefix. The client may repeat what the token fixes, but not
 * change it.
 * @throws `BLOB_UPLOAD_TOKEN_CONSTRAINT` naming the field, `BLOCKED_FILE_TYPE`, `INVALID_PATH`.
 */
export function placeForToken(token: UploadTokenRecord, upload: RequestedUpload): Placement {
  const key = keyForToken(token, upload.target);
  if (token.allowed_extensions && !hasAllowedExtension(baseName(key), token.allowed_extensions))
    throw new BlobError(
      'BLOCKED_FILE_TYPE',
      `The upload token allows only files of type ${token.allowed_extensions.join(', ')}; got "${baseName(key)}".`,
      {
        details: { allowed_extensions: token.allowed_extensions, name: baseName(key) },
      },
    );
  if (upload.overwrite === true && !token.overwrite) throw tokenConstraint('overwrite', 'does not allow replacing files');
  return {
    key,
    properties: { ...upload.properties, ...propertiesFixedByToken(token, upload.properties) },
    overwrite: token.overwrite,
    ...(token.max_size !== null && { maxSize: token.max_size }),
  };
}

/**
 * Decides the key of an upload with a token, and compares it with the token's path or prefix. A prefix is compared by whole segments. A key
 * that the token does not fix gets a random suffix.
 */
function keyForToken(token: UploadTokenRecord, target: UploadTarget): string {
  if (token.path !== null) {
    assertTargetIsPath(target, token.path);
    return token.path;
  }
  const [folder, name] = folderAndName(target, token.prefix);
  const key = keyInFolder(folder, addSuffix(name, randomText(SUFFIX_LENGTH)));
  if (token.prefix !== null && !isWithin(key, token.prefix))
    throw tokenConstraint('path' in target ? 'path' : 'prefix', `allows only files in ${token.prefix}`);
  return key;
}

/** A client may omit the path that its token fixes, or repeat it. */
function assertTargetIsPath(target: UploadTarget, path: string): void {
  if ('path' in target && validatePath(target.path) !== path) throw tokenConstraint('path', `allows only the path ${path}`);
  if ('prefix' in target && target.prefix)
    throw tokenConstraint('prefix', 'fixes the path, so the upload must not state a prefix');
}

function folderAndName(target: UploadTarget, tokenPrefix: string | null): [folder: string, name: string] {
  if (!('path' in target)) return [target.prefix ?? tokenPrefix ?? '', target.name];
  const path = validatePath(target.path);
  const name = baseName(path);
  return [path.slice(0, -name.length), name];
}

/** Returns the properties that a token fixes. @throws `BLOB_UPLOAD_TOKEN_CONSTRAINT` if the client asks for other values. */
export function propertiesFixedByToken(token: UploadTokenRecord, requested: FileProperties): FileProperties {
  const fixed: [string, keyof FileProperties, unknown][] = [
    ['visibility', 'visibility', token.visibility],
    ['cache_control', 'cacheControl', token.cache_control],
    ['content_disposition', 'contentDisposition', token.content_disposition],
    ['expires_at', 'expiresAt', token.file_expires_at === null ? null : Date.parse(token.file_expires_at)],
    ['metadata', 'metadata', token.metadata],
  ];
  const result: FileProperties = {};
  for (const [field, property, value] of fixed) {
    if (value === null) continue;
    const wanted = requested[property];
    if (wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(value))
      throw tokenConstraint(field, `fixes another value of ${field}`);
    Object.assign(result, { [property]: value });
  }
  return result;
}

/** @param rule completes the message "The upload token …". */
export const tokenConstraint = (field: string, rule: string): BlobError =>
  new BlobError('BLOB_UPLOAD_TOKEN_CONSTRAINT', `The upload token ${rule}.`, { details: { field } });

/** Reads the path and prefix fields of an upload. @param name the file name. @throws `VALIDATION_ERROR` if both are present. */
export function uploadTarget(fields: { path?: string; prefix?: string }, name: string): UploadTarget {
  if (fields.path !== undefined && fields.prefix !== undefined)
    throw validationError('prefix', 'must not be sent together with `path`');
  if (fields.path !== undefined) return { path: fields.path };
  return { name, ...(fields.prefix !== undefined && fields.prefix !== '' && { prefix: fields.prefix }) };
}
