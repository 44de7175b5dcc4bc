import type { Selectable } from 'kysely';
import type { WebhookDeliveriesTable, WebhookEvent, WebhooksTable } from '../drivers/metadata/webhook-tables.js';
import { provenanceOf } from '../identity/provenance.js';
import type { CreatorRow } from '../identity/provenance.js';
import { formatTime, formatTimeOrNull } from '../../../src/protocol/time.js';

export type WebhookRow = Selectable<WebhooksTable>;
export type DeliveryRow = Selectable<WebhookDeliveriesTable>;

/** A webhook as in the REST API, without its secret. */
export interface WebhookRecord {
  id: string;
  url: string;
  description: string;
  events: WebhookEvent[];
  /** The folder whose events are sent; empty for all. */
  prefix: string;
  status: 'enabled' | 'disabled' | 'suspended';
  /** The cause of the suspension. `permission`: the key or member that created it may no longer read. */
  suspended_reason: 'failing' | 'gone' | 'backlog' | 'permission' | null;
  suspended_at: string | null;
  /** The first failed attempt since the last success. */
  failing_since: string | null;
  /** When the secret before the last rotation stops signing. */
  previous_secret_expires_at: string | null;
  created_at: string;
}

/** One attempt to deliver an event. */
export interface Attempt {
  at: string;
  /** HTTP status; null without a response. */
  status: number | null;
  /** The reason for a missing response; null with a response. */
  error: string | null;
  duration_ms: number;
}

/** A delivery as in the REST API. */
export interface DeliveryRecord {
  id: string;
  event: WebhookEvent;
  status: DeliveryRow['status'];
  attempts: Attempt[];
  /** Null once it is delivered or failed. */
  next_attempt_at: string | null;
  created_at: string;
  settled_at: string | null;
}

export function toWebhook(row: WebhookRow & CreatorRow, now: number): WebhookRecord {
  const { stop_reason, previous_ends_at } = row;
  const mayRead = provenanceOf(row)?.mayRead ?? false;
  const isSuspended = stop_reason !== 'disabled' && (stop_reason !== null || !mayRead);
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: JSON.parse(row.events_json) as WebhookEvent[],
    prefix: row.prefix,
    status: stop_reason === 'disabled' ? 'disabled' : isSuspended ? 'suspended' : 'enabled',
    suspended_reason: isSuspended ? ((stop_reason as Exclude<typeof stop_reason, 'disabled'>) ?? 'permission') : null,
    suspended_at: isSuspended ? formatTimeOrNull(row.stopped_at) : null,
    failing_since: formatTimeOrNull(row.failing_since),
    previous_secret_expires_at: previous_ends_at !== null && previous_ends_at > now ? formatTime(previous_ends_at) : null,
    created_at: formatTime(row.created_at),
  };
}

export const toDelivery = (row: DeliveryRow): DeliveryRecord => ({
  id: row.id,
  event: row.event,
  status: row.status,
  attempts: JSON.parse(row.attempts_json) as Attempt[],
  next_attempt_at: row.status === 'pending' ? formatTime(row.due_at) : null,
  created_at: formatTime(row.created_at),
  settled_at: formatTimeOrNull(row.settled_at),
});
