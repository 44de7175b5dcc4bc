/** Enough XML for S3's answers: elements are found by name, text is unescaped. No entity but the five and numbers exists. */

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi,
    (all, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()]!;
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : all;
    },
  );
}

/** The text of the first element of that name; undefined when there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const open = xml.indexOf(`<${name}>`);
  if (open < 0) return undefined;
  const start = open + name.length + 2;
  const end = xml.indexOf(`</${name}>`, start);
  return end < 0 ? undefined : unescapeXml(xml.slice(start, end));
}

/** The inner XML of every element of that name, in order. Elements of one name do not nest in S3's answers. */
export function* elements(xml: string, name: string): Generator<string> {
  const opening = `<${name}>`;
  const closing = `</${name}>`;
  for (let at = xml.indexOf(opening); at >= 0;) {
    const end = xml.indexOf(closing, at);
    if (end < 0) return;
    yield xml.slice(at + opening.length, end);
    at = xml.indexOf(opening, end);
  }
}
