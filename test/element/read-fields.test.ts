import { describe, expect, it } from 'vitest';
import { readFields, toMetadataValue } from '../../src/element/fields/read-fields.js';
import { findMetadataProblem } from '../../src/protocol/metadata.js';

describe('readFields', () => {
  it('takes JSON and lists', () => {
    const fields = [{ name: 'caption', label: 'Caption', required: true, maxlength: 80 }];
    expect(readFields(fields)).toEqual(fields);
    expect(readFields(JSON.stringify(fields))).toEqual(fields);
    expect(readFields('[]')).toEqual([]);
  });

  it.each([
    ['caption', 'Write a JSON list such as [{"name": "caption", "label": "Caption", "required": true}].'],
    ['[1]', 'Field 1 is 1. Write an object with "name" and "label".'],
    ['[{"name":"a"}]', 'Field 1 ("a") has the label undefined. Write a text.'],
    [
      '[{"name":"a","label":"A"},{"name":"My B","label":"B"}]',
      'Field 2 has the name "My B". Write 1 to 64 lower-case letters, digits, dots, dashes and underscores, beginning with a letter or digit.',
    ],
    ['[{"name":"a","label":"A"},{"name":"a","label":"B"}]', 'Field 2 has the name of another field. Write each name once.'],
    [
      '[{"name":"a","label":"A","maxLength":5}]',
      'Field 1 has the unknown property "maxLength". Write only name, label, required, maxlength, options.',
    ],
    [
      '[{"name":"a","label":"A","maxlength":700}]',
      'The fields can have 2101 bytes, and 2048 can be stored. Write fewer fields, or a smaller "maxlength".',
    ],
    ['[{"name":"a","label":"A","options":["x","x"]}]', 'Field 1 ("a") has options ["x","x"]. Write a list of different texts.'],
  ])('names what is wrong and what would be right: %s', (setting, rule) => {
    expect(readFields(setting)).toBe(rule);
  });

  it('takes only fields whose longest values the service stores', () => {
    const name = 'a'.repeat(50);
    const longest = Math.floor((2048 - name.length) / 3);
    expect(readFields([{ name, label: 'A', maxlength: longest }])).toHaveLength(1);
    expect(findMetadataProblem({ [name]: toMetadataValue('語'.repeat(longest)) })).toBeUndefined();
    expect(readFields([{ name, label: 'A', maxlength: longest + 1 }])).toBeTypeOf('string');
  });
});

describe('toMetadataValue', () => {
  it('returns a value that the service stores, whatever a person pastes', () => {
    const value = toMetadataValue(' a\tb\u0000c\ud800 ');
    expect(value).toBe('a b c\ufffd');
    expect(findMetadataProblem({ value })).toBeUndefined();
  });
});
