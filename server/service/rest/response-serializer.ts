import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import { CompiledSchemas } from './compiled-schemas.js';

type Serialize = (value: unknown) => string;

const serializers = new CompiledSchemas<Serialize>((schema) => fastJsonStringify(schema));

/**
 * Writes a response as JSON that contains only the properties of its schema. The schema is compiled with its first response, because compiling
 * those of all routes would take half of the start.
 */
export const compileSerializer: FastifySerializerCompiler<object> = ({ schema }) => {
  let serialize: Serialize | undefined;
  return (value: unknown) => (serialize ??= serializers.get(schema))(value);
};
