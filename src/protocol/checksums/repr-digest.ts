const hexToBase64 = (hex: string): string =>
  btoa(String.fromCharCode(...(hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))));

const base64ToHex = (base64: string): string =>
  Array.from(atob(base64), (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('');

/**
 * Formats a SHA-256 as the value of `Repr-Digest` or `Content-Digest`: `sha-256=:<base64>:`.
 * @param sha256Hex 64 hex digits
 * @see https://www.rfc-editor.org/rfc/rfc9530
 */
export const formatDigest = (sha256Hex: string): string => `sha-256=:${hexToBase64(sha256Hex)}:`;

/**
 * Returns the SHA-256 in the value of `Repr-Digest` or `Content-Digest`.
 * @returns 64 hex digits; undefined if the header contains other algorithms only; null if it is malformed
 */
export function parseDigest(header: string): string | undefined | null {
  for (const member of header.split(',')) {
    const match = /^\s*([a-z0-9*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):\s*$/.exec(member);
    if (!match) return null;
    if (match[1] !== 'sha-256') continue;
    try {
      const hex = base64ToHex(match[2]!);
      return hex.length === 64 ? hex : null;
    } catch {
      return null;
    }
  }
  return undefined;
}
