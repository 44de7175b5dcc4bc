import type { Selectable } from 'kysely';
import type { ActivitiesTable } from '../../server/service/drivers/metadata/identity-tables.js';
import { withMetadata } from './change-key.js';
import type { TestService } from './support.js';

/** Reads the activity log of an account, oldest first. */
export const readActivities = (service: TestService, accountId: string): Promise<Selectable<ActivitiesTable>[]> =>
  withMetadata(service.dataDir, ({ db }) =>
    db.selectFrom('activities').selectAll().where('account_id', '=', accountId).orderBy('created_at').orderBy('action').execute(),
  );
