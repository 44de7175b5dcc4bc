import type { FileRecord } from '../../../src/protocol/types.js';
import { formatTime } from '../../../src/protocol/time.js';
import type { OutboundClient } from '../outbound/outbound-client.js';
import { OutboundError } from '../outbound/outbound-error.js';
import { parseOutboundUrl } from '../outbound/parse-url.js';
import type { EventData, EventFile } from '../storage/events/file-event.js';
import { signMessage } from './signature.js';
import type { Attempt, DeliveryRow } from './webhook-rows.js';

/** An endpoint has this long to respond. It should accept the event first and process it afterwards. */
const TIMEOUT_MS = 15_000;

/** Converts the file of an event to its REST representation. */
export type RenderFile = (file: EventFile) => FileRecord;

/** Returns the body of a delivery: an object with `type`, `timestamp` and `data`. */
export function payloadOf({ event, created_at, data_json }: DeliveryRow, render: RenderFile): Record<string, unknown> {
  const { file, ...data } = JSON.parse(data_json) as EventData;
  return { type: event, timestamp: formatTime(created_at), data: { ...(file && { file: render(file) }), ...data } };
}

export interface SendOptions {
  url: string;
  secrets: readonly string[];
  render: RenderFile;
  /** ms since 1970. */
  now: number;
  /** Interrupts the attempt. */
  signal: AbortSignal;
}

/**
 * Sends one delivery, signed by the Standard Webhooks specification. Redirects count as failures.
 * @throws the reason of the signal if it aborts.
 */
export async function sendDelivery(client: OutboundClient, delivery: DeliveryRow, options: SendOptions): Promise<Attempt> {
  const { url, secrets, render, now, signal } = options;
  const body = JSON.stringify(payloadOf(delivery, render));
  const timestamp = Math.floor(now / 1000);
  const startedAt = performance.now();
  const finish = (result: Pick<Attempt, 'status' | 'error'>): Attempt => ({
    at: formatTime(now),
    ...result,
    duration_ms: Math.round(performance.now() - startedAt),
  });
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await client.send(parseOutboundUrl(url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'svc-uploader-webhooks',
        'webhook-id': delivery.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signMessage(secrets, delivery.id, timestamp, body),
      },
      body: Buffer.from(body),
      signal: AbortSignal.any([signal, timeout]),
    });
    // The body is of no interest. An endless one would hold the connection.
    response.on('error', () => {}).destroy();
    return finish({ status: response.statusCode!, error: null });
  } catch (cause) {
    signal.throwIfAborted();
    if (timeout.aborted) return finish({ status: null, error: 'timeout' });
    if (!(cause instanceof OutboundError)) throw cause;
    return finish({ status: null, error: cause.code });
  }
}
