import { isWithin } from '../../../../src/protocol/paths.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { WebhookEvent } from '../../drivers/metadata/webhook-tables.js';
import { newId } from '../../runtime/ids.js';
import type { StorageContext } from '../context.js';
import type { FileEvent } from './file-event.js';

/** Rows of one insert. Databases limit the parameters of a query. */
const ROWS_PER_INSERT = 500;

const webhooksOf = preparedQuery<{ bucketId: string }>()((query, { bucketId }) =>
  query
    .selectFrom('webhooks')
    .select(['id', 'events_json', 'prefix'])
    .where('bucket_id', '=', bucketId)
    .where('stopped_at', 'is', null)
    .where('deleted_at', 'is', null),
);

interface Subscription {
  id: string;
  events: WebhookEvent[];
  prefix: string;
}

/** Finds the webhooks of a bucket that receive some of these events. */
export async function subscriptionsOf(query: Query, bucketId: string, types?: WebhookEvent): Promise<Subscription[]> {
  const rows = await webhooksOf.all(query, { bucketId });
  return rows
    .map(({ id, events_json, prefix }) => ({ id, events: JSON.parse(events_json) as WebhookEvent[], prefix }))
    .filter(({ events }) => types === undefined || events.includes(types));
}

const isInFolder = (path: string, prefix: string): boolean => prefix === '' || isWithin(path, prefix);

/**
 * Writes the deliveries of events in the transaction of the change, so that an event has its deliveries if and only if the change was
 * committed. Writes nothing without a webhook.
 * @param events creates the events. Not called without a webhook.
 */
export async function recordEvents(
  context: StorageContext,
  query: Query,
  bucketId: string,
  events: () => FileEvent[],
): Promise<void> {
  const subscriptions = await subscriptionsOf(query, bucketId);
  if (subscriptions.length === 0) return;
  const now = context.now();
  const rows = events().flatMap(({ type, paths, data }) => {
    const receivers = subscriptions.filter(
      ({ events: wanted, prefix }) => wanted.includes(type) && paths.some((path) => isInFolder(path, prefix)),
    );
    if (receivers.length === 0) return [];
    const data_json = JSON.stringify(data);
    return receivers.map((webhook) => ({
      id: newId('msg'),
      webhook_id: webhook.id,
      event: type,
      data_json,
      status: 'pending' as const,
      attempts: 0,
      attempts_json: '[]',
      due_at: now,
      lease: null,
      created_at: now,
      settled_at: null,
    }));
  });
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
    await query
      .insertInto('webhook_deliveries')
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .execute();
  if (rows.length > 0) context.reportEvents();
}
