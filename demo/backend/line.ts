import { Hono } from 'hono';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { LineLog } from './line-log.js';
import { faultOf } from './line-modes.js';

/** What a visitor can do to the line between the page and the storage. The playground's uploads go through it. */
export const MODES = ['clear', 'slow', 'flaky', 'busy', 'expired', 'offline'] as const;
export type Mode = (typeof MODES)[number];

export interface Line {
  port: number;
  /** `GET /` tells the mode and the last id, with `?after=ID` also what came after it; `POST / {mode}` sets the mode. */
  routes: Hono;
  close(): Promise<void>;
}

/** Listens as a proxy before the storage, which does what visitors tell it. */
export async function startLine(storage: string, host: string): Promise<Line> {
  const log = new LineLog();
  const proxy = await startFaultProxy(storage, { host, keep: 0, onRefused: () => log.refused() });
  let mode: Mode = 'clear';
  let fault = faultOf(mode);
  proxy.on({
    // Tokens are looked at, uploads are broken: learning a token's limits always works, so the page explains itself.
    when: ({ method }) => method !== 'GET',
    fault(seen) {
      log.request(seen);
      return fault(seen);
    },
  });

  const routes = new Hono();
  routes.get('/', (c) => {
    const after = Number(c.req.query('after') ?? log.last);
    return c.json({ mode, last: log.last, entries: log.after(after) }, 200, { 'cache-control': 'no-store' });
  });
  routes.post('/', async (c) => {
    const asked = (await c.req.json().catch(() => null)) as { mode?: unknown } | null;
    const found = MODES.find((one) => one === asked?.mode);
    if (!found)
      return c.json({ code: 'VALIDATION_ERROR', message: `mode: must be one of ${MODES.join(', ')}`, path: 'mode' }, 400);
    mode = found;
    fault = faultOf(mode);
    log.mode(mode);
    if (mode === 'offline') proxy.offline();
    else proxy.online();
    return c.json({ mode });
  });
  return { port: proxy.port, routes, close: () => proxy.close() };
}
