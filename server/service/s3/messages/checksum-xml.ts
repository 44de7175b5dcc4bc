import type { XmlNode } from '../xml/write-xml.js';

/** Builds elements such as `ChecksumCRC32`. */
export const checksumXml = (checksums: Readonly<Record<string, string>>): XmlNode =>
  Object.fromEntries(Object.entries(checksums).map(([name, value]) => [`Checksum${name.toUpperCase()}`, value]));
