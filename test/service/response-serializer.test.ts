import { Type } from '@fastify/type-provider-typebox';
import fastJsonStringify from 'fast-json-stringify';
import type { Schema } from 'fast-json-stringify';
import { describe, expect, it } from 'vitest';
import { nullable } from '../../server/service/rest/openapi/schemas.js';
import { withoutUnions } from '../../server/service/rest/response-serializer.js';

const State = Type.Union([Type.Literal('on'), Type.Literal('off')]);
const Mixed = Type.Union([Type.String(), Type.Integer()]);
const schema = Type.Object({
  text: nullable(Type.String()),
  time: nullable(Type.String({ format: 'date-time' })),
  count: nullable(Type.Integer()),
  state: State,
  lastState: nullable(State),
  owner: nullable(Type.Object({ name: nullable(Type.String()) })),
  list: nullable(Type.Array(nullable(Type.Integer()))),
  mixed: nullable(Mixed),
  optional: Type.Optional(nullable(Type.Boolean())),
});

const EMPTY = { text: null, time: null, count: null, state: 'on', lastState: null, owner: null, list: null, mixed: null };
const FULL = {
  text: 'a',
  time: '2026-01-02T03:04:05.000Z',
  count: 1,
  state: 'off',
  lastState: 'on',
  owner: { name: null },
  list: [1, null],
  mixed: 'a',
  optional: false,
};

describe('a schema without unions', () => {
  const serialize = fastJsonStringify(withoutUnions(schema) as Schema);

  it.each([
    ['null', EMPTY],
    ['values', FULL],
    ['a number of a union of types', { ...FULL, mixed: 3 }],
    ['null for an optional property', { ...FULL, optional: null }],
  ])('writes %s like the schema with unions', (_, value) => {
    expect(JSON.parse(serialize(value))).toEqual(value);
    expect(serialize(value)).toBe(fastJsonStringify(schema as Schema)(value));
  });

  it('leaves out properties that the schema does not have', () => {
    expect(JSON.parse(serialize({ ...FULL, owner: { name: 'a', secret: 'b' }, secret: 'c' }))).toEqual({
      ...FULL,
      owner: { name: 'a' },
    });
  });

  it('has only the unions of different types', () => {
    expect(JSON.stringify(withoutUnions(schema)).match(/"anyOf"/g)).toHaveLength(2);
  });
});
