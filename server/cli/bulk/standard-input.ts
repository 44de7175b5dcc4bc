import { aborted } from '../../../src/s3/waiting.js';

/** Standard input until the run is stopped: whoever writes to it may never say another word. */
export function standardInput(signal: AbortSignal | undefined): NodeJS.ReadStream {
  const { stdin } = process;
  // It is told to who reads; nobody may read yet.
  stdin.on('error', () => {});
  if (signal?.aborted) stdin.destroy(aborted(signal));
  signal?.addEventListener('abort', () => stdin.destroy(aborted(signal)), { once: true });
  return stdin;
}
