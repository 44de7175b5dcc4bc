import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { validationError } from '../../../src/protocol/errors.js';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** DNS names have at most 253 characters, and the TXT record adds `_svc-blob.`. */
export const MAX_HOST = 240;

/** Returns the host name of a domain in lower case and in ASCII. @throws `VALIDATION_ERROR` */
export function parseHost(text: string): string {
  const host = domainToASCII(text.toLowerCase().replace(/\.$/, ''));
  const labels = host.split('.');
  if (isIP(host) !== 0 || host.length > MAX_HOST || labels.length < 2 || !labels.every((label) => LABEL.test(label)))
    throw validationError('host', `must be a host name with a dot, such as files.example.org; got ${JSON.stringify(text)}`);
  return host;
}
