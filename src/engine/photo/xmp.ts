/** XMP is XML inside a picture. What tells of a place becomes blanks of the same length. */

const NAMES =
  '(?:exif:GPS\\w+|photoshop:(?:City|State|Country)|Iptc4xmpCore:(?:Location|CountryCode)|Iptc4xmpExt:Location(?:Created|Shown))';
const PLACES = [
  new RegExp(`\\s${NAMES}\\s*=\\s*(?:"[^"]*"|'[^']*')`, 'g'),
  new RegExp(`<${NAMES}(?:\\s[^<>]*)?/>`, 'g'),
  new RegExp(`<(${NAMES})(?:\\s[^<>]*)?>[^]*?</\\1\\s*>`, 'g'),
];
const PACKET = /<x:xmpmeta[^]*?<\/x:xmpmeta>/g;
/** What no XML holds, and a container's own headers do: a packet cut in pieces is left alone where it is cut. */
// oxlint-disable-next-line no-control-regex
const NOT_TEXT = /[\0-\x08\x0e-\x1f\xff]/;
const BLANK = 0x20;

/** @param text the bytes as text of one character a byte @returns the ranges that were blanked */
export function clearXmp(bytes: Uint8Array, text: string): [start: number, end: number][] {
  const cleared: [number, number][] = [];
  for (const packet of text.matchAll(PACKET))
    for (const place of PLACES)
      for (const { 0: found, index } of packet[0].matchAll(place)) {
        if (NOT_TEXT.test(found)) continue;
        const start = packet.index + index;
        bytes.fill(BLANK, start, start + found.length);
        cleared.push([start, start + found.length]);
      }
  return cleared;
}
