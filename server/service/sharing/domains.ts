import type { Selectable } from 'kysely';
import type { ActivityChange } from '../../../src/protocol/activity-actions.js';
import { countLimitError } from '../../../src/protocol/count-limits.js';
import { BlobError, validationError } from '../../../src/protocol/errors.js';
import { validatePrefix } from '../../../src/protocol/paths.js';
import { lockAccount } from '../identity/lock-account.js';
import { newId, randomText } from '../runtime/ids.js';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import type { DomainsTable } from '../drivers/metadata/sharing-tables.js';
import { recordActivity } from '../identity/activities/record-activity.js';
import type { Creator } from '../identity/creator.js';
import type { Storage } from '../identity/credential.js';
import { MAX_HOST, parseHost } from './host-name.js';
import { TxtRecords } from './txt-records.js';

/** A host name of an account that serves its public files. */
export interface Domain {
  id: string;
  storage: Storage;
  host: string;
  /** The folder that it serves; empty for all files. */
  prefix: string;
  /** The TXT record that proves ownership. */
  txtName: string;
  txtValue: string;
  /** Other values of that record that the last check found, if it just ran and did not verify the domain. Null if DNS did not respond. */
  foundValues?: readonly string[] | null;
  verifiedAt: number | null;
  /** `suspended`: it was verified, but then its record was missing several times in a row. */
  status: 'pending' | 'verified' | 'suspended';
  /** Time of the last DNS query. ms since 1970 */
  checkedAt: number | null;
  createdAt: number;
}

/** Maximum number of domains of an account. */
export const MAX_DOMAINS = 100;
/** Interval between checks of a verified domain. */
const RECHECK_INTERVAL_MS = 86_400_000;
/** Values of other records that are returned, and their length. */
const MAX_FOUND = { values: 10, length: 255 };
/** A domain is suspended after this many failed checks in a row. */
const MAX_FAILURES = 3;

const toDomain = (row: Selectable<DomainsTable>): Domain => ({
  id: row.id,
  storage: { accountId: row.account_id, bucketId: row.bucket_id },
  host: row.host,
  prefix: row.prefix,
  txtName: `_svc-blob.${row.host}`,
  txtValue: `svc-blob=${row.challenge}`,
  verifiedAt: row.verified_at,
  status: statusOf(row),
  checkedAt: row.checked_at,
  createdAt: row.created_at,
});

function statusOf({ verified_at, failures }: Selectable<DomainsTable>): Domain['status'] {
  if (verified_at !== null) return 'verified';
  return failures >= MAX_FAILURES ? 'suspended' : 'pending';
}

const notFound = (id: string) => new BlobError('NOT_FOUND', `There is no domain ${id}.`, { details: { id } });
/** Lookups are cached for this time. Without the cache, each request to a domain would query the database. Changes by other replicas take effect later. */
const CACHE_TTL_MS = 5000;
const MAX_CACHED = 10_000;

const parsePrefix = (prefix: string): string => (prefix === '' || prefix === '/' ? '' : validatePrefix(prefix));

/** Stores domains, verifies them by DNS, and finds the domain of a request. */
export class Domains {
  readonly #records: TxtRecords;
  readonly #cache = new Map<string, { domain: Domain | undefined; validUntil: number }>();

