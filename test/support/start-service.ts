import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServiceOptions {
  host: string;
  port: number;
  s3Port: number;
  dataDir: string;
  env?: NodeJS.ProcessEnv;
}

export interface RunningService {
  /** Path of the file with its output. */
  log: string;
  pid: number;
  /** Resolves with a message and the end of the log when the process has ended. */
  ended: Promise<string>;
  /** Stops the service and waits for its end. SIGTERM grants its drain time. @default SIGTERM */
  stop(signal?: 'SIGINT' | 'SIGTERM'): Promise<void>;
}

/** Starts the built `svc-blob serve` as a process and waits until it is ready. @throws Error with the end of its log */
export async function startService({ host, port, s3Port, dataDir, env = process.env }: ServiceOptions): Promise<RunningService> {
  const log = join(dataDir, 'service.log');
  const out = await open(log, 'a');
  const args = ['dist/cli.js', 'serve', '--host', host, '--port', `${port}`, '--s3-port', `${s3Port}`, '--data-dir', dataDir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', out.fd, out.fd], env });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = exit.then(async ([code, signal]) => {
    await out.close();
    const tail = (await readFile(log, 'utf8')).trimEnd().split('\n').slice(-10).join('\n');
    return `The service ended (${signal ?? `exit ${code}`}). The end of its log, ${log}:\n${tail}`;
  });
  const stop = async (signal: 'SIGINT' | 'SIGTERM' = 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  const probe = host === '0.0.0.0' ? '127.0.0.1' : host;
  for (;;) {
    const ready = await fetch(`http://${probe}:${port}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return { log, pid: child.pid!, ended, stop };
    const why = await Promise.race([ended, sleep(100)]);
    if (typeof why === 'string') throw new Error(why);
  }
}
