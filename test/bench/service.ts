import { execFileSync } from 'node:child_process';
import { Agent } from 'node:http';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { put, putMany } from './load.js';
import type { Put } from './load.js';
import { benchMemory } from './memory.js';
import { cpuSeconds, settleDisk } from './process.js';
import { median, printTable } from './report.js';
import type { Row } from './report.js';
import { benchSessions, benchUploadsBesideSignIns } from './sign-ins.js';
import { startCeph, startNginx, startOurs } from './servers.js';
import type { BenchServer, Ours } from './servers.js';
import { startTusServer, tusUpload } from './tus.js';
import type { TusServer } from './tus.js';

const RUNS = Number(process.env['BENCH_RUNS'] ?? 3);
const GIB = 1024 ** 3;
const SMALL = Buffer.alloc(10 * 1024, 'svc');
const CHUNK = Buffer.alloc(1024 * 1024, 7);

type Contender = Omit<BenchServer, 'target'>;

interface Figures {
  rate: number;
  cpu: number;
}

/** Measures one durable flush on this disk (append 10 KiB, fdatasync), in microseconds. */
async function benchFlush(): Promise<void> {
  const folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'svc-flush-'));
  const file = openSync(join(folder, 'x'), 'w');
  const times = Array.from({ length: 200 }, () => {
    const began = performance.now();
    writeSync(file, SMALL);
    fdatasyncSync(file);
    return (performance.now() - began) * 1000;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  console.log(`\nOne flush of 10 KiB costs ${Math.round(median(times))} µs on this disk.`);
}

/** @param flush a file that is flushed before the clock stops */
async function oneLarge(server: Contender, target: Put, flush?: string): Promise<Figures> {
  const agent = new Agent({ keepAlive: true });
  const [began, cpu] = [performance.now(), cpuSeconds(server.pids)];
  await put(agent, target, GIB, CHUNK);
  if (flush !== undefined) execFileSync('sync', ['--data', flush]);
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  return { rate: 1024 / seconds, cpu: cpuSeconds(server.pids) - cpu };
}

async function manySmall(server: BenchServer, run: number, concurrency: number): Promise<Figures> {
  const count = concurrency === 1 ? 500 : 3000;
  const cpu = cpuSeconds(server.pids);
  const seconds = await putMany((index) => server.target(`small/${concurrency}/${run}/${index}.bin`), count, concurrency, SMALL);
  return { rate: count / seconds, cpu: ((cpuSeconds(server.pids) - cpu) / count) * 1e6 };
}

/** Measures the servers in turn, so that a slower machine slows all of them. The first run warms up and does not count. */
async function measure<Server extends Contender>(
  servers: Server[],
  unit: [string, string],
  once: (server: Server, run: number) => Promise<Figures>,
): Promise<Row[]> {
  const results = new Map(servers.map((server) => [server, [] as Figures[]]));
  for (let run = 0; run <= RUNS; run++) {
    for (const server of servers) {
      settleDisk();
      const result = await once(server, run);
      if (run > 0) results.get(server)!.push(result);
    }
  }
  const first = median(results.get(servers[0]!)!.map((one) => one.rate));
  return servers.map((server): Row => {
    const rate = median(results.get(server)!.map((one) => one.rate));
    return {
      server: server.name,
      'flushed before response': server.durable,
      [unit[0]]: rate,
      [unit[1]]: median(results.get(server)!.map((one) => one.cpu)),
      'svc-uploader is … times as fast': first / rate,
    };
  });
}

/** Runs a measurement over the servers that this machine can start. */
async function among<Server extends Contender>(
  starts: (() => Promise<Server | undefined>)[],
  work: (servers: Server[]) => Promise<void>,
): Promise<void> {
  const servers: Server[] = [];
  try {
    for (const start of starts) {
      const server = await start();
      if (server) servers.push(server);
    }
    if (servers.length < starts.length)
      console.log(`\n${starts.length - servers.length} of the peers cannot be had here: left out.`);
    await work(servers);
  } finally {
    for (const server of servers) await server.stop();
  }
}

const LARGE_UNIT: [string, string] = ['MiB/s', 'server CPU s a GiB'];

const benchLarge = (): Promise<void> =>
  among<BenchServer>([startOurs, startNginx], async (servers) => {
    // Repeats the measurement with a flush, which this product does before each response.
    const contenders = servers.flatMap((server): BenchServer[] => {
      const { stored, ...quick } = server;
      return stored ? [quick, { ...server, name: `${server.name}, then flushed`, durable: 'yes' }] : [server];
    });
    const rows = await measure(contenders, LARGE_UNIT, (server, run) => {
      const path = `large/${server.durable}/${run}.bin`;
      return oneLarge(server, server.target(path), server.stored?.(path));
    });
    printTable('PUT of 1 GiB', rows);
  });

const benchSmall = (): Promise<void> =>
  among<BenchServer>([startOurs, startNginx, startCeph], async (servers) => {
    for (const concurrency of [1, 16, 64]) {
      const rows = await measure(servers, ['files/s', 'server CPU µs a file'], (server, run) =>
        manySmall(server, run, concurrency),
      );
      printTable(`PUT of 10 KiB, ${concurrency} at once`, rows);
    }
  });

const benchTus = (): Promise<void> =>
  among<TusServer>([() => startOurs().then(overTus), startTusServer], async (servers) => {
    const rows = await measure(servers, LARGE_UNIT, async (server) => oneLarge(server, await server.upload(GIB)));
    printTable('Resumable upload (tus) of 1 GiB', rows);
  });

const overTus = (ours: Ours): TusServer => ({
  ...ours,
  upload: (size) => tusUpload(`${ours.url}/v1/uploads`, size, { authorization: `Bearer ${ours.key}` }),
});

const benchTokens = (): Promise<void> =>
  among<Ours>([startOurs], async ([ours]) => {
    const { url, key } = ours!;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const mint: Put = { url: `${url}/v1/upload-tokens`, method: 'POST', headers };
    const count = 3000;
    const rows = await measure([ours!], ['tokens/s', 'server CPU µs a token'], async (server) => {
      const cpu = cpuSeconds(server.pids);
      const seconds = await putMany(() => mint, count, 16, Buffer.from('{"prefix":"bench","max_uses":10}'));
      return { rate: count / seconds, cpu: ((cpuSeconds(server.pids) - cpu) / count) * 1e6 };
    });
    printTable('Upload tokens minted, 16 at once', rows);
  });

const PARTS: Record<string, () => Promise<void>> = {
  flush: benchFlush,
  large: benchLarge,
  small: benchSmall,
  tus: benchTus,
  tokens: benchTokens,
  memory: benchMemory,
  sessions: benchSessions,
  'sign-ins': benchUploadsBesideSignIns,
};

/** Runs all parts, or the named ones. */
export async function benchService(parts: string[]): Promise<void> {
  const unknown = parts.filter((part) => !(part in PARTS));
  if (unknown.length > 0) throw new Error(`service has no part ${unknown.join(', ')}; it has ${Object.keys(PARTS).join(', ')}.`);
  for (const [part, bench] of Object.entries(PARTS)) if (parts.length === 0 || parts.includes(part)) await bench();
}
