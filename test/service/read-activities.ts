import type { Selectable } from 'kysely';
import type { ActivitiesTable } from '../../server/service/drivers/metadata/identity-tables.js';
import { withMetadata } from './change-key.js';
import type { TestService } from './support.js';

/**
 * Reads the activity log of an account, in the order of the actions' names: the clocks of replicas differ by milliseconds, so that
 * the times of two quick changes say nothing about their order.
 */
export const readActivities = (service: TestService, accountId: string): Promise<Selectable<ActivitiesTable>[]> =>
  withMetadata(service.dataDir, ({ db }) =>
    db.selectFrom('activities').selectAll().where('account_id', '=', accountId).orderBy('action').orderBy('created_at').execute(),
  );
