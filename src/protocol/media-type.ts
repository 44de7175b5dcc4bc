/** Longest media type, parameters included. UTF-16 units. */
const MAX_LENGTH = 255;

/** The media type of a file whose type is not stated. */
export const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

/** A parsed media type. */
export interface MediaType {
  /** `type/subtype`, lower-case. */
  essence: string;
  /** Unquoted values by lower-case name. A repeated name keeps its first value. */
  parameters: ReadonlyMap<string, string>;
}

const ESSENCE = /[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+/y;
/** A semicolon with an optional parameter. The syntax allows semicolons without one. */
const PARAMETER = /[ \t]*;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[ !#-[\]-~]|\\[ -~])*)"))?/y;

/**
 * Parses a media type from a header, a form, tus metadata or the database. Takes linear time.
 * @returns undefined if the text is not exactly one media type of at most 255 characters
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1
 */
export function parseMediaType(text: string): MediaType | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  ESSENCE.lastIndex = 0;
  const essence = ESSENCE.exec(text)?.[0].toLowerCase();
  if (essence === undefined) return undefined;
  const parameters = new Map<string, string>();
  let offset = essence.length;
  while (offset < text.length) {
    PARAMETER.lastIndex = offset;
    const match = PARAMETER.exec(text);
    if (!match) return undefined;
    offset = PARAMETER.lastIndex;
    const name = match[1]?.toLowerCase();
    if (name !== undefined && !parameters.has(name)) parameters.set(name, match[2] ?? match[3]!.replace(/\\(.)/g, '$1'));
  }
  return { essence, parameters };
}

/** Returns a valid media type unchanged, and `application/octet-stream` for any other text. */
export const safeMediaType = (text: string): string => (parseMediaType(text) ? text : DEFAULT_MEDIA_TYPE);
