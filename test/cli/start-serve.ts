import { once } from 'node:events';
import { startCommand } from './run-command.js';

export interface ServingCommand {
  url: string;
  s3Url: string;
  /** Everything that the command has written to standard output: the log. */
  readLog(): string;
  kill(signal: 'SIGINT' | 'SIGTERM'): void;
  /** Resolves with the exit status. */
  ended: Promise<number | null>;
}

/**
 * Starts `svc-blob serve` on free ports and waits until it listens.
 * @throws Error with the output of the command, if it ends instead
 */
export async function startServe(dataDir: string, ...flags: string[]): Promise<ServingCommand> {
  const child = startCommand(['serve', '--data-dir', dataDir, '--port', '0', '--s3-port', '0', ...flags]);
  const ended = once(child, 'close').then(([status]: (number | null)[]) => status ?? null);
  const output = { log: '', messages: '' };
  child.stdout.on('data', (chunk) => (output.log += String(chunk)));
  const addresses = new Promise<[url: string, s3Url: string]>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      output.messages += String(chunk);
      const [, url, s3Url] = /listens on (\S+), S3 on ([^\s;]+)/.exec(output.messages) ?? [];
      if (url !== undefined && s3Url !== undefined) resolve([url, s3Url]);
    });
    void ended.then((status) => reject(new Error(`svc-blob serve ended with ${status}: ${output.messages}`)));
  });
  const [url, s3Url] = await addresses;
  return { url, s3Url, readLog: () => output.log, kill: (signal) => void child.kill(signal), ended };
}
