import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { validationError } from '../../../src/protocol/errors.js';
import { FILE_SEARCH } from '../../../src/protocol/limits.js';
import { validateTime } from '../../../src/protocol/time.js';
import { TYPE_GROUPS } from '../storage/search/file-filter.js';
import type { FileFilter } from '../storage/search/file-filter.js';

const bytes = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }));

/** Fields of a search, as query parameters or in the body of a job. */
export const fileFilterFields = {
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: FILE_SEARCH.nameMaxLength,
      description: 'Part of the file name, without regard to case.',
    }),
  ),
  type: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: `A content type, or one of ${Object.keys(TYPE_GROUPS).join(', ')}.`,
    }),
  ),
  min_size: bytes('Smallest size in bytes.'),
  max_size: bytes('Largest size in bytes.'),
  updated_after: Type.Optional(Type.String({ maxLength: 64, description: 'Earliest time of the last change.' })),
  updated_before: Type.Optional(Type.String({ maxLength: 64, description: 'Latest time of the last change.' })),
};

const Fields = Type.Object(fileFilterFields);
export type FileFilterFields = Static<typeof Fields>;

/** Returns whether any field of a search is present. */
export const hasFileFilter = (fields: FileFilterFields): boolean =>
  (Object.keys(fileFilterFields) as (keyof FileFilterFields)[]).some((name) => fields[name] !== undefined);

/** @param parent the object that contains the fields, for messages. @throws `VALIDATION_ERROR` */
export function parseFileFilter(fields: FileFilterFields, parent = ''): FileFilter {
  const { name, type, min_size, max_size, updated_after, updated_before } = fields;
  if (type !== undefined && !Object.hasOwn(TYPE_GROUPS, type) && !/^[\w.+-]+\/[\w.+-]+$/.test(type))
    throw validationError(
      `${parent}type`,
      `must be a content type such as image/png, or one of ${Object.keys(TYPE_GROUPS).join(', ')}`,
    );
  return {
    ...(name !== undefined && { name }),
    ...(type !== undefined && { type }),
    ...(min_size !== undefined && { minSize: min_size }),
    ...(max_size !== undefined && { maxSize: max_size }),
    ...(updated_after !== undefined && { updatedAfter: validateTime(`${parent}updated_after`, updated_after) }),
    ...(updated_before !== undefined && { updatedBefore: validateTime(`${parent}updated_before`, updated_before) }),
  };
}
