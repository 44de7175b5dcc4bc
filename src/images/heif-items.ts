/** HEIC and AVIF files consist of nested boxes. The Exif block is one item among others. ISO/IEC 23008-12, 14496-12 */

interface Box {
  type: string;
  /** Range of the content, without the header. */
  start: number;
  end: number;
}

/** Finds the ranges of the file that are Exif items. Stops where a truncated file ends. */
export function* exifItems(bytes: Uint8Array): Generator<[start: number, end: number]> {
  try {
    yield* readItems(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

function* readItems(bytes: Uint8Array): Generator<[start: number, end: number]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const meta = findBox(view, { type: '', start: 0, end: bytes.length }, 'meta');
  if (meta === undefined) return;
  // `meta` is a full box: version and flags precede its content.
  const content = { ...meta, start: meta.start + 4 };
  const [itemInfos, itemLocations, itemData] = ['iinf', 'iloc', 'idat'].map((type) => findBox(view, content, type));
  if (itemInfos === undefined || itemLocations === undefined) return;
  const exif = new Set(itemsOfType(view, itemInfos, 'Exif'));
  for (const { item, start, end } of extents(view, itemLocations, itemData?.start ?? 0))
    if (exif.has(item) && start < end && end <= bytes.length) yield [start, end];
}

function* boxes(view: DataView, { start, end }: Box): Generator<Box> {
  let offset = start;
  while (offset + 8 <= end) {
    const sizeField = view.getUint32(offset);
    const headerBytes = sizeField === 1 ? 16 : 8;
    if (offset + headerBytes > end) return;
    // 1 means that a 64-bit size follows, 0 that the box reaches to the end.
    let size = sizeField;
    if (sizeField === 1) size = Number(view.getBigUint64(offset + 8));
    if (sizeField === 0) size = end - offset;
    if (size < headerBytes || offset + size > end) return;
    yield { type: fourCharacters(view, offset + 4), start: offset + headerBytes, end: offset + size };
    offset += size;
  }
}

const fourCharacters = (view: DataView, offset: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(offset + index)));

function findBox(view: DataView, box: Box, type: string): Box | undefined {
  for (const inner of boxes(view, box)) if (inner.type === type) return inner;
  return undefined;
}

function itemsOfType(view: DataView, { start, end }: Box, type: string): number[] {
  const hasLongCount = view.getUint8(start) > 0;
  const ids: number[] = [];
  for (const entry of boxes(view, { type: '', start: start + (hasLongCount ? 8 : 6), end })) {
    const version = view.getUint8(entry.start);
    if (version < 2) continue;
    const id = version === 2 ? view.getUint16(entry.start + 4) : view.getUint32(entry.start + 4);
    // Two bytes of protection follow the id, then the type.
    if (fourCharacters(view, entry.start + (version === 2 ? 8 : 10)) === type) ids.push(id);
  }
  return ids;
}

/**
 * Reads the `iloc` box, which says where the bytes of each item are. The box states the width of its own fields.
 *
 * @param data start of the `idat` box
 */
function* extents(view: DataView, { start }: Box, data: number): Generator<{ item: number; start: number; end: number }> {
  const version = view.getUint8(start);
  const [offsetBytes, lengthBytes] = nibbles(view.getUint8(start + 4));
  const [baseBytes, indexBytes] = nibbles(view.getUint8(start + 5));
  // Without a length field every extent is empty. 65,535 of them would take time but no byte of the file.
  if (lengthBytes === 0) return;
  let offset = start + 6;
  const read = (width: number): number => {
    const value = readUint(view, offset, width);
    offset += width;
    return value;
  };
  for (let items = read(version < 2 ? 2 : 4); items > 0; items--) {
    const item = read(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : read(2) & 15;
    // The data reference index is not needed.
    read(2);
    const base = read(baseBytes) + (method === 1 ? data : 0);
    for (let count = read(2); count > 0; count--) {
      if (version > 0) read(indexBytes);
      const extentStart = base + read(offsetBytes);
      const length = read(lengthBytes);
      // Method 2 builds an item from other items, which never applies to an Exif block.
      if (method < 2) yield { item, start: extentStart, end: extentStart + length };
    }
  }
}

function readUint(view: DataView, offset: number, width: number): number {
  if (width === 0) return 0;
  if (width === 8) return Number(view.getBigUint64(offset));
  return width === 4 ? view.getUint32(offset) : view.getUint16(offset);
}

const nibbles = (byte: number): [number, number] => [byte >> 4, byte & 15];
