import { UPLOAD_TOKEN } from '../../src/protocol/limits.js';
import type { MintOptions } from '../../server/helper/index.js';

const MB = 1e6;

/** What each place of the demo may upload. A real site also asks who the visitor is. */
const POLICIES: Record<string, MintOptions> = {
  home: { prefix: 'demo/inbox', max_size: 500 * MB, visibility: 'public' },
  playground: { prefix: 'demo/playground', max_size: 500 * MB, visibility: 'public' },
  portrait: {
    prefix: 'demo/portraits',
    max_size: 5 * MB,
    allowed_extensions: ['png', 'jpg', 'jpeg', 'webp'],
    visibility: 'public',
    max_uses: 1,
  },
  documents: {
    prefix: 'demo/documents',
    max_size: 10 * MB,
    allowed_extensions: ['pdf', 'txt', 'md', 'png', 'jpg', 'jpeg', 'webp'],
    visibility: 'private',
    max_uses: 5,
  },
};

/** @returns the options of a token for this place, or null to refuse. */
export function policyFor(place: string | null): MintOptions | null {
  const policy = place !== null && Object.hasOwn(POLICIES, place) ? POLICIES[place] : undefined;
  return policy ? { expires_in: UPLOAD_TOKEN.expiresIn.default, ...policy } : null;
}
