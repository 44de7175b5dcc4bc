import { sql } from 'kysely';
import type { Selectable, SelectQueryBuilder, SqlBool } from 'kysely';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import type { ActivitiesTable } from '../../drivers/metadata/identity-tables.js';
import type { Metadata } from '../../drivers/metadata/metadata.js';
import type { Tables } from '../../drivers/metadata/tables.js';
import type { Counters } from '../limits/counters.js';
import { minuteOf } from '../limits/windows.js';
import { activityTest, whereIndexed } from './activity-filter.js';
import type { ActivityFilter } from './activity-filter.js';
import { toActivityRecord } from './activity-record.js';
import type { ActivityRecord } from './activity-record.js';
import { csvHeader, csvLine } from './csv.js';

/** The log of an account or of a workspace. */
export type ActivityLog = { accountId: string } | { workspaceId: string };

export interface ActivityPage {
  activities: ActivityRecord[];
  /** The position after the page; null on the last page. A page may be short, even empty, before. */
  next: string | null;
}

export interface ActivityListOptions {
  filter?: ActivityFilter;
  after?: string | undefined;
}

/** The place of an entry in its log. */
interface Position {
  createdAt: number;
  id: string;
}

type ActivityRow = Selectable<ActivitiesTable>;

/** Entries are kept for this time. */
export const ACTIVITY_RETENTION_DAYS = 400;
const DAY_MS = 86_400_000;
/** Exports of one user in a minute. */
const EXPORTS_PER_MINUTE = 5;
/** Entries that an export writes at once. */
const EXPORT_PAGE = 500;
/** Entries that are read at once with a filter. */
const BATCH = 1000;
/** Entries that a page reads at most. */
const MAX_SCANNED = 20_000;
/** Entries that one transaction of the maintenance deletes. */
const DELETE_BATCH = 500;

/** Reads the activity log and deletes old entries. `recordActivity` writes it. */
export class Activities {
  constructor(
    private readonly metadata: Metadata,
    private readonly counters: Counters,
    private readonly now: () => number,
  ) {}

  /**
   * Lists entries that match a filter, newest first. Reads a limited number of entries, however long the log is.
   * @param after the position of an earlier page. It works even if its entry was deleted since.
   * @throws `VALIDATION_ERROR` for a position that no page has.
   */
  async list(log: ActivityLog, limit: number, { filter = {}, after }: ActivityListOptions = {}): Promise<ActivityPage> {
    const matches = activityTest(filter);
    const found: ActivityRow[] = [];
    let position = after === undefined ? undefined : parsePosition(after);
    // The first read suffices if every entry matches.
    let size = limit + 1;
    for (let scanned = 0; scanned < MAX_SCANNED; scanned += size, size = BATCH) {
      const rows = await this.#read(log, filter, position, size);
      for (const row of rows) {
        if (!matches(row)) continue;
        if (found.length === limit) return pageOf(found, positionOf(found.at(-1)!));
        found.push(row);
      }
      if (rows.length < size) return pageOf(found, undefined);
      position = positionOf(rows.at(-1)!);
    }
    return pageOf(found, position);
  }

  #read(log: ActivityLog, filter: ActivityFilter, after: Position | undefined, size: number): Promise<ActivityRow[]> {
    // One upper bound. With two, SQLite may seek to the wider one.
    const bounds = after ? { ...filter, before: undefined } : filter;
    let query = whereIndexed(selectLog(this.metadata, log), bounds)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(size);
    if (after) query = query.where(sql<SqlBool>`(created_at, id) < (${after.createdAt}, ${after.id})`);
    return query.execute();
  }

  /** Counts an export. @throws `RATE_LIMIT_EXCEEDED` */
  async countExport(userId: string): Promise<void> {
    const now = this.now();
    const minute = minuteOf(now);
    const { granted } = await this.counters.increment(`activity-export:${userId}`, minute, EXPORTS_PER_MINUTE);
    if (granted) return;
    const retryAfter = Math.max(1, Math.ceil((minute.end - now) / 1000));
    const details = { scope: 'route', limit: EXPORTS_PER_MINUTE, used: EXPORTS_PER_MINUTE, retry_after: retryAfter };
    throw new BlobError(
      'RATE_LIMIT_EXCEEDED',
      `The limit of ${EXPORTS_PER_MINUTE} exports a minute is exceeded. Try again in ${retryAfter} seconds.`,
      { details },
    );
  }

  /** Writes the entries of a log that match a filter as CSV, newest first, a page at a time. */
  async *csv(log: ActivityLog, filter: ActivityFilter = {}): AsyncGenerator<string> {
    yield csvHeader();
    let after: string | undefined;
    do {
      const page = await this.list(log, EXPORT_PAGE, { filter, after });
      yield page.activities.map(csvLine).join('');
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  /** Deletes entries older than the retention, in small transactions. @returns the number of deleted entries. */
  async deleteOld({
    days = ACTIVITY_RETENTION_DAYS,
    signal,
  }: { days?: number | undefined; signal?: AbortSignal } = {}): Promise<number> {
    const before = this.now() - days * DAY_MS;
    let total = 0;
    let deleted = DELETE_BATCH;
    while (deleted === DELETE_BATCH) {
      signal?.throwIfAborted();
      deleted = await this.#deleteBatch(before);
      total += deleted;
    }
    return total;
  }

  async #deleteBatch(before: number): Promise<number> {
    const result = await this.metadata.write(
      (query) => {
        const ids = query.selectFrom('activities').select('id').where('created_at', '<', before).orderBy('created_at');
        return query.deleteFrom('activities').where('id', 'in', ids.limit(DELETE_BATCH)).executeTakeFirstOrThrow();
      },
      { durable: false },
    );
    return Number(result.numDeletedRows);
  }
}

function selectLog({ db }: Metadata, log: ActivityLog): SelectQueryBuilder<Tables, 'activities', ActivityRow> {
  const select = db.selectFrom('activities').selectAll();
  return 'accountId' in log ? select.where('account_id', '=', log.accountId) : select.where('workspace_id', '=', log.workspaceId);
}

const pageOf = (rows: readonly ActivityRow[], next: Position | undefined): ActivityPage => ({
  activities: rows.map(toActivityRecord),
  next: next === undefined ? null : `${next.createdAt} ${next.id}`,
});

const positionOf = ({ created_at, id }: ActivityRow): Position => ({ createdAt: created_at, id });

function parsePosition(text: string): Position {
  const match = /^(\d{1,15}) (\w{1,64})$/.exec(text);
  if (!match) throw validationError('cursor', 'must be the cursor of an earlier response');
  return { createdAt: Number(match[1]), id: match[2]! };
}
