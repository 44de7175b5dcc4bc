import type { UploaderAttributes } from './attributes.js';

/** Names an element and its page. Interrupted uploads are listed in the same one only. */
export const resumeScopeOf = ({
  name,
  endpoint,
  tokenEndpoint,
}: Pick<UploaderAttributes, 'name' | 'endpoint' | 'tokenEndpoint'>): string =>
  [location.pathname, name, endpoint, tokenEndpoint].join('\n');
