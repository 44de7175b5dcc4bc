/** Encodes an extended value. A lone surrogate cannot be encoded and becomes U+FFFD. */
const encodeExtended = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * Formats a `Content-Disposition` header, such as `attachment; filename="a_.pdf"; filename*=UTF-8''a%C3%BC.pdf`. The extended
 * parameter `filename*` is left out if the plain one states the same name. File names must reach headers only through this
 * function.
 * @see https://www.rfc-editor.org/rfc/rfc6266
 * @see https://www.rfc-editor.org/rfc/rfc8187
 */
export function formatDisposition(type: 'inline' | 'attachment', fileName: string): string {
  const ascii = fileName.replace(/[^\u0020-\u007e]|["\\%]/g, '_');
  const plain = `${type}; filename="${ascii}"`;
  return ascii === fileName ? plain : `${plain}; filename*=UTF-8''${encodeExtended(fileName)}`;
}

// Parameters are parsed from left to right, because a quoted value may contain semicolons. Adjacent parts of the pattern never
// match the same character, so that matching takes linear time.
const PARAMETER = /\s*;\s*([^\s;="]+)\s*=\s*(?!\s)(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*(?:\s+[^\s;"]+)*))\s*(?=;|$)/y;
/** A parameter without a value. It is skipped. */
const EMPTY_PARAMETER = /\s*;[^;="]*(?=;|$)/y;

/**
 * Parses the parameters of a `Content-Disposition` header.
 * @returns values by lower-case name. A repeated name keeps its first value. A malformed parameter ends the list.
 */
export function parseDispositionParameters(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let offset = header.indexOf(';');
  while (offset >= 0) {
    PARAMETER.lastIndex = offset;
    const match = PARAMETER.exec(header);
    if (!match) {
      EMPTY_PARAMETER.lastIndex = offset;
      if (!EMPTY_PARAMETER.test(header)) break;
      offset = EMPTY_PARAMETER.lastIndex;
      continue;
    }
    offset = PARAMETER.lastIndex;
    const name = match[1]!.toLowerCase();
    if (!parameters.has(name)) parameters.set(name, match[2]?.replace(/\\(.)/g, '$1') ?? match[3]!);
  }
  return parameters;
}

/**
 * Returns the file name in a `Content-Disposition` header. `filename*` takes precedence over `filename`.
 * @returns undefined if the header contains no file name or is malformed
 */
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
