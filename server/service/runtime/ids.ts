import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Returns random lower-case letters and digits, 5 random bits each. */
export function randomText(length: number): string {
  let text = '';
  for (const byte of randomBytes(length)) text += ALPHABET[byte & 31];
  return text;
}

/** Returns an id: the kind, an underscore and 130 random bits. */
export const newId = (kind: string): string => `${kind}_${randomText(26)}`;

/** Returns the secret of a credential: its prefix and 48 hexadecimal characters, 192 random bits. */
export const newSecret = (prefix: string): string => prefix + randomBytes(24).toString('hex');

/** Hashes a secret for storage. A plain hash suffices, because the secret is random. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Consecutive blobs that share a folder of the file store, and thereby the flush of that folder. */
const BLOBS_PER_FOLDER = 4096;
let folderPrefix = '';
let blobCount = 0;

/** Returns a blob id: 32 characters with at least 145 random bits. The first 3 characters name the folder. */
export function newBlobId(): string {
  if (blobCount++ % BLOBS_PER_FOLDER === 0) folderPrefix = randomText(3);
  return folderPrefix + randomText(29);
}
