import { crc32 } from 'node:zlib';
import { centralHeader, dataDescriptor, endOfArchive, localHeader } from './zip-headers.js';
import type { ZipHeader } from './zip-headers.js';

/** A file of an archive. */
export interface ZipEntry extends ZipHeader {
  /** Opens the bytes. They must have `size` bytes in all. @throws if the file is gone or has changed */
  read(): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * Writes an archive while it is read. Holds one chunk of one file and the entries of the list, about 100 bytes a file.
 * @throws the error of `read`, or an error if a file has another size. The archive then has no end, so every program reports it as broken.
 */
export async function* zipStream(entries: readonly ZipEntry[]): AsyncGenerator<Uint8Array, void, undefined> {
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const header = localHeader(entry);
    yield header;
    let crc = 0;
    let size = 0;
    for await (const chunk of await entry.read()) {
      crc = crc32(chunk, crc);
      size += chunk.length;
      yield chunk;
    }
    if (size !== entry.size) throw new Error(`A file of the archive has ${size} bytes instead of ${entry.size}.`);
    const descriptor = dataDescriptor(size, crc);
    yield descriptor;
    central.push(centralHeader(entry, crc, offset));
    offset += header.length + size + descriptor.length;
  }
  let listSize = 0;
  for (const header of central) {
    yield header;
    listSize += header.length;
  }
  yield endOfArchive({ files: entries.length, size: listSize, offset });
}

/** Returns the bytes of an archive before it is written. */
export function zipSize(entries: readonly ZipHeader[]): number {
  let offset = 0;
  let listSize = 0;
  for (const entry of entries) {
    listSize += centralHeader(entry, 0, offset).length;
    offset += localHeader(entry).length + entry.size + dataDescriptor(entry.size, 0).length;
  }
  return offset + listSize + endOfArchive({ files: entries.length, size: listSize, offset }).length;
}
