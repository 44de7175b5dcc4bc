import { S3Error } from '../../../src/bulk/index.js';
import { trimEndCharacters } from '../../../src/protocol/trim.js';

/** Hosts that the Content-Security-Policy of the page admits without TLS. */
const LOCAL_HOSTS = ['localhost', '127.0.0.1'];

const TIMEOUT_MS = 10_000;

/** @param text an address from `<input type="url">`. @throws S3Error `InvalidOption` */
export function parseEndpoint(text: string, bucket: string): string {
  const { protocol, hostname, pathname } = new URL(text);
  if (protocol !== 'https:' && !(protocol === 'http:' && LOCAL_HOSTS.includes(hostname)))
    throw new S3Error(
      'InvalidOption',
      'The endpoint must begin with https://, or with http://localhost for a store on this machine.',
    );
  if (trimEndCharacters(pathname, '/').endsWith(`/${bucket}`))
    throw new S3Error('InvalidOption', 'The endpoint must not contain the name of the bucket. Enter it in its own field.');
  return text;
}

/** Checks whether anything responds at an address. A page learns this even if it may not read the response. */
export const isReachable = (endpoint: string, signal: AbortSignal): Promise<boolean> =>
  fetch(endpoint, {
    mode: 'no-cors',
    cache: 'no-store',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).then(
    () => true,
    () => false,
  );
