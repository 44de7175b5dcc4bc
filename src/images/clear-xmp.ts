/** XMP is XML inside a picture. What tells of a place becomes blanks of the same length. */

const NAMES =
  '(?:exif:GPS\\w+|photoshop:(?:City|State|Country)|Iptc4xmpCore:(?:Location|CountryCode)|Iptc4xmpExt:Location(?:Created|Shown))';
const PLACES = [new RegExp(`\\s${NAMES}\\s*=\\s*(?:"[^"]*"|'[^']*')`, 'g'), new RegExp(`<${NAMES}(?:\\s[^<>]*)?/>`, 'g')];
const OPENING = new RegExp(`<(${NAMES})(?:\\s[^<>]*)?>`, 'g');
const CLOSING = new RegExp(`</(${NAMES})\\s*>`, 'g');
const PACKET_END = '</x:xmpmeta>';
/** What no XML holds, and a container's own headers do: a packet cut in pieces is left alone where it is cut. */
// oxlint-disable-next-line no-control-regex
const NOT_TEXT = /[\0-\x08\x0e-\x1f\xff]/;
const BLANK = 0x20;

/** @param text the bytes as text of one character a byte @returns the ranges that were blanked */
export function clearXmp(bytes: Uint8Array, text: string): [start: number, end: number][] {
  const cleared: [number, number][] = [];
  for (const [offset, packet] of packets(text))
    for (const [from, end] of places(packet)) {
      if (NOT_TEXT.test(packet.slice(from, end))) continue;
      const start = offset + from;
      bytes.fill(BLANK, start, offset + end);
      cleared.push([start, offset + end]);
    }
  return cleared;
}

// Photos come from anywhere. Each of these functions reads its text a fixed number of times, however often a tag is opened in it.

function* packets(text: string): Generator<[offset: number, packet: string]> {
  for (let at = text.indexOf('<x:xmpmeta'); at >= 0; at = text.indexOf('<x:xmpmeta', at)) {
    const end = text.indexOf(PACKET_END, at);
    if (end < 0) return;
    yield [at, text.slice(at, end + PACKET_END.length)];
    at = end + PACKET_END.length;
  }
}

function* places(packet: string): Generator<[start: number, end: number]> {
  for (const place of PLACES) for (const { 0: found, index } of packet.matchAll(place)) yield [index, index + found.length];
  yield* elements(packet);
}

/** Elements with their content, each up to the first closing tag of its name. */
function* elements(packet: string): Generator<[start: number, end: number]> {
  const closings = new Map<string, RegExpExecArray[]>();
  for (const closing of [...packet.matchAll(CLOSING)].toReversed()) {
    const same = closings.get(closing[1]!);
    if (same) same.push(closing);
    else closings.set(closing[1]!, [closing]);
  }
  let done = 0;
  for (const opening of packet.matchAll(OPENING)) {
    if (opening.index < done) continue;
    // The first one is the last of the list.
    const same = closings.get(opening[1]!) ?? [];
    while (same.length > 0 && same.at(-1)!.index < opening.index + opening[0].length) same.pop();
    const closing = same.pop();
    if (!closing) continue;
    done = closing.index + closing[0].length;
    yield [opening.index, done];
  }
}
