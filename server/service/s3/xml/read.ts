import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { S3Error } from '../errors.js';

/** An element as it was read: its text when it holds no elements, else its children, each name with all that bear it. */
export interface XmlElement {
  text: string;
  children: ReadonlyMap<string, XmlElement[]>;
}

type Ordered = { [name: string]: Ordered | string }[];

// Entities stay as they are written, so that none can be declared and none can grow; the five of XML and numbers are decoded below.
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

const malformed = (cause?: unknown) => new S3Error('MalformedXML', undefined, { cause });

/** Tags and attributes. Enough for 1,000 objects to delete with all their conditions. */
const MAX_MARKS = 20_000;

/** `&amp;` and its like. Enough for 1,000 keys that hold a hundred each. */
const MAX_REFERENCES = 100_000;

/**
 * @param root the name the document must have.
 * @param maxMarks the most tags and attributes: parsing takes time for each of them, and nothing else is answered meanwhile.
 * @throws S3Error `MalformedXML`, also for any document type or CDATA section.
 */
export function readXml(text: string, root: string, maxMarks = MAX_MARKS): XmlElement {
  if (countMarks(text) > maxMarks || countReferences(text) > MAX_REFERENCES) throw malformed();
  if (/<!(?:DOCTYPE|ENTITY|\[CDATA\[)/i.test(text)) throw malformed();
  // Neither XML nor a database holds it, and the validator lets it through.
  if (text.includes('\0')) throw malformed();
  if (XMLValidator.validate(text) !== true) throw malformed();
  let document: Ordered;
  try {
    document = parser.parse(text) as Ordered;
  } catch (cause) {
    throw malformed(cause);
  }
  const roots = document.filter((one) => !('#text' in one));
  const found = roots.length === 1 ? roots[0]![root] : undefined;
  if (!Array.isArray(found)) throw malformed();
  return toElement(found);
}

const countMarks = (text: string): number => text.match(/<|=\s*["']/g)?.length ?? 0;

const countReferences = (text: string): number => text.match(/&/g)?.length ?? 0;

function toElement(nodes: Ordered): XmlElement {
  const children = new Map<string, XmlElement[]>();
  let text = '';
  for (const node of nodes) {
    for (const [name, value] of Object.entries(node)) {
      if (typeof value === 'string') {
        if (name === '#text') text += decodeReferences(value);
      } else if (Array.isArray(value)) {
        const same = children.get(name);
        if (same) same.push(toElement(value));
        else children.set(name, [toElement(value)]);
      }
    }
  }
  return { text, children };
}

const NAMED: ReadonlyMap<string, string> = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

function decodeReferences(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([A-Za-z]+));|&/g,
    (_all, decimal?: string, hex?: string, name?: string) => {
      const named = name === undefined ? undefined : NAMED.get(name);
      if (named !== undefined) return named;
      const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : -1;
      if (code < 1 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw malformed();
      return String.fromCodePoint(code);
    },
  );
}

/** The text of the one child of a name. @throws S3Error when there are several, or none and it is required. */
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

/** The elements of a name, which must be the only ones there besides those named in `others`. */
export function onlyChildren(element: XmlElement, name: string, others: readonly string[] = []): XmlElement[] {
  for (const one of element.children.keys()) if (one !== name && !others.includes(one)) throw malformed();
  return element.children.get(name) ?? [];
}
