import { S3Error } from '../../../src/bulk/index.js';
import { trimEndOf } from '../../../src/protocol/trim.js';

/** What the page's policy lets it ask without TLS: this machine. */
const LOCAL_HOSTS = ['localhost', '127.0.0.1'];

/** Patience with an address that swallows what it is sent. */
const TIMEOUT_MS = 10_000;

/** @param text an address, as `<input type="url">` takes it. @throws S3Error `InvalidOption` */
export function parseEndpoint(text: string, bucket: string): string {
  const { protocol, hostname, pathname } = new URL(text);
  if (protocol !== 'https:' && !(protocol === 'http:' && LOCAL_HOSTS.includes(hostname)))
    throw new S3Error(
      'InvalidOption',
      'The endpoint has to begin with https://, or with http://localhost for a store on this machine.',
    );
  if (trimEndOf(pathname, '/').endsWith(`/${bucket}`))
    throw new S3Error('InvalidOption', 'The endpoint ends in the bucket’s name, which belongs in its own field alone.');
  return text;
}

/** Whether anything answers at an address: a page is told that much even of what it may not read. */
export const isReachable = (endpoint: string, signal: AbortSignal): Promise<boolean> =>
  fetch(endpoint, { mode: 'no-cors', cache: 'no-store', signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) }).then(
    () => true,
    () => false,
  );
