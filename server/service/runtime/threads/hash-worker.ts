import type { Tools } from './start-worker.js';

/** Bytes to be hashed for one or more lanes at once, or a lane's end. */
export type HashOrder =
  | { lanes: readonly number[]; bytes: Uint8Array }
  | { open: number; algorithms: readonly string[] }
  | { end: number }
  | { drop: number };

/** Answers in the order of the orders: one for each `bytes`, and the digests, hex, of each lane that ends. */
export type HashAnswer = { done: true } | { digests: string[] };

/** Runs in a thread of its own: many bodies' hashes, a lane for each. */
export function hashWorker({ port, crypto }: Tools): void {
  const lanes = new Map<number, import('node:crypto').Hash[]>();
  port.on('message', (order: HashOrder) => {
    if ('open' in order)
      lanes.set(
        order.open,
        order.algorithms.map((name) => crypto.createHash(name)),
      );
    else if ('drop' in order) lanes.delete(order.drop);
    else if ('end' in order) {
      const digests = lanes.get(order.end)!.map((hash) => hash.digest('hex'));
      lanes.delete(order.end);
      port.postMessage({ digests } satisfies HashAnswer);
    } else {
      for (const lane of order.lanes) for (const hash of lanes.get(lane)!) hash.update(order.bytes);
      port.postMessage({ done: true } satisfies HashAnswer);
    }
  });
}
