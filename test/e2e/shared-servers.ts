import { shareServers } from '../support/shared-servers.js';
import { startProduct } from './product.js';

/** Vitest's global set-up of end-to-end tests. Files that need no product of their own share one. */
export default () => shareServers({ '/product': () => startProduct() });
