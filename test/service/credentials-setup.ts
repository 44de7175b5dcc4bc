import type { FileRecord } from '../../src/protocol/types.js';
import type { TestService } from './support.js';
import { locationOf, TusClient } from './tus-client.js';

/** The content of both private files. */
export const SECRET = 'content of a private file';

/** One target for every kind of request, all owned by account `main`. */
export interface RequestTargets {
  /** Distinguishes the names of several setups. */
  n: number;
  /** A private file below `a`, the prefix of the upload token. */
  inside: FileRecord;
  /** A private file below `b`. */
  outside: FileRecord;
  /** Path of a resumable upload of 3 bytes to `b`. */
  upload: string;
  tokenId: string;
  /** A share of the file below `b`. */
  share: string;
  /** A share with a password. All setups use the same one, because hashing its password is slow. */
  lockedShare: string;
  /** A share of a harmless file. */
  openShare: string;
  rule: string;
  domain: string;
  webhook: string;
  /** Access key id. */
  pair: string;
}

let count = 0;

export async function createTargets(service: TestService, previous?: RequestTargets): Promise<RequestTargets> {
  const n = ++count;
  const create = async (path: string, body: object) => {
    const { status, response, error } = await service.call<{ id: string; access_key_id: string }>('POST', path, { body });
    if (status !== 201) throw new Error(`${path}: ${JSON.stringify(error)}`);
    return response;
  };
  // A storage has at most ten webhooks.
  if (previous) await service.call('DELETE', `/v1/webhooks/${previous.webhook}`);
  const [inside, outside] = await Promise.all([
    service.put(`a/secret-${n}`, SECRET),
    service.put(`b/secret-${n}`, SECRET),
    service.put(`shared-${n}`, 'for whoever has the link'),
  ]);
  const describe = { filename: `upload-${n}`, prefix: 'b' };
  const [upload, token, share, openShare, rule, domain, webhook, pair] = await Promise.all([
    new TusClient(() => service).create({ length: 3, describe }),
    service.mint(),
    create('/v1/shares', { path: `b/secret-${n}` }),
    create('/v1/shares', { path: `shared-${n}` }),
    create('/v1/rules', { prefix: `c/${n}`, visibility: 'private' }),
    create('/v1/domains', { host: `files-${n}.example.org` }),
    create('/v1/webhooks', { url: 'https://hooks.example.org/', events: ['file.created'], prefix: `c/${n}` }),
    create('/v1/s3-credentials', { name: `pair ${n}` }),
  ]);
  return {
    n,
    inside: inside.response,
    outside: outside.response,
    upload: locationOf(upload),
    tokenId: token.id,
    share: share.id,
    lockedShare: previous?.lockedShare ?? (await create('/v1/shares', { path: `b/secret-${n}`, password: 'share password' })).id,
    openShare: openShare.id,
    rule: rule.id,
    domain: domain.id,
    webhook: webhook.id,
    pair: pair.access_key_id,
  };
}
