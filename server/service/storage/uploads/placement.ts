import { BlobError, invalid } from '../../../../src/protocol/errors.js';
import { hasAllowedExtension } from '../../../../src/protocol/extensions.js';
import { safeFileName, withSuffix } from '../../../../src/protocol/file-names.js';
import { assertPath, assertPrefix, baseName, isWithin } from '../../../../src/protocol/paths.js';
import type { UploadTokenRecord } from '../../../../src/protocol/types.js';
import type { FileProperties } from '../types.js';
import { randomText } from '../../runtime/ids.js';

/** 70 random bits: enough that nobody guesses or meets another's name. */
const SUFFIX_LENGTH = 14;

/** Where a client asks to put a file: a stated path, or a person's file name in a folder. */
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

/** Where an upload with an API key goes. */
export function placeForKey(wish: RequestedUpload): Placement {
  return { key: keyOfTarget(wish.target), properties: wish.properties, overwrite: wish.overwrite ?? false };
}

const keyOfTarget = (where: UploadTarget): string =>
  'path' in where ? assertPath(where.path) : join(where.prefix, safeFileName(where.name));

const join = (prefix: string | undefined, name: string): string =>
  prefix ? assertPath(`${assertPrefix(prefix)}/${name}`) : assertPath(name);

/**
 * Where an upload with a token goes. What the token fixes holds; a client may repeat it, not change it.
 * @throws `BLOB_UPLOAD_TOKEN_CONSTRAINT` naming the field, `BLOCKED_FILE_TYPE`, `INVALID_PATH`.
 */
export function placeForToken(token: UploadTokenRecord, wish: RequestedUpload): Placement {
  const key = keyForToken(token, wish.target);
  if (token.allowed_extensions && !hasAllowedExtension(baseName(key), token.allowed_extensions))
    throw new BlobError('BLOCKED_FILE_TYPE', `Allowed are files of type ${token.allowed_extensions.join(', ')}.`, {
      details: { allowed_extensions: token.allowed_extensions, name: baseName(key) },
    });
  if (wish.overwrite === true && !token.overwrite) throw tokenConstraint('overwrite', 'does not allow to replace files');
  return {
    key,
    properties: { ...wish.properties, ...propertiesFixedByToken(token, wish.properties) },
    overwrite: token.overwrite,
    ...(token.max_size !== null && { maxSize: token.max_size }),
  };
}

function keyForToken(token: UploadTokenRecord, where: UploadTarget): string {
  if (token.path !== null) {
    if ('path' in where && assertPath(where.path) !== token.path) throw tokenConstraint('path', `admits ${token.path} alone`);
    if ('prefix' in where && where.prefix) throw tokenConstraint('prefix', 'fixes the path');
    return token.path;
  }
  const stated = 'path' in where ? assertPath(where.path) : undefined;
  const name = stated === undefined ? (where as { name: string }).name : baseName(stated);
  const folder =
    stated === undefined ? ((where as { prefix?: string }).prefix ?? token.prefix ?? '') : stated.slice(0, -name.length);
  const key = join(folder, withSuffix(name, randomText(SUFFIX_LENGTH)));
  if (token.prefix !== null && !isWithin(key, token.prefix)) {
    throw tokenConstraint(stated === undefined ? 'prefix' : 'path', `admits files in ${token.prefix} alone`);
  }
  return key;
}

/** What a token fixes of a file. @throws `BLOB_UPLOAD_TOKEN_CONSTRAINT` when something else is wished. */
export function propertiesFixedByToken(token: UploadTokenRecord, wished: FileProperties): FileProperties {
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
    const other = wished[property];
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(value))
      throw tokenConstraint(field, 'fixes another value');
    Object.assign(result, { [property]: value });
  }
  return result;
}

export const tokenConstraint = (field: string, what: string): BlobError =>
  new BlobError('BLOB_UPLOAD_TOKEN_CONSTRAINT', `The upload token ${what}.`, { details: { field } });

/** The path and prefix fields of one upload. @throws `VALIDATION_ERROR` when they contradict. */
export function uploadTarget(fields: { path?: string; prefix?: string }, name: string): UploadTarget {
  if (fields.path !== undefined && fields.prefix !== undefined) throw invalid('prefix', 'excludes path: name one of them');
  if (fields.path !== undefined) return { path: fields.path };
  return { name, ...(fields.prefix !== undefined && fields.prefix !== '' && { prefix: fields.prefix }) };
}
