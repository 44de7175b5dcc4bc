import type { Server } from 'node:http';
import { BlobError } from '../../../../src/protocol/errors.js';
import { trimEndCharacters } from '../../../../src/protocol/trim.js';
import { addressOf } from '../../http/listening-address.js';

/**
 * Returns the issuer of the authorization server, without a final slash. It never depends on a request.
 * @param server reports the listening address, the issuer of a service without `publicUrl`.
 * @throws `SERVICE_UNAVAILABLE` before the service listens.
 */
export function issuerOf(publicUrl: string | undefined, server: Pick<Server, 'address'>): string {
  if (publicUrl !== undefined) {
    const { origin, pathname } = new URL(publicUrl);
    return trimEndCharacters(origin + pathname, '/');
  }
  if (server.address() === null)
    throw new BlobError('SERVICE_UNAVAILABLE', 'The service does not listen yet. Set publicUrl, or call listen.', {
      details: { retry_after: 1 },
    });
  return addressOf(server);
}
