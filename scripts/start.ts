import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { startDemo } from '../demo/backend/start.js';
import { build } from './build.js';
import { readyKey } from '../test/support/key.js';
import { assertFree } from '../test/support/ports.js';
import { startService } from '../test/support/service.js';

// npm hands a SIGTERM to its shell alone, which dies of it and tells nobody: then this has another parent.
const parent = process.ppid;

/** `npm start`: the service with embedded storage, a ready key, the demo. Everything stops with SIGINT or SIGTERM. */
async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const host = env['HOST'] ?? '127.0.0.1';
  const [port, s3Port, demoPort] = (['PORT', 'S3_PORT', 'DEMO_PORT'] as const).map((name, index) => portOf(env, name, index));
  const dataDir = resolve(env['DATA_DIR'] ?? 'data');
  await assertFree(host, { PORT: port!, S3_PORT: s3Port!, DEMO_PORT: demoPort! });
  await build({ ifStale: true });
  await mkdir(dataDir, { recursive: true });

  const service = await startService({ host, port: port!, s3Port: s3Port!, dataDir, env });
  const stop = new AbortController();
  let stopSignal: 'SIGINT' | 'SIGTERM' = 'SIGTERM';
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stopSignal = signal;
      stop.abort();
    });
  const watch = setInterval(() => process.ppid !== parent && stop.abort(), 500);
  void service.ended.then((why) => {
    if (stop.signal.aborted) return;
    console.error(`\n${why}`);
    process.exitCode = 1;
    stop.abort();
  });
  try {
    const shown = host === '127.0.0.1' || host === '0.0.0.0' ? 'localhost' : host;
    const url = `http://${shown}:${port}`;
    const { apiKey, file } = await readyKey(url, dataDir, env);
    const demo = await startDemo({
      apiKey,
      url,
      s3Url: `http://${shown}:${s3Port}`,
      host,
      port: demoPort!,
      dist: resolve('dist'),
    });
    console.log(
      [
        '',
        `  Demo          http://${shown}:${demoPort}`,
        `  Blob Storage  ${url}      API reference: ${url}/docs`,
        `  S3 endpoint   http://${shown}:${s3Port}`,
        `  API key       ${apiKey}`,
        '',
        `  The key is kept in ${file}, files in ${dataDir},`,
        `  the service's log in ${service.log}. Stop with Ctrl+C.`,
        '',
      ].join('\n'),
    );
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    await demo.close();
  } finally {
    clearInterval(watch);
    stop.abort();
    await service.stop(stopSignal);
  }
}

const DEFAULTS = [8080, 9000, 5173];

function portOf(env: NodeJS.ProcessEnv, name: string, index: number): number {
  const text = env[name] ?? String(DEFAULTS[index]);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${name}=${text}: must be a port from 1 to 65535.`);
  return port;
}

await start(process.env).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
