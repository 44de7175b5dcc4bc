import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { keyOf } from './line-log.js';
import type { Mode } from './line.js';

const SLOW = 1_000_000;

const refusal = (status: number, code: string, message: string, details: Record<string, unknown>): Fault => ({
  answer: {
    status,
    body: { code, message, details },
    headers: typeof details['retry_after'] === 'number' ? { 'retry-after': String(details['retry_after']) } : {},
  },
});

/** So many bytes a second for everything together, not for each request. */
function slow(): () => Fault {
  let free = 0;
  const pace = (bytes: number): Promise<void> => {
    free = Math.max(free, Date.now()) + (bytes / SLOW) * 1000;
    return sleep(free - Date.now());
  };
  return () => ({ pace });
}

/** How often in a row one file is broken: where chance has no end, a visitor waits a minute for one of many. */
const IN_A_ROW = 4;

/** Breaks about half of the uploads: cut somewhere in the middle, or stored with the answer lost. */
function flaky(): (seen: SeenRequest) => Fault {
  const broken = new Map<string, number>();
  return (seen) => {
    const key = keyOf(seen);
    const times = broken.get(key) ?? 0;
    const dice = Math.random();
    if (times === IN_A_ROW || dice >= 0.5) {
      broken.delete(key);
      return {};
    }
    broken.set(key, times + 1);
    return dice < 0.3
      ? { cutRequestAt: Math.floor(Math.random() * Number(seen.headers['content-length'] ?? 1)) }
      : { dropAnswer: true };
  };
}

/** Sends away every other request. */
function busy(): () => Fault {
  let turn = 0;
  return () => (turn++ % 2 === 0 ? refusal(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests.', { retry_after: 2 }) : {});
}

/** The token with which a file comes first has expired; only with another one does it pass. */
function expired(): (seen: SeenRequest) => Fault {
  const refused = new Map<string, string>();
  return (seen) => {
    const key = keyOf(seen);
    const { authorization = '' } = seen.headers;
    if ((refused.get(key) ?? authorization) !== authorization) return {};
    refused.set(key, authorization);
    return refusal(401, 'BLOB_UPLOAD_TOKEN_INVALID', 'The upload token has expired.', { reason: 'expired' });
  };
}

/** What a mode does to each request, beginning anew. */
export function faultOf(mode: Mode): (seen: SeenRequest) => Fault {
  switch (mode) {
    case 'slow':
      return slow();
    case 'flaky':
      return flaky();
    case 'busy':
      return busy();
    case 'expired':
      return expired();
    default:
      return () => ({});
  }
}
