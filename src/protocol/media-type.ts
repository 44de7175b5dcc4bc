/**
 * Media types (https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1). This is the one parser for every type that comes from outside: a
 * header, a form, tus metadata, a row of the database. It reads a text of bounded length once, from left to right.
 */

/** The longest media type, parameters included. Characters. */
const MAX_LENGTH = 255;

/** The type of a file that states none. */
export const DEFAULT_MEDIA_TYPE = 'application/octet-stream';

export interface MediaType {
  /** `type/subtype`, lower-case. */
  essence: string;
  /** Unquoted values by lower-case name. Of a repeated name the first. */
  parameters: ReadonlyMap<string, string>;
}

const ESSENCE = /[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+/y;
/** One parameter, or none after its semicolon, which the syntax allows. */
const PARAMETER = /[ \t]*;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[ !#-[\]-~]|\\[ -~])*)"))?/y;

/** Parses a media type. @returns undefined when the text is not exactly one media type of at most 255 characters. */
export function parseMediaType(text: string): MediaType | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  ESSENCE.lastIndex = 0;
  const essence = ESSENCE.exec(text)?.[0].toLowerCase();
  if (essence === undefined) return undefined;
  const parameters = new Map<string, string>();
  let at = essence.length;
  while (at < text.length) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(text);
    if (!match) return undefined;
    at = PARAMETER.lastIndex;
    const name = match[1]?.toLowerCase();
    if (name !== undefined && !parameters.has(name)) parameters.set(name, match[2] ?? match[3]!.replace(/\\(.)/g, '$1'));
  }
  return { essence, parameters };
}

/** Returns the type itself when it is one, otherwise `application/octet-stream`. Safe for any stored value. */
export const safeMediaType = (text: string): string => (parseMediaType(text) ? text : DEFAULT_MEDIA_TYPE);
