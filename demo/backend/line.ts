import { Hono } from 'hono';
import type { Fault, FaultProxy, SeenRequest } from '../../test/setup/fault-proxy.js';

/** What a visitor can do to the line between the page and the storage. The playground's uploads go through it. */
export const MODES = ['clear', 'slow', 'flaky', 'busy', 'expired', 'offline'] as const;
export type Mode = (typeof MODES)[number];

/** One request as the playground's monitor shows it. */
export interface LineRequest {
  id: number;
  method: string;
  path: string;
  /** Bytes of the body that went through, and how many it has; null when unknown. */
  sent: number;
  size: number | null;
  status: number | null;
  outcome: 'open' | 'answered' | 'broken';
  faulted: boolean;
}

const SLOW = 400_000;
const SHOWN = 40;
const TOKEN_GOOD_FOR = 3;

const refusal = (status: number, code: string, message: string, details: Record<string, unknown>): Fault => ({
  answer: {
    status,
    body: { code, message, details },
    headers: typeof details['retry_after'] === 'number' ? { 'retry-after': String(details['retry_after']) } : {},
  },
});

/** Breaks about half of the uploads: cut somewhere in the middle, or stored with the answer lost. */
function flaky(seen: SeenRequest): Fault {
  const dice = Math.random();
  if (dice < 0.3) return { cutRequestAt: Math.floor(Math.random() * Number(seen.headers['content-length'] ?? 1)) };
  return dice < 0.5 ? { dropAnswer: true } : {};
}

/** Takes each token for expired once it has carried three requests, so that the files after them need a new one. */
function expiring(): (seen: SeenRequest) => Fault {
  const used = new Map<string, number>();
  return ({ headers: { authorization = '' } }) => {
    const uses = (used.get(authorization) ?? 0) + 1;
    used.set(authorization, uses);
    return uses <= TOKEN_GOOD_FOR
      ? {}
      : refusal(401, 'BLOB_UPLOAD_TOKEN_INVALID', 'The upload token has expired.', { reason: 'expired' });
  };
}

function faultOf(mode: Mode): (seen: SeenRequest) => Fault {
  let turn = 0;
  switch (mode) {
    case 'slow':
      return () => ({ bytesPerSecond: SLOW });
    case 'flaky':
      return flaky;
    case 'busy':
      return () => (turn++ % 2 === 0 ? refusal(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests.', { retry_after: 2 }) : {});
    case 'expired':
      return expiring();
    default:
      return () => ({});
  }
}

/** `GET /line` tells the mode and the last requests, `POST /line {mode}` sets the mode. */
export function createLine(proxy: FaultProxy): Hono {
  let mode: Mode = 'clear';
  let fault = faultOf(mode);
  const ids = new WeakMap<SeenRequest, number>();
  let next = 1;
  // Tokens are looked at, uploads are broken: learning a token's limits always works, so the page explains itself.
  proxy.on({ when: ({ method }) => method !== 'GET', fault: (seen) => fault(seen) });

  const shown = (seen: SeenRequest): LineRequest => {
    const length = seen.headers['content-length'];
    if (!ids.has(seen)) ids.set(seen, next++);
    return {
      id: ids.get(seen)!,
      method: seen.method,
      path: seen.path.split('?')[0]!,
      sent: seen.requestBytes,
      size: length === undefined ? null : Number(length),
      status: seen.status ?? null,
      outcome: seen.outcome,
      faulted: seen.faulted,
    };
  };

  const app = new Hono();
  app.get('/', (c) => {
    const requests = proxy.requests.filter(({ method }) => method !== 'OPTIONS').slice(-SHOWN);
    return c.json({ mode, requests: requests.map(shown) }, 200, { 'cache-control': 'no-store' });
  });
  app.post('/', async (c) => {
    const asked = ((await c.req.json().catch(() => ({}))) as { mode?: unknown }).mode;
    const found = MODES.find((one) => one === asked);
    if (!found)
      return c.json({ code: 'VALIDATION_ERROR', message: `mode: must be one of ${MODES.join(', ')}`, path: 'mode' }, 400);
    mode = found;
    fault = faultOf(mode);
    if (mode === 'offline') proxy.offline();
    else proxy.online();
    return c.json({ mode });
  });
  return app;
}
