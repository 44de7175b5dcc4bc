import type { QueueItem } from '../queue-item.js';

/** Forgets the failures of a file that is sent again as if for the first time. */
export function resetRetries(item: QueueItem): void {
  item.failures = item.outageFailures = item.waitedMs = item.tokenRefusals = item.restarts = 0;
  const code = item.state.status === 'failed' ? item.state.error.code : undefined;
  if (code !== 'CHECKSUM_MISMATCH' && code !== 'IDEMPOTENCY_KEY_REUSED') return;
  // With the same key the service would return the damaged file, or refuse it again.
  item.idempotencyKey = undefined;
  item.hasStarted = item.isContinued = false;
  item.confirmedBytes = 0;
}
