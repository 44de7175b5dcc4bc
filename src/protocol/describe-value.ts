/** Longest string that is quoted in an error message, in UTF-16 units. */
const MAX_QUOTED_LENGTH = 40;

/** Describes a value for an error message. The contents of objects are left out, because they could be secret. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > MAX_QUOTED_LENGTH ? `${value.slice(0, MAX_QUOTED_LENGTH)}…` : value);
  if (Array.isArray(value)) return `a list of ${value.length} items`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return isPlain(value) ? 'an object' : 'an instance of a class';
  return String(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
