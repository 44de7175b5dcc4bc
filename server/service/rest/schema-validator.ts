import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import type { TSchema } from '@fastify/type-provider-typebox';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { schemaError } from '../http/schema-error.js';

/**
 * Validates a part of a request. Errors state the field, the rule and the value. The schema is compiled with its first request, because compiling
 * those of all routes would take a fifth of the start.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = (route) => {
  let validate: ReturnType<typeof TypeBoxValidatorCompiler> | undefined;
  return (input: unknown) => {
    validate ??= TypeBoxValidatorCompiler(route);
    const result = validate(input) as { value?: unknown; error?: FastifySchemaValidationError[] };
    if (!result.error) return result;
    return { error: schemaError(result.error, route.httpPart ?? 'body', route.schema, input) };
  };
};
