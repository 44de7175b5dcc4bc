/** Reads XML responses of S3: finds elements by name and unescapes text. Knows the five predefined entities and numeric ones. */

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi,
    (entity, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()]!;
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : entity;
    },
  );
}

/** Returns the text of the first element with a name; undefined if there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const open = xml.indexOf(`<${name}>`);
  if (open < 0) return undefined;
  const start = open + name.length + 2;
  const end = xml.indexOf(`</${name}>`, start);
  return end < 0 ? undefined : unescapeXml(xml.slice(start, end));
}

/** Yields the inner XML of every element with a name. Elements with one name do not nest in responses of S3. */
export function* elements(xml: string, name: string): Generator<string> {
  const opening = `<${name}>`;
  const closing = `</${name}>`;
  for (let start = xml.indexOf(opening); start >= 0;) {
    const end = xml.indexOf(closing, start);
    if (end < 0) return;
    yield xml.slice(start + opening.length, end);
    start = xml.indexOf(opening, end);
  }
}
