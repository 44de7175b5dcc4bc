/** HEIC and AVIF: boxes in boxes, with the Exif block as one item among others. ISO/IEC 23008-12, 14496-12 */

interface Box {
  type: string;
  start: number;
  end: number;
}

/** Where the Exif items lie, as ranges of the file. Ends where the file ends too early. */
export function* exifItems(bytes: Uint8Array): Generator<[start: number, end: number]> {
  try {
    yield* readItems(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

function* readItems(bytes: Uint8Array): Generator<[start: number, end: number]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const meta = find(view, { type: '', start: 0, end: bytes.length }, 'meta');
  if (meta === undefined) return;
  // `meta` is a full box: version and flags come before what is inside.
  const inside = { ...meta, start: meta.start + 4 };
  const [infos, locations, data] = ['iinf', 'iloc', 'idat'].map((type) => find(view, inside, type));
  if (infos === undefined || locations === undefined) return;
  const exif = new Set(itemsOfType(view, infos, 'Exif'));
  for (const { item, start, end } of extents(view, locations, data?.start ?? 0))
    if (exif.has(item) && start < end && end <= bytes.length) yield [start, end];
}

function* boxes(view: DataView, { start, end }: Box): Generator<Box> {
  for (let at = start; at + 8 <= end;) {
    const stated = view.getUint32(at);
    const header = stated === 1 ? 16 : 8;
    if (at + header > end) return;
    const size = stated === 1 ? Number(view.getBigUint64(at + 8)) : stated === 0 ? end - at : stated;
    if (size < header || at + size > end) return;
    yield { type: fourCharacters(view, at + 4), start: at + header, end: at + size };
    at += size;
  }
}

const fourCharacters = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));

function find(view: DataView, box: Box, type: string): Box | undefined {
  for (const one of boxes(view, box)) if (one.type === type) return one;
  return undefined;
}

function itemsOfType(view: DataView, { start, end }: Box, type: string): number[] {
  const wide = view.getUint8(start) > 0;
  const found: number[] = [];
  for (const entry of boxes(view, { type: '', start: start + (wide ? 8 : 6), end })) {
    const version = view.getUint8(entry.start);
    if (version < 2) continue;
    const id = version === 2 ? view.getUint16(entry.start + 4) : view.getUint32(entry.start + 4);
    // The id is followed by two bytes of protection, then the type.
    if (fourCharacters(view, entry.start + (version === 2 ? 8 : 10)) === type) found.push(id);
  }
  return found;
}

/** The `iloc` box: for every item where its bytes are, with fields as wide as the box says. */
function* extents(view: DataView, { start }: Box, data: number): Generator<{ item: number; start: number; end: number }> {
  const version = view.getUint8(start);
  const [offsetBytes, lengthBytes] = nibbles(view.getUint8(start + 4));
  const [baseBytes, indexBytes] = nibbles(view.getUint8(start + 5));
  // Without a length every extent is empty, and 65,535 of them may take no byte of the file at all.
  if (lengthBytes === 0) return;
  let at = start + 6;
  const read = (width: number): number => {
    const value =
      width === 0 ? 0 : width === 8 ? Number(view.getBigUint64(at)) : width === 4 ? view.getUint32(at) : view.getUint16(at);
    at += width;
    return value;
  };
  for (let items = read(version < 2 ? 2 : 4); items > 0; items--) {
    const item = read(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : read(2) & 15;
    read(2);
    const base = read(baseBytes) + (method === 1 ? data : 0);
    for (let count = read(2); count > 0; count--) {
      if (version > 0) read(indexBytes);
      const from = base + read(offsetBytes);
      const length = read(lengthBytes);
      // Method 2 builds an item out of others; an Exif block never is.
      if (method < 2) yield { item, start: from, end: from + length };
    }
  }
}

const nibbles = (byte: number): [number, number] => [byte >> 4, byte & 15];
