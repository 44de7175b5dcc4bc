import type { XmlNode } from '../xml/write.js';

/** `ChecksumCRC32` and its like. */
export const checksumXml = (checksums: Readonly<Record<string, string>>): XmlNode =>
  Object.fromEntries(Object.entries(checksums).map(([name, value]) => [`Checksum${name.toUpperCase()}`, value]));
