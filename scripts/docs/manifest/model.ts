import { analyze, eventTypes } from './analyze.js';
import type { Member, Named } from './analyze.js';

/** The public interface of the element, in the order of the source. Manifest, editor data, types and tables are made from it. */
export interface ElementModel {
  tag: string;
  className: string;
  description: string;
  attributes: Attribute[];
  properties: Property[];
  methods: Method[];
  events: Event[];
  slots: Described[];
  parts: Described[];
  states: Described[];
  cssProperties: CssProperty[];
}
export interface Described {
  name: string;
  description: string;
}
export interface CssProperty extends Described {
  default: string;
}
export interface Event extends Described {
  /** `CustomEvent<…>`, or `Event` for events of the platform. */
  type: string;
}
export interface Method extends Described {
  parameters: { name: string; optional: boolean; type: string }[];
  returns: string;
}
export interface Property extends Described {
  type: string;
  /** The default in the source; '' for a computed property. */
  default: string;
  readonly: boolean;
  /** Null for a property without an attribute. */
  attribute: string | null;
  reflects: boolean;
}
export interface Attribute extends Described {
  property: string;
  type: string;
  default: string;
  isBoolean: boolean;
  /** The allowed values; null if any value is allowed. */
  values: string[] | null;
}

/** Callbacks that only the platform calls. */
const CALLBACK = /^form\w+Callback$/;

export async function readModel(): Promise<ElementModel> {
  const [declaration, types] = await Promise.all([analyze(), eventTypes()]);
  const members = (declaration.members ?? []).filter(isPublic);
  const properties = members.filter(({ kind }) => kind === 'field').map(property);
  const described = ({ name, description = '' }: Named): Described => ({ name, description });
  return {
    tag: declaration.tagName!,
    className: declaration.name,
    description: declaration.description ?? '',
    attributes: properties.flatMap(attribute),
    properties,
    methods: members.filter(({ kind }) => kind === 'method').map(method),
    events: (declaration.events ?? []).map((event) => ({ ...described(event), type: types.get(event.name) ?? 'Event' })),
    slots: (declaration.slots ?? []).map(described),
    parts: (declaration.cssParts ?? []).map(described),
    states: (declaration.cssStates ?? []).map(described),
    cssProperties: (declaration.cssProperties ?? []).map((one) => ({ ...described(one), default: one.default ?? '' })),
  };
}

const isPublic = ({ privacy = 'public', static: isStatic = false, name }: Member): boolean =>
  privacy === 'public' && !isStatic && !name.startsWith('#') && !CALLBACK.test(name);

function property(member: Member): Property {
  return {
    name: member.name,
    description: member.description ?? '',
    type: member.type?.text ?? 'unknown',
    default: member.default ?? '',
    readonly: member.readonly ?? false,
    attribute: member.attribute ?? null,
    reflects: member.reflects ?? false,
  };
}

function attribute({ name, description, type, default: initial, attribute }: Property): Attribute[] {
  if (attribute === null) return [];
  const literals = type.split('|').flatMap((part) => /^'(.+)'$/.exec(part.trim())?.[1] ?? []);
  const isBoolean = type === 'boolean';
  const values = literals.length > 0 ? literals : null;
  return [{ name: attribute, description, property: name, type, default: initial, isBoolean, values }];
}

function method({ name, description = '', parameters = [], return: returned }: Member): Method {
  return {
    name,
    description,
    parameters: parameters.map(({ name, optional = false, type }) => ({ name, optional, type: type?.text ?? 'unknown' })),
    returns: returned?.type?.text ?? 'void',
  };
}
