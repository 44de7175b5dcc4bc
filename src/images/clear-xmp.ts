/** XMP is XML inside an image. Attributes and elements that name a place are overwritten with blanks of the same length. */

const NAMES =
  '(?:exif:GPS\\w+|photoshop:(?:City|State|Country)|Iptc4xmpCore:(?:Location|CountryCode)|Iptc4xmpExt:Location(?:Created|Shown))';
// Attributes, and elements without content.
const SINGLE_TAGS = [new RegExp(`\\s${NAMES}\\s*=\\s*(?:"[^"]*"|'[^']*')`, 'g'), new RegExp(`<${NAMES}(?:\\s[^<>]*)?/>`, 'g')];
const OPENING = new RegExp(`<(${NAMES})(?:\\s[^<>]*)?>`, 'g');
const CLOSING = new RegExp(`</(${NAMES})\\s*>`, 'g');
const PACKET_START = '<x:xmpmeta';
const PACKET_END = '</x:xmpmeta>';
/** Bytes that never occur in XML. If a container splits a packet, its own headers contain some of them. */
// oxlint-disable-next-line no-control-regex
const BINARY_BYTE = /[\0-\x08\x0e-\x1f\xff]/;
const BLANK = 0x20;

/**
 * Blanks every place in the XMP of an image.
 *
 * @param text the bytes as text, one character per byte
 * @returns the ranges that were blanked
 */
export function clearXmp(bytes: Uint8Array, text: string): [start: number, end: number][] {
  const cleared: [number, number][] = [];
  for (const [offset, packet] of packets(text))
    for (const [from, end] of places(packet)) {
      // A range that spans a container's headers must stay, or the file would break.
      if (BINARY_BYTE.test(packet.slice(from, end))) continue;
      const start = offset + from;
      bytes.fill(BLANK, start, offset + end);
      cleared.push([start, offset + end]);
    }
  return cleared;
}

// Images come from untrusted sources. Each function below reads its text a fixed number of times, so that no input makes it slow.

function* packets(text: string): Generator<[offset: number, packet: string]> {
  let start = text.indexOf(PACKET_START);
  while (start >= 0) {
    const endTag = text.indexOf(PACKET_END, start);
    if (endTag < 0) return;
    const end = endTag + PACKET_END.length;
    yield [start, text.slice(start, end)];
    start = text.indexOf(PACKET_START, end);
  }
}

function* places(packet: string): Generator<[start: number, end: number]> {
  for (const pattern of SINGLE_TAGS)
    for (const { 0: match, index } of packet.matchAll(pattern)) yield [index, index + match.length];
  yield* elements(packet);
}

/** Finds elements with content. Each one ends at the first closing tag of its name. */
function* elements(packet: string): Generator<[start: number, end: number]> {
  // Per name, the closing tags from the last to the first, so that `pop` takes the next one.
  const closings = new Map<string, RegExpExecArray[]>();
  for (const closing of [...packet.matchAll(CLOSING)].toReversed()) {
    const sameName = closings.get(closing[1]!);
    if (sameName) sameName.push(closing);
    else closings.set(closing[1]!, [closing]);
  }
  let elementEnd = 0;
  for (const opening of packet.matchAll(OPENING)) {
    if (opening.index < elementEnd) continue;
    const sameName = closings.get(opening[1]!) ?? [];
    while (sameName.length > 0 && sameName.at(-1)!.index < opening.index + opening[0].length) sameName.pop();
    const closing = sameName.pop();
    if (!closing) continue;
    elementEnd = closing.index + closing[0].length;
    yield [opening.index, elementEnd];
  }
}
