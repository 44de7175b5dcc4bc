import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import type { TSchema } from '@fastify/type-provider-typebox';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { schemaError } from '../http/schema-error.js';

/** Compiles the schema of a part of a request. Its errors state the field, the rule and the value. */
export const compileValidator: FastifySchemaCompiler<TSchema> = (route) => {
  const validate = TypeBoxValidatorCompiler(route);
  return (input: unknown) => {
    const result = validate(input) as { value?: unknown; error?: FastifySchemaValidationError[] };
    if (!result.error) return result;
    return { error: schemaError(result.error, route.httpPart ?? 'body', route.schema, input) };
  };
};
