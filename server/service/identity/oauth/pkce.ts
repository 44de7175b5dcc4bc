import { createHash } from 'node:crypto';
import { equalBytes } from '../../runtime/equal-bytes.js';

/** Returns whether a `code_verifier` belongs to a `code_challenge` of method S256: https://www.rfc-editor.org/rfc/rfc7636#section-4.6 */
export function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  const expected = Buffer.from(challenge);
  const received = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  return equalBytes(received, expected);
}
