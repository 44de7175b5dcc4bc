import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { validationError } from '../../../../src/protocol/errors.js';
import { PATH } from '../../../../src/protocol/limits.js';
import { fileOptionFields } from '../openapi/schemas.js';
import { compileValidator } from '../schema-validator.js';

/** The options of an upload as query parameters or form fields. */
export const UploadFields = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PATH.maxBytes,
        description: 'The path of the file. Cannot be combined with prefix.',
      }),
    ),
    prefix: Type.Optional(
      Type.String({ maxLength: PATH.maxBytes, description: 'The folder of the file. The file keeps its own name.' }),
    ),
    ...fileOptionFields,
    metadata: Type.Optional(Type.String({ description: 'A JSON object of strings.' })),
    overwrite: Type.Optional(Type.Boolean({ default: false, description: 'Whether to replace an existing file.' })),
  },
  { additionalProperties: false },
);
export type UploadFields = Static<typeof UploadFields>;

const validateFields = compileValidator({ schema: UploadFields, method: '', url: '', httpPart: 'querystring' });

/** Validates form fields like the query parameters of the same names. @throws `VALIDATION_ERROR` */
export function parseFormFields(fields: Record<string, string>): UploadFields {
  const result = validateFields({ ...fields }) as { value?: UploadFields; error?: Error };
  if (result.error) throw result.error;
  return result.value!;
}

/** Parses the field `metadata`, a JSON object. Its values are validated with the other options of the file. @throws `VALIDATION_ERROR` */
export function parseMetadataField(text: string | undefined): Record<string, string> | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw validationError('metadata', 'must be a JSON object of strings', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw validationError('metadata', 'must be a JSON object of strings');
  return value as Record<string, string>;
}
