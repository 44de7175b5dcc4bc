import type { MessagePort } from 'node:worker_threads';
import { NodeWire } from '../http/http-client.js';
import { fillHere } from './download-to-file.js';
import { toFailure } from './messages.js';
import type { Order, Report, Setting } from './messages.js';

/** Progress is told so often, in milliseconds: often enough for who looks at it. */
const TELL_MS = 100;

/** Fills files by what comes over a wire of its own, as it is told through the port. */
export function serve(port: MessagePort, { tls, stallSeconds }: Setting): void {
  let proxy: string | undefined;
  const wire = new NodeWire({ tls, stallSeconds, proxy: () => (proxy === undefined ? undefined : new URL(proxy)) });
  const stoppers = new Map<number, AbortController>();
  const untold = new Map<number, number>();
  const report = (what: Report): void => port.postMessage(what);
  setInterval(() => {
    for (const [id, moved] of untold) report({ id, moved });
    untold.clear();
  }, TELL_MS).unref();

  port.on('message', (order: Order) => {
    if ('stop' in order) return stoppers.get(order.stop)?.abort();
    const { id } = order;
    const stopper = new AbortController();
    stoppers.set(id, stopper);
    let heard = false;
    const moved = (bytes: number): void => {
      heard = true;
      untold.set(id, (untold.get(id) ?? 0) + bytes);
    };
    const settle = (what: Report): void => {
      stoppers.delete(id);
      // Whoever hears the end knows how much it was.
      untold.delete(id);
      report(what);
    };
    // Asked for while the request is sent, which is now.
    proxy = order.proxy;
    fillHere(wire, { ...order.request, signal: stopper.signal, into: { ...order.into, moved } }).then(
      (answer) => settle({ id, answer }),
      (error: unknown) => settle({ id, failure: toFailure(error), heard }),
    );
    return undefined;
  });
}
