import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addSampleFiles } from '../demo/backend/sample-files.js';
import { startDemo } from '../demo/backend/start.js';
import { build } from './build.js';
import { ensureDemoAdmin } from '../test/support/demo-admin.js';
import { ensureDemoKey } from '../test/support/demo-key.js';
import { assertPortsFree } from '../test/support/ports.js';
import { startService } from '../test/support/start-service.js';

// npm sends SIGTERM only to its shell. The shell dies, and this process gets another parent.
const parent = process.ppid;

/** Starts the service with embedded storage, an API key, an administrator and the demo, until SIGINT or SIGTERM. */
async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const host = env['HOST'] ?? '127.0.0.1';
  const [port, s3Port, demoPort] = (['PORT', 'S3_PORT', 'DEMO_PORT'] as const).map((name, index) => portOf(env, name, index));
  const dataDir = resolve(env['DATA_DIR'] ?? 'data');
  await assertPortsFree(host, { PORT: port!, S3_PORT: s3Port!, DEMO_PORT: demoPort! });
  await build({ ifStale: true });
  await mkdir(dataDir, { recursive: true });

  const admin = await ensureDemoAdmin(dataDir, env);
  // The playground adds files from links.
  const service = await startService({ host, port: port!, s3Port: s3Port!, dataDir, env: { FETCH: 'on', ...env } });
  const stop = new AbortController();
  let stopSignal: 'SIGINT' | 'SIGTERM' = 'SIGTERM';
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stopSignal = signal;
      stop.abort();
    });
  const watch = setInterval(() => process.ppid !== parent && stop.abort(), 500);
  void service.ended.then((reason) => {
    if (stop.signal.aborted) return;
    console.error(`\n${reason}`);
    process.exitCode = 1;
    stop.abort();
  });
  try {
    const hostname = host === '127.0.0.1' || host === '0.0.0.0' ? 'localhost' : host;
    const url = `http://${hostname}:${port}`;
    const { apiKey, file } = await ensureDemoKey(url, dataDir, env);
    if (admin?.isNew) await addSampleFiles({ url, apiKey });
    const demo = await startDemo({
      apiKey,
      url,
      s3Url: `http://${hostname}:${s3Port}`,
      host,
      port: demoPort!,
      dist: resolve('dist'),
    });
    console.log(
      [
        '',
        `  Demo          http://${hostname}:${demoPort}`,
        `  Blob Storage  ${url}      API reference: ${url}/docs`,
        `  S3 endpoint   http://${hostname}:${s3Port}`,
        `  API key       ${apiKey}`,
        `  Console       ${url}/console`,
        ...(admin ? [`                ${admin.email}, password ${admin.password}`] : []),
        '',
        `  The key is stored in ${file}${admin ? `, the password in ${admin.file}` : ''}, files in ${dataDir},`,
        `  the log of the service in ${service.log}. Press Ctrl+C to stop.`,
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
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${name} must be a port from 1 to 65535; got ${text}.`);
  return port;
}

await start(process.env).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
