import { Hono } from 'hono';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { createFault } from './network-faults.js';
import { NetworkLog } from './network-log.js';
import { NETWORK_MODES } from './network-modes.js';
import type { NetworkMode } from './network-modes.js';

/** A proxy before the storage, whose faults the visitors of the playground choose. */
export interface SimulatedNetwork {
  port: number;
  /** `GET /` returns the mode and the last id, and with `?after=ID` later entries. `POST / {mode}` sets the mode. */
  routes: Hono;
  close(): Promise<void>;
}

/** @param storage base address of Blob Storage */
export async function startSimulatedNetwork(storage: string, host: string): Promise<SimulatedNetwork> {
  const log = new NetworkLog();
  const proxy = await startFaultProxy(storage, { host, keep: 0, onRefused: () => log.refused() });
  let mode: NetworkMode = 'clear';
  let fault = createFault(mode);
  proxy.on({
    // GET reads the limits of a token. It always passes, so that the page can explain itself.
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
    const body = (await c.req.json().catch(() => null)) as { mode?: unknown } | null;
    const requested = NETWORK_MODES.find((known) => known === body?.mode);
    if (!requested) {
      const message = `mode must be one of ${NETWORK_MODES.join(', ')}`;
      return c.json({ code: 'VALIDATION_ERROR', message, path: 'mode' }, 400);
    }
    mode = requested;
    fault = createFault(mode);
    log.mode(mode);
    if (mode === 'offline') proxy.offline();
    else proxy.online();
    return c.json({ mode });
  });
  return { port: proxy.port, routes, close: () => proxy.close() };
}
