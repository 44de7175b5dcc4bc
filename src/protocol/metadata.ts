import { METADATA } from './limits.js';
import { utf8Length } from './paths.js';

/** A rule that the metadata of a file breaks. */
export interface MetadataProblem {
  /** Name of the entry, at most 64 characters. Undefined if the problem concerns all entries. */
  key?: string;
  /** The rest of a sentence that begins with the entry or with `metadata`. */
  requirement: string;
  details?: { max: number };
}

// oxlint-disable-next-line no-control-regex -- S3 returns metadata as headers, which must not contain control characters
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/**
 * Finds the first rule that the metadata of a file breaks.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html for the limits of S3, which also hold here
 */
export function findMetadataProblem(metadata: object): MetadataProblem | undefined {
  const entries: [string, unknown][] = Object.entries(metadata);
  if (entries.length > METADATA.maxEntries)
    return {
      requirement: `must have at most ${METADATA.maxEntries} entries; got ${entries.length}`,
      details: { max: METADATA.maxEntries },
    };
  let bytes = 0;
  for (const [name, value] of entries) {
    const key = name.slice(0, 64);
    if (!METADATA.key.test(name))
      return {
        key,
        requirement:
          'must be named with 1 to 64 lower-case letters, digits, dots, dashes and underscores, beginning with a letter or digit',
      };
    if (typeof value !== 'string') return { key, requirement: 'must be a string' };
    if (CONTROL_CHARACTERS.test(value)) return { key, requirement: 'must not contain control characters' };
    bytes += utf8Length(name) + utf8Length(value);
  }
  if (bytes > METADATA.maxBytes)
    return {
      requirement: `must have at most ${METADATA.maxBytes} bytes, names and values together; got ${bytes} bytes`,
      details: { max: METADATA.maxBytes },
    };
  return undefined;
}
