import { BlobError } from '../../protocol/errors.js';

/** An event of a response of the type `text/event-stream`. */
export interface ServerEvent {
  name: string;
  data: string;
}

/**
 * Reads server-sent events. `EventSource` cannot send a token or a body.
 * @param onActivity called for every piece that arrives, also for comments
 * @throws BlobError `NETWORK_ERROR` if the response breaks off; the signal's reason
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function* readEvents(
  response: Response,
  signal: AbortSignal,
  onActivity: () => void,
): AsyncGenerator<ServerEvent, void> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      onActivity();
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const data = fieldOf(block, 'data');
        if (data !== '') yield { name: fieldOf(block, 'event'), data };
      }
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new BlobError('NETWORK_ERROR', 'The response broke off.', { cause });
  } finally {
    // Ends the fetch at the service if the page does not accept the file.
    void reader.cancel().catch(() => {});
  }
}

/** Returns the value of a field of an event. The service sends one line of each. */
function fieldOf(block: string, name: string): string {
  const line = block.split('\n').find((one) => one.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim() ?? '';
}
