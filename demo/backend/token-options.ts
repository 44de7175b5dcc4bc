import { UPLOAD_TOKEN } from '../../src/protocol/limits.js';
import type { MintOptions } from '../../server/helper/index.js';

const MB = 1e6;

/** Limits of each uploader in the demo. A real site also checks who the visitor is. */
const LIMITS: Record<string, MintOptions> = {
  home: { prefix: 'demo/inbox', max_size: 500 * MB, visibility: 'public' },
  playground: { prefix: 'demo/playground', max_size: 500 * MB, visibility: 'public', allow_delete: true, allow_fetch: true },
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

/**
 * @param name the value of `?for=` in the address of the token route
 * @returns options of a token, or null to refuse
 */
export function tokenOptionsFor(name: string | null): MintOptions | null {
  const limits = name !== null && Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
  return limits ? { expires_in: UPLOAD_TOKEN.expiresIn.default, ...limits } : null;
}
