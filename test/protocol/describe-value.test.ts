import { describe, expect, it } from 'vitest';
import { describeValue } from '../../src/protocol/describe-value.js';

describe('the description of a value', () => {
  it.each([
    ['a "b"', '"a \\"b\\""'],
    ['x'.repeat(41), `"${'x'.repeat(40)}…"`],
    [101, '101'],
    [Number.NaN, 'NaN'],
    [undefined, 'undefined'],
    [null, 'null'],
    [true, 'true'],
    [[1, 2], 'a list of 2 items'],
    [() => 1, 'a function'],
    [{ password: 'secret' }, 'an object'],
    [Object.create(null), 'an object'],
    [new Map(), 'an instance of a class'],
    [Symbol('a'), 'Symbol(a)'],
  ])('of %j is %s', (value, description) => {
    expect(describeValue(value)).toBe(description);
  });
});
