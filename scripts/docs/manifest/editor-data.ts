import type { ElementModel } from './model.js';

/** Makes the custom data of VS Code for completion and hovers in HTML. @see https://github.com/microsoft/vscode-custom-data */
export function vsCodeData(model: ElementModel): object {
  const markdown = (value: string) => ({ kind: 'markdown', value });
  const attributes = model.attributes.map(({ name, description, isBoolean, values }) => ({
    name,
    description: markdown(description),
    // `v` marks an attribute without a value.
    ...(isBoolean ? { valueSet: 'v' } : {}),
    ...(values === null ? {} : { values: values.map((name) => ({ name })) }),
  }));
  return { version: 1.1, tags: [{ name: model.tag, description: markdown(model.description), attributes }] };
}

/** Makes web-types for completion and hovers in editors of JetBrains. @see https://github.com/JetBrains/web-types */
export function webTypes(model: ElementModel, version: string): object {
  const attributes = model.attributes.map(({ name, description, isBoolean, values, type, default: initial }) => ({
    name,
    description,
    ...(initial === '' ? {} : { default: initial }),
    value: isBoolean
      ? { kind: 'no-value', type: 'boolean' }
      : { kind: 'plain', type: values === null ? type : values.map((one) => `'${one}'`) },
  }));
  const element = {
    name: model.tag,
    description: model.description,
    attributes,
    slots: model.slots,
    js: {
      properties: model.properties.map(({ name, description, type, readonly }) => ({
        name,
        description,
        type,
        ...(readonly ? { 'read-only': true } : {}),
      })),
      events: model.events.map(({ name, description, type }) => ({ name, description, type })),
    },
    css: {
      properties: model.cssProperties.map(({ name, description, default: initial }) => ({ name, description, default: initial })),
      parts: model.parts,
      'pseudo-classes': model.states.map(({ name, description }) => ({ name: `state(${name})`, description })),
    },
  };
  return {
    $schema: 'https://raw.githubusercontent.com/JetBrains/web-types/master/schema/web-types.json',
    name: 'svc-uploader',
    version,
    'description-markup': 'markdown',
    contributions: { html: { elements: [element] } },
  };
}
