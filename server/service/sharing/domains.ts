import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Selectable } from 'kysely';
import { BlobError, invalid } from '../../../src/protocol/errors.js';
import { assertPrefix } from '../../../src/protocol/paths.js';
import { lockAccount } from '../identity/lock-account.js';
import { newId, randomText } from '../runtime/ids.js';
import type { Metadata } from '../drivers/metadata/metadata.js';
import type { DomainsTable } from '../drivers/metadata/tables.js';
import type { Storage } from '../identity/credential.js';

/** A host name of the owner's that serves public files. */
export interface Domain {
  id: string;
  storage: Storage;
  host: string;
  /** The folder it serves; empty: all. */
  prefix: string;
  /** The TXT record that proves it. */
  txtName: string;
  txtValue: string;
  verifiedAt: number | null;
  /** `suspended`: it was proven once, and then its record was not there time after time. */
  status: 'pending' | 'verified' | 'suspended';
  /** When DNS was asked last. */
  checkedAt: number | null;
  createdAt: number;
}

/** Domains of an account. */
export const MAX_DOMAINS = 100;
/** A proof is asked for again this long after the last time, ms; so many times in a row without it suspend the domain. */
const RECHECK_AFTER = 86_400_000;
const FAILURES = 3;

const toDomain = (row: Selectable<DomainsTable>): Domain => ({
  id: row.id,
  storage: { accountId: row.account_id, bucketId: row.bucket_id },
  host: row.host,
  prefix: row.prefix,
  txtName: `_svc-blob.${row.host}`,
  txtValue: `svc-blob=${row.challenge}`,
  verifiedAt: row.verified_at,
  status: row.verified_at !== null ? 'verified' : row.failures >= FAILURES ? 'suspended' : 'pending',
  checkedAt: row.checked_at,
  createdAt: row.created_at,
});

const notFound = (id: string) => new BlobError('NOT_FOUND', 'There is no such domain.', { details: { id } });
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** With `_svc-blob.` before it, a name still has the 253 characters of DNS. */
const MAX_HOST = 240;
/** How long another replica's change may go unseen, ms: each request to a foreign host name would ask the database otherwise. */
const REMEMBER = 5000;
const REMEMBERED_MAX = 10_000;

function assertHost(text: string): string {
  const host = domainToASCII(text.toLowerCase().replace(/\.$/, ''));
  const labels = host.split('.');
  if (isIP(host) !== 0 || host.length > MAX_HOST || labels.length < 2 || !labels.every((label) => LABEL.test(label)))
    throw invalid('host', 'must be a host name with a dot, such as files.example.org');
  return host;
}

const folder = (prefix: string): string => (prefix === '' || prefix === '/' ? '' : assertPrefix(prefix));

export class Domains {
  readonly #resolver: Resolver;
  readonly #seen = new Map<string, { domain: Domain | undefined; until: number }>();

