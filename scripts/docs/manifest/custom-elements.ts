import type { ElementModel } from './model.js';

const FILE = 'dist/element.js';

/**
 * Makes the custom-elements manifest for editors, documentation tools and type generators.
 * @see https://github.com/webcomponents/custom-elements-manifest
 */
export function customElements(model: ElementModel): object {
  const { tag, className: name } = model;
  const declaration = { name, module: FILE };
  const js = { kind: 'js', name, declaration };
  return {
    schemaVersion: '2.1.0',
    modules: [
      { kind: 'javascript-module', path: FILE, declarations: [describeClass(model)], exports: [js] },
      {
        kind: 'javascript-module',
        path: 'dist/index.js',
        declarations: [],
        exports: [{ kind: 'custom-element-definition', name: tag, declaration }, js],
      },
    ],
  };
}

/** Returns the declaration of the element's class. */
function describeClass(model: ElementModel): object {
  const { tag, className: name, description, slots, parts, states, cssProperties } = model;
  return {
    kind: 'class',
    customElement: true,
    name,
    tagName: tag,
    description,
    superclass: { name: 'LitElement', package: 'lit' },
    attributes: describeAttributes(model),
    members: [...describeFields(model), ...describeMethods(model)],
    events: model.events.map(({ name, description, type }) => ({ name, description, type: { text: type } })),
    slots,
    cssParts: parts,
    cssStates: states,
    cssProperties,
  };
}

const describeAttributes = (model: ElementModel): object[] =>
  model.attributes.map((one) => ({
    name: one.name,
    description: one.description,
    type: { text: one.type },
    ...(one.default === '' ? {} : { default: one.default }),
    fieldName: one.property,
  }));

const describeFields = (model: ElementModel): object[] =>
  model.properties.map((one) => ({
    kind: 'field',
    name: one.name,
    description: one.description,
    type: { text: one.type },
    ...(one.default === '' ? {} : { default: one.default }),
    ...(one.readonly ? { readonly: true } : {}),
    ...(one.attribute === null ? {} : { attribute: one.attribute }),
    ...(one.reflects ? { reflects: true } : {}),
  }));

const describeMethods = (model: ElementModel): object[] =>
  model.methods.map((one) => ({
    kind: 'method',
    name: one.name,
    description: one.description,
    parameters: one.parameters.map(({ name, optional, type }) => ({ name, type: { text: type }, optional })),
    return: { type: { text: one.returns } },
  }));
