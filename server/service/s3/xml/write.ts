/**
 * What an element holds: text, further elements by name (an array repeats the element), or nothing (undefined leaves it out). The name `@`
 * stands for its attributes, written out.
 */
export type XmlValue = string | number | boolean | undefined | XmlNode | readonly XmlNode[] | readonly string[];
export interface XmlNode {
  readonly [name: string]: XmlValue;
}

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };

// Control characters cannot stand in XML 1.0; S3 writes them as references, and `encoding-type=url` is the way round them.
// oxlint-disable-next-line no-control-regex -- finding control characters is its job
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g;

const escape = (text: string): string =>
  text.replace(SPECIAL, (one) => ENTITIES[one] ?? `&#x${one.codePointAt(0)!.toString(16).toUpperCase()};`);

function element(name: string, value: XmlValue): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return (value as readonly XmlValue[]).map((one) => element(name, one)).join('');
  const attributes = typeof value === 'object' && '@' in value ? ` ${String(value['@'])}` : '';
  return `<${name}${attributes}>${content(value as XmlNode | string | number | boolean)}</${name}>`;
}

const content = (value: XmlNode | string | number | boolean): string =>
  typeof value === 'object'
    ? Object.entries(value)
        .filter(([name]) => name !== '@')
        .map(([name, inner]) => element(name, inner))
        .join('')
    : escape(String(value));

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** A whole document in S3's namespace. */
export const xmlDocument = (root: string, value: XmlNode | string): string =>
  `${XML_DECLARATION}<${root} xmlns="${NAMESPACE}">${content(value)}</${root}>`;

/** An error document has no namespace. */
export const xmlError = (value: XmlNode): string => `${XML_DECLARATION}<Error>${content(value)}</Error>`;
