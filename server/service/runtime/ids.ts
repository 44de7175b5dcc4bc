import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Random characters of 5 bits each, lower case, safe in any name. */
export function randomText(length: number): string {
  let text = '';
  for (const byte of randomBytes(length)) text += ALPHABET[byte & 31];
  return text;
}

/** `kind_` and 130 random bits. */
export const newId = (kind: string): string => `${kind}_${randomText(26)}`;

/** A credential's secret: its prefix and 48 hexadecimal characters, 192 random bits (platform-api, "API key"). */
export const newSecret = (prefix: string): string => prefix + randomBytes(24).toString('hex');

/** Only this is stored of a secret. Its bits are random, so that a plain hash cannot be guessed back. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** So many neighbours share a folder of the file store, and with it a flush; then another is begun. */
const BLOBS_PER_FOLDER = 4096;
let folderPrefix = '';
let blobCount = 0;

/** 32 characters, 145 of their bits random. */
export function newBlobId(): string {
  if (blobCount++ % BLOBS_PER_FOLDER === 0) folderPrefix = randomText(3);
  return folderPrefix + randomText(29);
}
