/*
 * Headers of a ZIP archive whose files are stored without compression. Sizes are known before the bytes, checksums after them, so each file
 * is followed by a data descriptor. Files and archives from 4 GiB, and archives from 65,535 files, use ZIP64.
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */

/** Fields of 32 bits with this value refer to a ZIP64 field. */
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
/** A data descriptor follows the bytes; the name is UTF-8. */
const FLAGS = 0x0808;
const VERSION = { plain: 20, zip64: 45 };
/** Made on Unix: the upper half of the external attributes is a mode. */
const MADE_BY = (3 << 8) | VERSION.zip64;
const MODES = { file: 0o100_644, folder: 0o040_755 };

/** An entry of an archive. */
export interface ZipHeader {
  /** Path in the archive; ends with a slash for a folder. */
  name: string;
  size: number;
  /** ms since 1970. */
  modifiedAt: number;
}

const isLarge = (size: number): boolean => size >= MAX_32;

/** Returns the header in front of the bytes of a file. */
export function localHeader({ name, size, modifiedAt }: ZipHeader): Buffer {
  const nameBytes = Buffer.from(name, 'utf8');
  const extra = isLarge(size) ? zip64Field([0, 0]) : Buffer.alloc(0);
  const header = Buffer.alloc(30);
  const [time, date] = dosTime(modifiedAt);
  header.writeUInt32LE(0x0403_4b50, 0);
  header.writeUInt16LE(isLarge(size) ? VERSION.zip64 : VERSION.plain, 4);
  header.writeUInt16LE(FLAGS, 6);
  header.writeUInt16LE(time, 10);
  header.writeUInt16LE(date, 12);
  if (isLarge(size)) header.fill(0xff, 18, 26);
  header.writeUInt16LE(nameBytes.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, nameBytes, extra]);
}

/** Returns the record behind the bytes of a file. */
export function dataDescriptor(size: number, crc: number): Buffer {
  const descriptor = Buffer.alloc(isLarge(size) ? 24 : 16);
  descriptor.writeUInt32LE(0x0807_4b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  if (isLarge(size)) {
    descriptor.writeBigUInt64LE(BigInt(size), 8);
    descriptor.writeBigUInt64LE(BigInt(size), 16);
  } else {
    descriptor.writeUInt32LE(size, 8);
    descriptor.writeUInt32LE(size, 12);
  }
  return descriptor;
}

/** Returns the entry of a file in the list at the end of the archive. @param offset of its local header */
export function centralHeader({ name, size, modifiedAt }: ZipHeader, crc: number, offset: number): Buffer {
  const nameBytes = Buffer.from(name, 'utf8');
  const large = [...(isLarge(size) ? [size, size] : []), ...(isLarge(offset) ? [offset] : [])];
  const extra = large.length > 0 ? zip64Field(large) : Buffer.alloc(0);
  const header = Buffer.alloc(46);
  const [time, date] = dosTime(modifiedAt);
  header.writeUInt32LE(0x0201_4b50, 0);
  header.writeUInt16LE(MADE_BY, 4);
  header.writeUInt16LE(large.length > 0 ? VERSION.zip64 : VERSION.plain, 6);
  header.writeUInt16LE(FLAGS, 8);
  header.writeUInt16LE(time, 12);
  header.writeUInt16LE(date, 14);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(Math.min(size, MAX_32), 20);
  header.writeUInt32LE(Math.min(size, MAX_32), 24);
  header.writeUInt16LE(nameBytes.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE((name.endsWith('/') ? MODES.folder : MODES.file) * 0x1_0000, 38);
  header.writeUInt32LE(Math.min(offset, MAX_32), 42);
  return Buffer.concat([header, nameBytes, extra]);
}

/** Returns the end of an archive. @param size of all central headers @param offset of the first one */
export function endOfArchive({ files, size, offset }: { files: number; size: number; offset: number }): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(Math.min(files, MAX_16), 8);
  end.writeUInt16LE(Math.min(files, MAX_16), 10);
  end.writeUInt32LE(Math.min(size, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  if (files < MAX_16 && !isLarge(size) && !isLarge(offset)) return end;
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x0606_4b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(MADE_BY, 12);
  record.writeUInt16LE(VERSION.zip64, 14);
  record.writeBigUInt64LE(BigInt(files), 24);
  record.writeBigUInt64LE(BigInt(files), 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x0706_4b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator, end]);
}

function zip64Field(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * values.length, 2);
  values.forEach((value, index) => field.writeBigUInt64LE(BigInt(value), 4 + 8 * index));
  return field;
}

/** Returns time and date in the format of MS-DOS, in UTC. It begins in 1980 and has steps of two seconds. */
function dosTime(modifiedAt: number): [time: number, date: number] {
  const time = new Date(Math.min(Math.max(modifiedAt, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31, 23, 59, 58)));
  return [
    (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1),
    ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate(),
  ];
}
