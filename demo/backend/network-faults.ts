import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { requestKey } from './network-log.js';
import type { NetworkMode } from './network-modes.js';

type CreateFault = (seen: SeenRequest) => Fault;

const SLOW_BYTES_PER_SECOND = 1_000_000;

const refuse = (status: number, code: string, message: string, details: Record<string, unknown>): Fault => ({
  respond: {
    status,
    body: { code, message, details },
    headers: typeof details['retry_after'] === 'number' ? { 'retry-after': String(details['retry_after']) } : {},
  },
});

/** Limits the rate of all requests together. */
function slow(): CreateFault {
  let freeAt = 0;
  const beforeChunk = (bytes: number): Promise<void> => {
    freeAt = Math.max(freeAt, Date.now()) + (bytes / SLOW_BYTES_PER_SECOND) * 1000;
    return sleep(freeAt - Date.now());
  };
  return () => ({ beforeChunk });
}

/** Limits the failures of one file in a row. Without a limit, a visitor may wait a minute for one of many files. */
const MAX_FAILURES_IN_A_ROW = 4;

/** Breaks about half of the requests: the request is cut, or the file is stored and the response is lost. */
function flaky(): CreateFault {
  const failures = new Map<string, number>();
  return (seen) => {
    const key = requestKey(seen);
    const count = failures.get(key) ?? 0;
    const random = Math.random();
    if (count === MAX_FAILURES_IN_A_ROW || random >= 0.5) {
      failures.delete(key);
      return {};
    }
    failures.set(key, count + 1);
    if (random >= 0.3) return { dropResponse: true };
    return { cutRequestAt: Math.floor(Math.random() * Number(seen.headers['content-length'] ?? 1)) };
  };
}

/** Refuses every other request. */
function busy(): CreateFault {
  let count = 0;
  return () => (count++ % 2 === 0 ? refuse(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests.', { retry_after: 2 }) : {});
}

/** Refuses the first token of each file as expired. Any other token passes. */
function expired(): CreateFault {
  const refusedTokens = new Map<string, string>();
  return (seen) => {
    const key = requestKey(seen);
    const { authorization = '' } = seen.headers;
    if ((refusedTokens.get(key) ?? authorization) !== authorization) return {};
    refusedTokens.set(key, authorization);
    return refuse(401, 'BLOB_UPLOAD_TOKEN_INVALID', 'The upload token has expired.', { reason: 'expired' });
  };
}

/** @returns a function that decides the fault of each request, with fresh state */
export function createFault(mode: NetworkMode): CreateFault {
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
