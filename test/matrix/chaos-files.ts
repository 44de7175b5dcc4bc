import { createHash, randomBytes, randomInt } from 'node:crypto';

/** A file that was answered as stored. */
export interface StoredFile {
  path: string;
  sha256: string;
  /** `unknown`: a deletion whose answer was lost. */
  state: 'there' | 'deleted' | 'unknown';
}

/** A token for one file, of which several uploads ran at once. */
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
/** Mostly small, some of several parts of the store. */
export const someBytes = () => {
  const kind = randomInt(20);
  return randomBytes(kind < 13 ? randomInt(40_000) : kind < 19 ? randomInt(2_000_000) : 9_000_000 + randomInt(9_000_000));
};

/** The id of the file that a reply names. */
export const idOf = (reply: Reply): string | undefined => (/"id":"(file_\w+)"/.exec(reply.text) ?? [])[1];
