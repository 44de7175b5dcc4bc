import fastJsonStringify from 'fast-json-stringify';
import type { Schema } from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import { CompiledSchemas } from './compiled-schemas.js';

type Serialize = (value: unknown) => string;

interface JsonSchema {
  type?: string;
  const?: unknown;
  anyOf?: readonly JsonSchema[];
}

const serializers = new CompiledSchemas<Serialize>((schema) => fastJsonStringify(withoutUnions(schema) as Schema));

/**
 * Writes a response as JSON that contains only the properties of its schema. The schema is compiled with its first response, because compiling
 * those of all routes would take half of the start.
 */
export const compileSerializer: FastifySerializerCompiler<object> = ({ schema }) => {
  let serialize: Serialize | undefined;
  return (value: unknown) => (serialize ??= serializers.get(schema))(value);
};

/**
 * Replaces unions of a type and null, and those of constant texts, by single types with the same JSON. For a union, the serializer compiles a
 * validator of each member, which takes most of the time, and runs it for each value.
 */
export function withoutUnions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutUnions);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) => [name, withoutUnions(value)] as const);
  const { anyOf, ...others }: JsonSchema = Object.fromEntries(entries);
  if (!anyOf) return others;
  if (anyOf.every((member) => member.type === 'string' && 'const' in member)) return { ...others, type: 'string' };
  const [member, second] = anyOf;
  if (anyOf.length === 2 && typeof member?.type === 'string' && second?.type === 'null')
    return { ...member, ...others, nullable: true };
  return { ...others, anyOf };
}
