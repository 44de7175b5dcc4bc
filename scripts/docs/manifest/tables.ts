import { code, table } from '../markdown.js';
import type { ElementModel } from './model.js';

/** Makes the tables of docs/reference/element.md, by name. */
export function elementTables(model: ElementModel): Record<string, string> {
  const { attributes, properties, methods, events, slots, parts, states, cssProperties } = model;
  const attribute = (name: string | null, property: string) =>
    name === null ? '' : name === property ? code(name) : `${code(name)} (${code(property)})`;
  return {
    attributes: table(
      ['Attribute (property)', 'Type', 'Default', ''],
      attributes.map(({ name, property, type, default: initial, description }) => [
        attribute(name, property),
        code(type),
        defaultText(initial),
        description,
      ]),
    ),
    properties: table(
      ['Property', 'Type', ''],
      properties
        .filter((one) => one.attribute === null)
        .map((one) => [code(one.name), code(one.type), `${one.readonly ? 'Read only. ' : ''}${one.description}`]),
    ),
    methods: table(
      ['Method', ''],
      methods.map((one) => {
        const parameters = one.parameters.map(({ name, optional, type }) => `${name}${optional ? '?' : ''}: ${type}`);
        return [code(`${one.name}(${parameters.join(', ')}): ${one.returns}`), one.description];
      }),
    ),
    events: table(
      ['Event', '`detail`', ''],
      events.map((one) => [code(one.name), detailType(one.type), one.description]),
    ),
    slots: table(
      ['Slot', ''],
      slots.map((one) => [one.name === '' ? '(none)' : code(one.name), one.description]),
    ),
    parts: table(
      ['Part', ''],
      parts.map((one) => [code(`::part(${one.name})`), one.description]),
    ),
    states: table(
      ['State', ''],
      states.map((one) => [code(`:state(${one.name})`), one.description]),
    ),
    'custom-properties': table(
      ['Custom property', 'Default', ''],
      cssProperties.map((one) => [code(one.name), one.default, one.description]),
    ),
  };
}

const defaultText = (text: string) => (text === '' || ["''", 'null', 'false'].includes(text) ? '' : code(text));
const detailType = (type: string) => {
  const inner = /^CustomEvent<(.*)>$/.exec(type)?.[1];
  return inner === undefined ? '' : code(inner);
};
