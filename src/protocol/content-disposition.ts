/** `Content-Disposition` by RFC 6266, names by RFC 8187. Nothing a person typed reaches a header any other way. */

/** A lone surrogate, which no encoding can express, becomes U+FFFD. */
const encodeExtended = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** `attachment; filename="ascii"; filename*=UTF-8''…`; the plain form only when it says the same. */
export function formatDisposition(type: 'inline' | 'attachment', fileName: string): string {
  const ascii = fileName.replace(/[^\u0020-\u007e]|["\\%]/g, '_');
  const plain = `${type}; filename="${ascii}"`;
  return ascii === fileName ? plain : `${plain}; filename*=UTF-8''${encodeExtended(fileName)}`;
}

// A quoted value may hold what ends others, so parameters are read one after the other. No two parts that stand side by side match the
// same character: a long header must not be tried in all ways.
const PARAMETER = /\s*;\s*([^\s;="]+)\s*=\s*(?!\s)(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*(?:\s+[^\s;"]+)*))\s*(?=;|$)/y;
/** One that says nothing: it is passed over. */
const EMPTY_PARAMETER = /\s*;[^;="]*(?=;|$)/y;

/** The parameters of a header by lower-case name, of a doubled one the first; none that stand after a malformed one. */
export function parseDispositionParameters(header: string): Map<string, string> {
  const found = new Map<string, string>();
  let at = header.indexOf(';');
  for (;;) {
    if (at < 0) return found;
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(header);
    if (!match) {
      EMPTY_PARAMETER.lastIndex = at;
      if (!EMPTY_PARAMETER.test(header)) return found;
      at = EMPTY_PARAMETER.lastIndex;
      continue;
    }
    at = PARAMETER.lastIndex;
    const name = match[1]!.toLowerCase();
    if (!found.has(name)) found.set(name, match[2]?.replace(/\\(.)/g, '$1') ?? match[3]!);
  }
}

/** The file name a header states, the extended form first; undefined when it states none or is malformed. */
export function parseDispositionName(header: string): string | undefined {
  const parameters = parseDispositionParameters(header);
  const extended = /^UTF-8'[^']*'(\S+)$/i.exec(parameters.get('filename*') ?? '');
  if (!extended) return parameters.get('filename');
  try {
    return decodeURIComponent(extended[1]!);
  } catch {
    return undefined;
  }
}