  /** @param dnsServers `address` or `address:port`; undefined for the system's servers. */
  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
    dnsServers: string[] | undefined,
  ) {
    this.#records = new TxtRecords(dnsServers);
  }

  /** Adds a domain, which serves files after its verification. Several accounts may add one host; the one that proves ownership gets it. */
  async create(storage: Storage, creator: Creator, fields: { host: string; prefix?: string }): Promise<Domain> {
    const values = {
      id: newId('domain'),
      account_id: storage.accountId,
      bucket_id: storage.bucketId,
      host: parseHost(fields.host),
      prefix: parsePrefix(fields.prefix ?? ''),
      challenge: randomText(32),
      created_at: this.now(),
    };
    const row = await this.metadata.write(async (query) => {
      await lockAccount(this.metadata, query, storage.accountId);
      const ofBucket = query.selectFrom('domains').select('id').where('bucket_id', '=', storage.bucketId);
      const lastAllowed = await ofBucket
        .limit(1)
        .offset(MAX_DOMAINS - 1)
        .executeTakeFirst();
      if (lastAllowed)
        throw countLimitError(
          'host',
          `cannot be added: the account has ${MAX_DOMAINS} domains, the maximum. Delete one first`,
          'too_many_domains',
          MAX_DOMAINS,
        );
      const added = await query
        .insertInto('domains')
        .values(values)
        .onConflict((conflict) => conflict.columns(['bucket_id', 'host']).doNothing())
        .returningAll()
        .executeTakeFirst();
      if (added) await this.#record(query, creator, 'created', added);
      return added;
    });
    if (!row) throw validationError('host', `must be new; the account already has ${values.host}`);
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

  async change(storage: Storage, id: string, creator: Creator, fields: { prefix: string }): Promise<Domain> {
    const prefix = parsePrefix(fields.prefix);
    const row = await this.metadata.write(async (query) => {
      const changed = await query
        .updateTable('domains')
        .set({ prefix })
        .where('bucket_id', '=', storage.bucketId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (changed) await this.#record(query, creator, 'changed', changed);
      return changed;
    });
    if (!row) throw notFound(id);
    this.#cache.delete(row.host);
    return toDomain(row);
  }

  async delete(storage: Storage, id: string, creator: Creator): Promise<void> {
    const row = await this.metadata.write(async (query) => {
      const deleted = await query
        .deleteFrom('domains')
        .where('bucket_id', '=', storage.bucketId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (deleted) await this.#record(query, creator, 'deleted', deleted);
      return deleted;
    });
    if (!row) throw notFound(id);
    this.#cache.delete(row.host);
  }

  #record(query: Query, creator: Creator, verb: ActivityChange<'domain'>, row: Selectable<DomainsTable>): Promise<void> {
    const target = { targetType: 'domain', targetId: row.id, details: { host: row.host, prefix: row.prefix } };
    return recordActivity(query, creator, this.now(), { accountId: row.account_id, action: `domain.${verb}`, ...target });
  }

  /**
   * Looks up the TXT record. If it exists, the domain is verified, and other accounts lose the host.
   * @returns the domain, verified, or with the values that were found instead.
   */
  async verify(storage: Storage, id: string): Promise<Domain> {
    const domain = await this.get(storage, id);
    const values = await this.#records.read(domain.txtName);
    if (!values?.includes(domain.txtValue)) return this.#noteFailure(domain, values);
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
    this.#cache.delete(row.host);
    return toDomain(row);
  }

  /** Stores the time of a check that did not verify a domain, unless DNS did not respond. */
  async #noteFailure(domain: Domain, values: readonly string[] | undefined): Promise<Domain> {
    if (values === undefined) return { ...domain, foundValues: null };
    const checkedAt = this.now();
    await this.metadata.write((query) =>
      query
        .updateTable('domains')
        .set({ checked_at: checkedAt })
        .where('id', '=', domain.id)
        .where('verified_at', 'is', null)
        .execute(),
    );
    const foundValues = values.slice(0, MAX_FOUND.values).map((value) => value.slice(0, MAX_FOUND.length));
    return { ...domain, checkedAt, foundValues };
  }

  /**
   * Checks the TXT records of verified domains again, because a host name may change its owner. One replica checks each domain.
   * @param after minimum time since the last check, ms.
   * @returns the number of domains that were suspended.
   */
  async recheck({ after = RECHECK_INTERVAL_MS, signal }: { after?: number; signal?: AbortSignal } = {}): Promise<number> {
    const dueRows = await this.metadata.db
      .selectFrom('domains')
      .selectAll()
      .where('verified_at', 'is not', null)
      .where((e) => e.or([e('checked_at', 'is', null), e('checked_at', '<=', this.now() - after)]))
      .execute();
    let suspended = 0;
    for (const row of dueRows) {
      signal?.throwIfAborted();
      if (!(await this.#reserveCheck(row))) continue;
      const domain = toDomain(row);
      const values = await this.#records.read(domain.txtName);
      // Without a DNS response, the state of the domain is unknown.
      if (values === undefined) continue;
      const failures = values.includes(domain.txtValue) ? 0 : row.failures + 1;
      await this.metadata.write((query) =>
        query
          .updateTable('domains')
          .set({ failures, ...(failures >= MAX_FAILURES && { verified_at: null }) })
          .where('id', '=', row.id)
          .where('verified_at', 'is not', null)
          .execute(),
      );
      if (failures < MAX_FAILURES) continue;
      suspended += 1;
      this.#cache.delete(row.host);
    }
    return suspended;
  }

  /** Reserves the check of a domain for this replica. @returns false if another replica was faster. */
  async #reserveCheck(row: Selectable<DomainsTable>): Promise<boolean> {
    const result = await this.metadata.write((query) =>
      query
        .updateTable('domains')
        .set({ checked_at: this.now() })
        .where('id', '=', row.id)
        .where('checked_at', row.checked_at === null ? 'is' : '=', row.checked_at)
        .executeTakeFirst(),
    );
    return result.numUpdatedRows > 0n;
  }

  /** Finds the verified domain of a host. Results are cached for a few seconds. */
  async findVerified(host: string): Promise<Domain | undefined> {
    // Longer names cannot be domains. Looking them up would waste queries and cache entries.
    if (host.length > MAX_HOST) return undefined;
    const cached = this.#cache.get(host);
    if (cached && cached.validUntil > this.now()) return cached.domain;
    const row = await this.metadata.db
      .selectFrom('domains')
      .selectAll()
      .where('host', '=', host)
      .where('verified_at', 'is not', null)
      .executeTakeFirst();
    // Clients may send arbitrary host names, so the cache is bounded.
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    const domain = row && toDomain(row);
    this.#cache.set(host, { domain, validUntil: this.now() + CACHE_TTL_MS });
    return domain;
  }
}
