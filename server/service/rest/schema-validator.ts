import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import type { TSchema } from '@fastify/type-provider-typebox';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { schemaError } from '../http/schema-error.js';
import { CompiledSchemas } from './compiled-schemas.js';

type Validate = ReturnType<typeof TypeBoxValidatorCompiler>;

/** Parts other than bodies are texts, which the compiler converts to the types of the schema. */
const bodyValidators = new CompiledSchemas<Validate>((schema) => compile(schema, 'body'));
const textValidators = new CompiledSchemas<Validate>((schema) => compile(schema, 'querystring'));

const compile = (schema: object, httpPart: string): Validate =>
  TypeBoxValidatorCompiler({ schema: schema as TSchema, httpPart, method: '', url: '' });

/**
 * Validates a part of a request. Errors state the field, the rule and the value. The schema is compiled with its first request, because compiling
 * those of all routes would take a fifth of the start.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  let validate: Validate | undefined;
  return (input: unknown) => {
    validate ??= (httpPart === 'body' ? bodyValidators : textValidators).get(schema);
    const result = validate(input) as { value?: unknown; error?: FastifySchemaValidationError[] };
    if (!result.error) return result;
    return { error: schemaError(result.error, httpPart, schema, input) };
  };
};
