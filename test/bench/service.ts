import { Agent } from 'node:http';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { put, putMany } from './load.js';
import { cpuSeconds, peakMiB } from './process.js';
import { median, printTable } from './report.js';
import type { Row } from './report.js';
import { startNginx, startOurs } from './servers.js';
import type { BenchServer } from './servers.js';

const RUNS = Number(process.env['BENCH_RUNS'] ?? 3);
const GIB = 1024 ** 3;
const SMALL = Buffer.alloc(10 * 1024, 'svc');
const CHUNK = Buffer.alloc(1024 * 1024, 7);

/** What one durable flush costs on this disk: append 10 KiB, fdatasync, in microseconds. */
function flushCost(): number {
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
  return median(times);
}

async function large(server: BenchServer, run: number): Promise<{ rate: number; cpu: number }> {
  const agent = new Agent({ keepAlive: true });
  const [began, cpu] = [performance.now(), cpuSeconds(server.pids)];
  await put(agent, server.target(`large/${run}.bin`), GIB, CHUNK);
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  return { rate: 1024 / seconds, cpu: cpuSeconds(server.pids) - cpu };
}

async function small(server: BenchServer, run: number, concurrency: number): Promise<{ rate: number; cpu: number }> {
  const count = concurrency === 1 ? 500 : 3000;
  const cpu = cpuSeconds(server.pids);
  const seconds = await putMany((index) => server.target(`small/${concurrency}/${run}/${index}.bin`), count, concurrency, SMALL);
  return { rate: count / seconds, cpu: ((cpuSeconds(server.pids) - cpu) / count) * 1e6 };
}

/** Interleaves the servers run by run, so that a drift of the machine hits them alike. */
async function measure(
  servers: BenchServer[],
  unit: [string, string],
  once: (server: BenchServer, run: number) => Promise<{ rate: number; cpu: number }>,
) {
  const results = new Map(servers.map((server) => [server, [] as { rate: number; cpu: number }[]]));
  for (let run = 0; run <= RUNS; run++) {
    for (const server of servers) {
      const result = await once(server, run);
      if (run > 0) results.get(server)!.push(result);
    }
  }
  const first = median(results.get(servers[0]!)!.map((one) => one.rate));
  return servers.map((server): Row => {
    const rate = median(results.get(server)!.map((one) => one.rate));
    return {
      server: server.name,
      'flushed before answered': server.durable,
      [unit[0]]: rate,
      [unit[1]]: median(results.get(server)!.map((one) => one.cpu)),
      'svc-uploader is … times as fast': first / rate,
    };
  });
}

export async function benchService(): Promise<void> {
  const ours = await startOurs();
  const nginx = await startNginx();
  const servers: BenchServer[] = [ours, ...(nginx ? [nginx] : [])];
  if (!nginx) console.log('nginx is not installed here: it is left out.');
  try {
    console.log(`One flush of 10 KiB costs ${Math.round(flushCost())} µs on this disk.`);
    printTable('PUT of 1 GiB', await measure(servers, ['MiB/s', 'server CPU s a GiB'], large));
    for (const concurrency of [1, 16, 64]) {
      const rows = await measure(servers, ['files/s', 'server CPU µs a file'], (server, run) => small(server, run, concurrency));
      printTable(`PUT of 10 KiB, ${concurrency} at once`, rows);
    }
    const mint = {
      url: `${ours.url}/v1/upload-tokens`,
      method: 'POST',
      headers: { authorization: `Bearer ${ours.key}`, 'content-type': 'application/json' },
    };
    const seconds = await putMany(() => mint, 2000, 16, Buffer.from('{"prefix":"bench","max_uses":10}'));
    printTable('Upload tokens minted, 16 at once', [{ server: ours.name, 'tokens/s': 2000 / seconds }]);
    printTable(
      'Peak memory of the above',
      servers.map((server) => ({ server: server.name, MiB: peakMiB(server.pids) })),
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
