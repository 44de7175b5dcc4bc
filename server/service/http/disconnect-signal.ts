import type { ServerResponse } from 'node:http';
import { incompleteBody } from './minimum-rate.js';

/** Returns a signal that aborts when the client disconnects before the end of the response. Its reason is that of `incompleteBody`. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(incompleteBody());
  });
  return controller.signal;
}
