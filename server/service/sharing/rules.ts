import type { Selectable } from 'kysely';
import type { ActivityChange } from '../../../src/protocol/activity-actions.js';
import { countLimitError } from '../../../src/protocol/count-limits.js';
import { BlobError, validationError } from '../../../src/protocol/errors.js';
import { normalizeExtension } from '../../../src/protocol/extensions.js';
import { IMAGE } from '../../../src/protocol/limits.js';
import { validatePrefix } from '../../../src/protocol/paths.js';
import type { Visibility } from '../../../src/protocol/types.js';
import { parseFileOptions } from '../../../src/protocol/file-options.js';
import { lockAccount } from '../identity/lock-account.js';
import { newId } from '../runtime/ids.js';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import type { RulesTable } from '../drivers/metadata/sharing-tables.js';
import { recordActivity } from '../identity/activities/record-activity.js';
import type { Creator } from '../identity/creator.js';
import type { Storage } from '../identity/credential.js';
import { ruleFor } from '../storage/uploads/upload-rules.js';

/** Defaults and limits of a folder, as in the REST API. */
export interface RuleRecord {
  id: string;
  /** The folder; empty for the whole storage. */
  prefix: string;
  max_size: number | null;
  allowed_extensions: string[] | null;
  visibility: Visibility | null;
  cache_control: string | null;
  /** Seconds after which a file without an own expiry is deleted. */
  expires_after: number | null;
  /** Sizes of images that everyone may request. */
  image_sizes: string[] | null;
  created_at: string;
}

export type RuleFields = { [Field in Exclude<keyof RuleRecord, 'id' | 'created_at'>]?: RuleRecord[Field] };

const MAX_RULES = 100;

const toRecord = (row: Selectable<RulesTable>): RuleRecord => ({
  id: row.id,
  prefix: row.prefix,
  max_size: row.max_size,
  allowed_extensions: row.extensions_json === null ? null : (JSON.parse(row.extensions_json) as string[]),
  visibility: row.visibility,
  cache_control: row.cache_control,
  expires_after: row.expires_after,
  image_sizes: row.image_sizes_json === null ? null : (JSON.parse(row.image_sizes_json) as string[]),
  created_at: new Date(row.created_at).toISOString(),
});

/** Validates the given fields and returns their columns. @throws `VALIDATION_ERROR`, `INVALID_PATH`. */
function columnsOf(fields: RuleFields, now: number): Partial<Omit<RulesTable, 'id' | 'account_id' | 'bucket_id' | 'created_at'>> {
  const { prefix, max_size, allowed_extensions, visibility, cache_control, expires_after, image_sizes } = fields;
  const extensions = allowed_extensions?.map((text) => {
    const extension = normalizeExtension(text);
    if (extension === undefined)
      throw validationError('allowed_extensions', `must be file extensions such as "jpg"; got ${JSON.stringify(text)}`);
    return extension;
  });
  if (cache_control) parseFileOptions({ cache_control }, now);
  return {
    ...(prefix !== undefined && { prefix: prefix === '' || prefix === '/' ? '' : validatePrefix(prefix) }),
    ...(max_size !== undefined && { max_size }),
    ...(allowed_extensions !== undefined && { extensions_json: extensions ? JSON.stringify([...new Set(extensions)]) : null }),
    ...(visibility !== undefined && { visibility }),
    ...(cache_control !== undefined && { cache_control }),
    ...(expires_after !== undefined && { expires_after }),
    ...(image_sizes !== undefined && { image_sizes_json: image_sizes && JSON.stringify(normalizeSizes(image_sizes)) }),
  };
}

