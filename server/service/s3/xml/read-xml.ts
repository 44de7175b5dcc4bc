import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { S3ServiceError } from '../errors.js';

/** A parsed element: its text and its child elements by name. */
export interface XmlElement {
  text: string;
  children: ReadonlyMap<string, XmlElement[]>;
}

type Ordered = { [name: string]: Ordered | string }[];

// The parser does not expand entities, so a document cannot declare any. `decodeReferences` decodes the five of XML and numeric ones.
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  removeNSPrefix: true,
});

const malformed = (cause?: unknown) => new S3ServiceError('MalformedXML', undefined, { cause });

/** Tags and attributes. Enough to delete 1,000 objects with all conditions. */
const MAX_TAGS = 20_000;

/** References such as `&amp;`. Enough for 1,000 keys with 100 each. */
const MAX_REFERENCES = 100_000;

/**
 * Parses an XML document. Document types and CDATA sections are rejected.
 * @param root the required name of the root element.
 * @param maxTags the maximum number of tags and attributes. Parsing blocks the event loop for a time proportional to it.
 * @throws S3ServiceError `MalformedXML`
 */
export function readXml(text: string, root: string, maxTags = MAX_TAGS): XmlElement {
  if (countTags(text) > maxTags || countReferences(text) > MAX_REFERENCES) throw malformed();
  if (/<!(?:DOCTYPE|ENTITY|\[CDATA\[)/i.test(text)) throw malformed();
  // XML and databases do not allow NUL, but the validator does.
  if (text.includes('\0')) throw malformed();
  if (XMLValidator.validate(text) !== true) throw malformed();
  let document: Ordered;
  try {
    document = parser.parse(text) as Ordered;
  } catch (cause) {
    throw malformed(cause);
  }
  const roots = document.filter((node) => !('#text' in node));
  const content = roots.length === 1 ? roots[0]![root] : undefined;
  if (!Array.isArray(content)) throw malformed();
  return toElement(content);
}

const countTags = (text: string): number => text.match(/<|=\s*["']/g)?.length ?? 0;

const countReferences = (text: string): number => text.match(/&/g)?.length ?? 0;

function toElement(nodes: Ordered): XmlElement {
  const children = new Map<string, XmlElement[]>();
  let text = '';
  for (const node of nodes) {
    for (const [name, value] of Object.entries(node)) {
      if (typeof value === 'string') {
        if (name === '#text') text += decodeReferences(value);
      } else if (Array.isArray(value)) {
        const siblings = children.get(name);
        if (siblings) siblings.push(toElement(value));
        else children.set(name, [toElement(value)]);
      }
    }
  }
  return { text, children };
}

const NAMED_ENTITIES: ReadonlyMap<string, string> = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

function decodeReferences(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([A-Za-z]+));|&/g,
    (_all, decimal?: string, hex?: string, name?: string) => {
      const named = name === undefined ? undefined : NAMED_ENTITIES.get(name);
      if (named !== undefined) return named;
      const code = Number.parseInt(decimal ?? hex ?? '-1', hex === undefined ? 10 : 16);
      if (code < 1 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw malformed();
      return String.fromCodePoint(code);
    },
  );
}

/** Returns the text of a child element; undefined if it is absent. @throws S3ServiceError `MalformedXML` for several children. */
export function childText(element: XmlElement, name: string): string | undefined {
  const found = element.children.get(name);
  if (found === undefined) return undefined;
  if (found.length !== 1 || found[0]!.children.size > 0) throw malformed();
  return found[0]!.text;
}

export function requiredText(element: XmlElement, name: string): string {
  const text = childText(element, name);
  if (text === undefined) throw malformed();
  return text;
}

/**
 * Returns all children of a name.
 * @param others names of further children that may be present.
 * @throws S3ServiceError `MalformedXML` for any other child.
 */
export function onlyChildren(element: XmlElement, name: string, others: readonly string[] = []): XmlElement[] {
  for (const child of element.children.keys()) if (child !== name && !others.includes(child)) throw malformed();
  return element.children.get(name) ?? [];
}
