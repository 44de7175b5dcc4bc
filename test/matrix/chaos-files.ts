import { createHash, randomBytes, randomInt } from 'node:crypto';

/** A file whose upload was acknowledged. */
export interface StoredFile {
  path: string;
  sha256: string;
  /** `unknown` after a deletion whose response was lost. */
  state: 'there' | 'deleted' | 'unknown';
}

/** A token for one file that several parallel uploads used. */
export interface OneUseToken {
  id: string;
  prefix: string;
  stored: number;
}

export interface Reply {
  status: number;
  code: string;
  headers: Headers;
  text: string;
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** Creates random bytes: mostly few, sometimes enough for several parts in the store. */
export const createRandomBytes = () => {
  const kind = randomInt(20);
  return randomBytes(kind < 13 ? randomInt(40_000) : kind < 19 ? randomInt(2_000_000) : 9_000_000 + randomInt(9_000_000));
};

/** Reads the id of the file from a reply. */
export const parseFileId = (reply: Reply): string | undefined => (/"id":"(file_\w+)"/.exec(reply.text) ?? [])[1];