  /** @param dnsServers `address` or `address:port`; by default the system's. */
  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
    dnsServers: string[] | undefined,
  ) {
    this.#resolver = new Resolver({ timeout: 2000, tries: 2 });
    if (dnsServers) this.#resolver.setServers(dnsServers);
  }

  /** Waits for its proof. Several accounts may ask for one host; whoever proves it has it. */
  async create(storage: Storage, fields: { host: string; prefix?: string }): Promise<Domain> {
    const values = {
      id: newId('domain'),
      account_id: storage.accountId,
      bucket_id: storage.bucketId,
      host: assertHost(fields.host),
      prefix: folder(fields.prefix ?? ''),
      challenge: randomText(32),
      created_at: this.now(),
    };
    const row = await this.metadata.write(async (query) => {
      await lockAccount(this.metadata, query, storage.accountId);
      const own = query.selectFrom('domains').select('id').where('bucket_id', '=', storage.bucketId);
      const last = await own
        .limit(1)
        .offset(MAX_DOMAINS - 1)
        .executeTakeFirst();
      if (last) throw invalid('host', `is refused: an account has at most ${MAX_DOMAINS} domains`, { limit: MAX_DOMAINS });
      return query
        .insertInto('domains')
        .values(values)
        .onConflict((conflict) => conflict.columns(['bucket_id', 'host']).doNothing())
        .returningAll()
        .executeTakeFirst();
    });
    if (!row) throw invalid('host', 'is there already');
    return toDomain(row);
  }

  async list(storage: Storage): Promise<Domain[]> {
    const rows = await this.metadata.db
      .selectFrom('domains')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .orderBy(this.metadata.bytewise('host'))
      .execute();
    return rows.map(toDomain);
  }

  async get(storage: Storage, id: string): Promise<Domain> {
    const row = await this.metadata.db
      .selectFrom('domains')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw notFound(id);
    return toDomain(row);
  }

  async change(storage: Storage, id: string, fields: { prefix: string }): Promise<Domain> {
    const prefix = folder(fields.prefix);
    const row = await this.metadata.write((query) =>
      query
        .updateTable('domains')
        .set({ prefix })
        .where('bucket_id', '=', storage.bucketId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),
    );
    if (!row) throw notFound(id);
    this.#seen.delete(row.host);
    return toDomain(row);
  }

  async delete(storage: Storage, id: string): Promise<void> {
    const row = await this.metadata.write((query) =>
      query
        .deleteFrom('domains')
        .where('bucket_id', '=', storage.bucketId)
        .where('id', '=', id)
        .returning('host')
        .executeTakeFirst(),
    );
    if (!row) throw notFound(id);
    this.#seen.delete(row.host);
  }

  /**
   * Asks DNS for the proof. Whoever shows the record now has the host, also when another had it before.
   * @returns the domain, verified or still waiting.
   */
  async verify(storage: Storage, id: string): Promise<Domain> {
    const domain = await this.get(storage, id);
    if ((await this.#isProven(domain)) !== true) return domain;
    const row = await this.metadata.write(async (query) => {
      await query
        .updateTable('domains')
        .set({ verified_at: null, failures: 0 })
        .where('host', '=', domain.host)
        .where('id', '!=', id)
        .execute();
      const now = this.now();
      return query
        .updateTable('domains')
        .set({ verified_at: now, checked_at: now, failures: 0 })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
    });
    if (!row) throw notFound(id);
    this.#seen.delete(row.host);
    return toDomain(row);
  }

  /**
   * Asks again for the proofs of verified domains: a host name may have gone to somebody else. Each is asked for by one replica.
   * @param after ms since the last time. @returns how many were suspended.
   */
  async recheck({ after = RECHECK_AFTER, signal }: { after?: number; signal?: AbortSignal } = {}): Promise<number> {
    const due = await this.metadata.db
      .selectFrom('domains')
      .selectAll()
      .where('verified_at', 'is not', null)
      .where((e) => e.or([e('checked_at', 'is', null), e('checked_at', '<=', this.now() - after)]))
      .execute();
    let suspended = 0;
    for (const row of due) {
      signal?.throwIfAborted();
      if (!(await this.#claim(row))) continue;
      const proven = await this.#isProven(toDomain(row));
      // DNS that does not answer says nothing of the domain.
      if (proven === undefined) continue;
      const failures = proven ? 0 : row.failures + 1;
      await this.metadata.write((query) =>
        query
          .updateTable('domains')
          .set({ failures, ...(failures >= FAILURES && { verified_at: null }) })
          .where('id', '=', row.id)
          .where('verified_at', 'is not', null)
          .execute(),
      );
      if (failures < FAILURES) continue;
      suspended += 1;
      this.#seen.delete(row.host);
    }
    return suspended;
  }

  /** @returns whether this replica is the one that asks. */
  async #claim(row: Selectable<DomainsTable>): Promise<boolean> {
    const claimed = await this.metadata.write((query) =>
      query
        .updateTable('domains')
        .set({ checked_at: this.now() })
        .where('id', '=', row.id)
        .where('checked_at', row.checked_at === null ? 'is' : '=', row.checked_at)
        .executeTakeFirst(),
    );
    return claimed.numUpdatedRows > 0n;
  }

  /** @returns undefined when DNS gives no answer, which is neither a yes nor a no. */
  async #isProven({ txtName, txtValue }: Domain): Promise<boolean | undefined> {
    try {
      const records = await this.#resolver.resolveTxt(txtName);
      return records.some((chunks) => chunks.join('') === txtValue);
    } catch (cause) {
      return ['ENOTFOUND', 'ENODATA'].includes((cause as NodeJS.ErrnoException).code ?? '') ? false : undefined;
    }
  }

  /** The proven domain of a host; what was looked up a moment ago is remembered. */
  async serving(host: string): Promise<Domain | undefined> {
    // Remembering longer ones would cost memory and a query each, and none of them can be a domain.
    if (host.length > MAX_HOST) return undefined;
    const known = this.#seen.get(host);
    if (known && known.until > this.now()) return known.domain;
    const row = await this.metadata.db
      .selectFrom('domains')
      .selectAll()
      .where('host', '=', host)
      .where('verified_at', 'is not', null)
      .executeTakeFirst();
    // Anyone can make up host names.
    if (this.#seen.size >= REMEMBERED_MAX) this.#seen.clear();
    const domain = row && toDomain(row);
    this.#seen.set(host, { domain, until: this.now() + REMEMBER });
    return domain;
  }
}
