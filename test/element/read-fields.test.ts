import { describe, expect, it } from 'vitest';
import { readFields, toMetadataValue } from '../../src/element/fields/read-fields.js';
import { findMetadataProblem } from '../../src/protocol/metadata.js';

const NAME_RULE = 'Write 1 to 64 lower-case letters, digits, dots, dashes and underscores, beginning with a letter or digit.';

const createFields = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `a${index}`, label: 'A', maxlength: 1 }));

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
    ['[{"name":"a","label":"A"},{"name":"My B","label":"B"}]', `Field 2 has the name "My B". ${NAME_RULE}`],
    ['[{"name":"a","label":"A"},{"name":"a","label":"B"}]', 'Field 2 has the name of another field. Write each name once.'],
    [
      '[{"name":"a","label":"A","maxLength":5}]',
      'Field 1 has the unknown property "maxLength". Write only name, label, required, maxlength, options.',
    ],
    [
      '[{"name":"a","label":"A","maxlength":700}]',
      'The fields can have 2101 bytes, and 2048 can be stored. Write fewer fields, or a smaller "maxlength".',
    ],
    ['[{"name":"a","label":" "}]', 'Field 1 ("a") has the label " ". Write a text.'],
    ['[{"label":"A"}]', `Field 1 has the name undefined. ${NAME_RULE}`],
    [`[{"name":"${'a'.repeat(65)}","label":"A"}]`, `Field 1 has the name "${'a'.repeat(65)}". ${NAME_RULE}`],
    ['[{"name":"a","label":"A","required":"yes"}]', 'Field 1 ("a") has required "yes". Write true or false.'],
    ['[{"name":"a","label":"A","maxlength":0}]', 'Field 1 ("a") has maxlength 0. Write a whole number from 1.'],
    ['[{"name":"a","label":"A","maxlength":1.5}]', 'Field 1 ("a") has maxlength 1.5. Write a whole number from 1.'],
    ['[{"name":"a","label":"A","maxlength":"9"}]', 'Field 1 ("a") has maxlength "9". Write a whole number from 1.'],
    ['[{"name":"a","label":"A","options":"x"}]', 'Field 1 ("a") has options "x". Write a list of different texts.'],
    ['[{"name":"a","label":"A","options":[]}]', 'Field 1 ("a") has options []. Write a list of different texts.'],
    ['[{"name":"a","label":"A","options":[" x"]}]', 'Field 1 ("a") has options [" x"]. Write a list of different texts.'],
    ['[{"name":"a","label":"A","options":["x"],"maxlength":5}]', 'Field 1 ("a") has options and maxlength. Write one of them.'],
    [JSON.stringify(createFields(65)), 'There are 65 fields. Write at most 64.'],
    ['[{"name":"a","label":"A","options":["x","x"]}]', 'Field 1 ("a") has options ["x","x"]. Write a list of different texts.'],
  ])('names what is wrong and what would be right: %s', (setting, rule) => {
    expect(readFields(setting)).toBe(rule);
  });

  it('takes as many fields as the service stores', () => {
    const fields = createFields(64);
    expect(readFields(fields)).toEqual(fields);
    expect(findMetadataProblem(Object.fromEntries(fields.map(({ name }) => [name, 'x'])))).toBeUndefined();
  });

  it('counts the bytes of the longest choice', () => {
    const withChoice = (length: number) => [{ name: 'a', label: 'A', options: ['x', '語'.repeat(length)] }];
    expect(readFields(withChoice(682))).toHaveLength(1);
    expect(readFields(withChoice(683))).toMatch(/^The fields can have 2050 bytes/);
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