/** @throws `VALIDATION_ERROR` */
function normalizeSizes(sizes: readonly string[]): string[] {
  for (const size of sizes)
    if (
      !/^(?:[1-9]\d{0,3}x(?:[1-9]\d{0,3})?|x[1-9]\d{0,3})$/.test(size) ||
      size.split('x').some((side) => Number(side) > IMAGE.side.max)
    )
      throw validationError(
        'image_sizes',
        `must be sizes such as "400x300", "400x" or "x300", with at most ${IMAGE.side.max} pixels a side; got ${JSON.stringify(size)}`,
      );
  return [...new Set(sizes)];
}

const notFound = (id: string) => new BlobError('NOT_FOUND', `There is no rule ${id}.`, { details: { id } });
const duplicate = () => validationError('prefix', 'already has a rule; change that one');

/** Stores rules. The storage applies them to uploads (`storage/uploads/upload-rules.ts`). */
export class Rules {
  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  async list(storage: Storage): Promise<RuleRecord[]> {
    const rows = await this.metadata.db
      .selectFrom('rules')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .orderBy('prefix')
      .execute();
    return rows.map(toRecord);
  }

  async get(storage: Storage, id: string): Promise<RuleRecord> {
    const row = await this.metadata.db
      .selectFrom('rules')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw notFound(id);
    return toRecord(row);
  }

  /** @returns the sizes of an image that everyone may request, by the rule of its folder. */
  async imageSizes({ bucketId, key }: { bucketId: string; key: string }): Promise<string[]> {
    return (await ruleFor(this.metadata.db, bucketId, key))?.imageSizes ?? [];
  }

  create(storage: Storage, creator: Creator, fields: RuleFields): Promise<RuleRecord> {
    const columns = columnsOf(fields, this.now());
    return this.metadata.write(async (query) => {
      await lockAccount(this.metadata, query, storage.accountId);
      const { count } = await query
        .selectFrom('rules')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('bucket_id', '=', storage.bucketId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_RULES)
        throw countLimitError(
          'prefix',
          `cannot get a rule: the storage has ${MAX_RULES} rules, the maximum. Delete one first`,
          'too_many_rules',
          MAX_RULES,
        );
      const row = await query
        .insertInto('rules')
        .values({
          prefix: '',
          ...columns,
          id: newId('rule'),
          account_id: storage.accountId,
          bucket_id: storage.bucketId,
          created_at: this.now(),
        })
        .onConflict((conflict) => conflict.columns(['bucket_id', 'prefix']).doNothing())
        .returningAll()
        .executeTakeFirst();
      if (!row) throw duplicate();
      await this.#record(query, creator, 'created', row);
      return toRecord(row);
    });
  }

  change(storage: Storage, id: string, creator: Creator, fields: RuleFields): Promise<RuleRecord> {
    const columns = columnsOf(fields, this.now());
    return this.metadata.write(async (query) => {
      if (columns.prefix !== undefined) {
        const ruleOfPrefix = await query
          .selectFrom('rules')
          .select('id')
          .where('bucket_id', '=', storage.bucketId)
          .where('prefix', '=', columns.prefix)
          .where('id', '!=', id)
          .executeTakeFirst();
        if (ruleOfPrefix) throw duplicate();
      }
      const row = await query
        .updateTable('rules')
        .set(columns)
        .where('bucket_id', '=', storage.bucketId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw notFound(id);
      await this.#record(query, creator, 'changed', row);
      return toRecord(row);
    });
  }

  delete(storage: Storage, id: string, creator: Creator): Promise<void> {
    return this.metadata.write(async (query) => {
      const row = await query
        .deleteFrom('rules')
        .where('bucket_id', '=', storage.bucketId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw notFound(id);
      await this.#record(query, creator, 'deleted', row);
    });
  }

  #record(query: Query, creator: Creator, verb: ActivityChange<'rule'>, row: Selectable<RulesTable>): Promise<void> {
    const { id: _, created_at: __, ...details } = toRecord(row);
    const target = { targetType: 'rule', targetId: row.id };
    return recordActivity(query, creator, this.now(), { accountId: row.account_id, action: `rule.${verb}`, ...target, details });
  }
}
