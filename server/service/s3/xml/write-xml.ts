/**
 * The content of an element: text, or child elements by name. An array repeats the element; undefined omits it. The name `@` contains the
 * attributes as text.
 */
export type XmlValue = string | number | boolean | undefined | XmlNode | readonly XmlNode[] | readonly string[];
export interface XmlNode {
  readonly [name: string]: XmlValue;
}

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };

// XML 1.0 does not allow control characters. S3 writes them as references; clients avoid them with `encoding-type=url`.
// oxlint-disable-next-line no-control-regex -- must find control characters
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g;

const escape = (text: string): string =>
  text.replace(SPECIAL, (character) => ENTITIES[character] ?? `&#x${character.codePointAt(0)!.toString(16).toUpperCase()};`);

function element(name: string, value: XmlValue): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return (value as readonly XmlValue[]).map((item) => element(name, item)).join('');
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

/** Writes a document in S3's namespace. */
export const xmlDocument = (root: string, value: XmlNode | string): string =>
  `${XML_DECLARATION}<${root} xmlns="${NAMESPACE}">${content(value)}</${root}>`;

/** Writes an error document, which has no namespace in S3. */
export const xmlError = (value: XmlNode): string => `${XML_DECLARATION}<Error>${content(value)}</Error>`;
