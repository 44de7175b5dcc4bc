import { crc32 } from 'node:zlib';

/** A record: magic (4 bytes), CRC-32 of all that follows (4), length of the body (4), id of the blob (32), body. Numbers are big-endian. */
const MAGIC = 0x73766a31;
const ID_BYTES = 32;
const HEADER_BYTES = 12 + ID_BYTES;

/** The record of a blob. */
export interface LogRecord {
  id: string;
  bytes: Buffer;
}

/** Records that are written to the log together. */
export interface JoinedRecords {
  bytes: Buffer;
  /** Position of each blob's body in `bytes`. */
  bodies: { id: string; start: number; end: number }[];
}

/** Makes the record of a blob, in memory of its own that can be transferred to a worker. */
export function encodeRecord(id: string, body: Uint8Array): LogRecord {
  const record = Buffer.allocUnsafeSlow(HEADER_BYTES + body.byteLength);
  record.writeUInt32BE(MAGIC, 0);
  record.writeUInt32BE(body.byteLength, 8);
  record.write(id, 12, ID_BYTES, 'latin1');
  record.set(body, HEADER_BYTES);
  record.writeUInt32BE(crc32(record.subarray(8)), 4);
  return { id, bytes: record };
}

/** Reads the records of a log up to its end, or up to the first incomplete or damaged record: its write was never acknowledged. */
export function* decodeRecords(log: Buffer): Generator<[id: string, body: Uint8Array]> {
  let start = 0;
  while (start + HEADER_BYTES <= log.length) {
    const end = start + HEADER_BYTES + log.readUInt32BE(start + 8);
    if (log.readUInt32BE(start) !== MAGIC || end > log.length) return;
    if (crc32(log.subarray(start + 8, end)) !== log.readUInt32BE(start + 4)) return;
    yield [log.toString('latin1', start + 12, start + HEADER_BYTES), log.subarray(start + HEADER_BYTES, end)];
    start = end;
  }
}

/** Joins records in memory of their own that can be transferred to a worker. */
export function joinRecords(records: readonly LogRecord[]): JoinedRecords {
  const length = records.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const joined = records.length === 1 ? records[0]!.bytes : Buffer.allocUnsafeSlow(length);
  let position = 0;
  const bodies = records.map(({ id, bytes }) => {
    if (bytes !== joined) bytes.copy(joined, position);
    const start = position + HEADER_BYTES;
    position += bytes.length;
    return { id, start, end: position };
  });
  return { bytes: joined, bodies };
}
