import type { Selectable, SelectQueryBuilder } from 'kysely';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import type { ActivitiesTable } from '../../drivers/metadata/identity-tables.js';
import type { Metadata } from '../../drivers/metadata/metadata.js';
import type { Tables } from '../../drivers/metadata/tables.js';
import type { Counters } from '../limits/counters.js';
import { minuteOf } from '../limits/windows.js';
import { toActivityRecord } from './activity-record.js';
import type { ActivityRecord } from './activity-record.js';
import { csvHeader, csvLine } from './csv.js';

/** The log of an account or of a workspace. */
export type ActivityLog = { accountId: string } | { workspaceId: string };

export interface ActivityPage {
  activities: ActivityRecord[];
  /** The position after the page; null on the last page. */
  next: string | null;
}

/** Entries are kept for this time. */
export const ACTIVITY_RETENTION_DAYS = 400;
const DAY_MS = 86_400_000;
/** Exports of one user in a minute. */
const EXPORTS_PER_MINUTE = 5;
/** Entries that an export reads at once. */
const EXPORT_PAGE = 500;
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
   * Lists entries, newest first. @param after the position of an earlier page. It works even if its entry was deleted since.
   * @throws `VALIDATION_ERROR` for a position that no page has.
   */
  async list(log: ActivityLog, limit: number, after?: string): Promise<ActivityPage> {
    let query = selectLog(this.metadata, log)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (after !== undefined) {
      const { createdAt, id } = parsePosition(after);
      query = query.where((e) =>
        e.or([e('created_at', '<', createdAt), e.and([e('created_at', '=', createdAt), e('id', '<', id)])]),
      );
    }
    const rows = await query.execute();
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      activities: page.map(toActivityRecord),
      next: rows.length > limit && last ? `${last.created_at} ${last.id}` : null,
    };
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

  /** Writes a whole log as CSV, newest first, a page at a time. */
  async *csv(log: ActivityLog): AsyncGenerator<string> {
    yield csvHeader();
    let after: string | undefined;
    do {
      const page = await this.list(log, EXPORT_PAGE, after);
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

function selectLog({ db }: Metadata, log: ActivityLog): SelectQueryBuilder<Tables, 'activities', Selectable<ActivitiesTable>> {
  const select = db.selectFrom('activities').selectAll();
  return 'accountId' in log ? select.where('account_id', '=', log.accountId) : select.where('workspace_id', '=', log.workspaceId);
}

function parsePosition(text: string): { createdAt: number; id: string } {
  const match = /^(\d{1,15}) (\w{1,64})$/.exec(text);
  if (!match) throw validationError('cursor', 'must be the cursor of an earlier response');
  return { createdAt: Number(match[1]), id: match[2]! };
}
