import { Agent } from 'node:http';
import { get, put, runMany } from './load.js';
import { cpuSeconds, settleDisk } from './process.js';
import { median, printTable } from './report.js';
import type { Row } from './report.js';
import { signed } from './s3-sign.js';
import { startCephS3, startOurS3, startS3rver } from './s3-servers.js';
import type { S3Server } from './s3-servers.js';

const RUNS = Number(process.env['BENCH_RUNS'] ?? 3);
const CONCURRENCY = 32;
const COUNT = 3000;
const GIB = 1024 ** 3;
const SMALL = Buffer.alloc(10 * 1024, 'svc');
const CHUNK = Buffer.alloc(1024 * 1024, 7);

interface Result {
  seconds: number;
  cpu: number;
}

type Job = (server: S3Server, run: number) => Promise<Result>;

async function timed(server: S3Server, job: () => Promise<void>): Promise<Result> {
  const [began, cpu] = [performance.now(), cpuSeconds(server.pids)];
  await job();
  return { seconds: (performance.now() - began) / 1000, cpu: cpuSeconds(server.pids) - cpu };
}

const path = (server: S3Server, name: string) => `/${server.bucket}/${name}`;

const putSmall: Job = (server, run) =>
  timed(server, () =>
    runMany(COUNT, CONCURRENCY, (agent, index) =>
      put(agent, signed(server, 'PUT', path(server, `small/${run}/${index}`)), SMALL.length, SMALL),
    ),
  );

const getSmall: Job = (server, run) =>
  timed(server, () =>
    runMany(COUNT, CONCURRENCY, async (agent, index) => {
      await get(agent, signed(server, 'GET', path(server, `small/${run}/${index}`)), SMALL.length);
    }),
  );

const putLarge: Job = (server, run) =>
  timed(server, () => runMany(1, 1, (agent) => put(agent, signed(server, 'PUT', path(server, `large/${run}`)), GIB, CHUNK)));

const getLarge: Job = (server, run) =>
  timed(server, () => runMany(1, 1, (agent) => get(agent, signed(server, 'GET', path(server, `large/${run}`)), GIB)));

const remove = (server: S3Server, name: string) =>
  runMany(1, 1, (agent) => put(agent, signed(server, 'DELETE', path(server, name)), 0, CHUNK));

/** Measures the engines in turn, so that a slower machine slows all of them. The first run warms up and does not count. */
async function measure(
  servers: S3Server[],
  jobs: Job[],
  after?: (server: S3Server, run: number) => Promise<void>,
): Promise<Map<S3Server, Result>[]> {
  const results = jobs.map(() => new Map(servers.map((server) => [server, [] as Result[]])));
  for (let run = 0; run <= RUNS; run++) {
    for (const server of servers) {
      for (const [at, job] of jobs.entries()) {
        settleDisk();
        const result = await job(server, run);
        if (run > 0) results[at]!.get(server)!.push(result);
      }
      await after?.(server, run);
    }
  }
  const medians = (all: Result[]) => ({ seconds: median(all.map((one) => one.seconds)), cpu: median(all.map((one) => one.cpu)) });
  return results.map((byServer) => new Map([...byServer].map(([server, all]) => [server, medians(all)])));
}

function print(title: string, results: Map<S3Server, Result>, columns: (result: Result) => Row): void {
  const rows = [...results].map(([server, result]) => ({
    engine: server.name,
    'flushed before response': server.durable,
    ...columns(result),
  }));
  printTable(title, rows);
}

/** Measures PUT and GET of 10 KiB, 32 at once, and of 1 GiB, on this product and on other S3 engines that install here. */
export async function benchS3(): Promise<void> {
  const servers: S3Server[] = [];
  try {
    servers.push(await startOurS3());
    for (const start of [startCephS3, startS3rver]) {
      const peer = await start();
      if (!peer) continue;
      servers.push(peer);
      await runMany(1, 1, (agent: Agent) => put(agent, signed(peer, 'PUT', `/${peer.bucket}`), 0, CHUNK)).catch(() => undefined);
    }
    const small = await measure(servers, [putSmall, getSmall]);
    const perRequest = ({ seconds, cpu }: Result) => ({
      'requests/s': COUNT / seconds,
      'engine CPU µs a request': (cpu / COUNT) * 1e6,
    });
    print(`S3 PUT of 10 KiB, ${CONCURRENCY} at once`, small[0]!, perRequest);
    print(`S3 GET of 10 KiB, ${CONCURRENCY} at once`, small[1]!, perRequest);
    const large = await measure(servers, [putLarge, getLarge], (server, run) => remove(server, `large/${run}`));
    const perGib = ({ seconds, cpu }: Result) => ({ 'MiB/s': 1024 / seconds, 'engine CPU s a GiB': cpu });
    print('S3 PUT of 1 GiB', large[0]!, perGib);
    print('S3 GET of 1 GiB', large[1]!, perGib);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
