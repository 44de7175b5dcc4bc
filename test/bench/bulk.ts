import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { startS3 } from '../setup/ceph.js';
import { peersFor } from './bulk-peers.js';
import type { Engine, Peer } from './bulk-peers.js';
import { median, printTable } from './report.js';
import type { Row } from './report.js';

const MiB = 1024 * 1024;
const BUCKET = 'bench-bulk';
/** Fewer rounds, for a quick look: BENCH_RUNS=1. */
const ROUNDS = Number(process.env['BENCH_RUNS'] ?? 3);
/** A peer that takes longer than this in its first round is measured once. Seconds. */
const PATIENCE = 15;

interface Figures {
  wall: number;
  cpu: number;
  peak: number;
}

/** Bulk transfers side by side with every peer the machine has: on a sink that discards bodies, and on a real store. */
export async function benchBulk(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bulk-bench-'));
  const sources = makeSources(folder);
  const sink = await startSink();
  try {
    await measureAll(sink.engine, folder, sources, true);
  } finally {
    sink.stop();
  }
  const ceph = await startS3();
  if (ceph !== undefined) {
    try {
      await measureAll({ name: 'Ceph', ...ceph }, folder, { ...sources, big: sources.half }, false);
    } finally {
      await ceph.stop();
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

function makeSources(folder: string) {
  const many = (name: string, count: number, bytes: () => Buffer): string => {
    const path = join(folder, name);
    mkdirSync(path);
    for (let i = 0; i < count; i++) writeFileSync(join(path, `f${String(i).padStart(6, '0')}`), bytes());
    return `${path}/`;
  };
  const one = (name: string, mib: number): string => {
    const path = join(folder, name);
    const fd = openSync(path, 'w');
    for (let i = 0; i < mib / 8; i++) writeSync(fd, randomBytes(8 * MiB));
    closeSync(fd);
    return path;
  };
  return {
    small: many('small', 5000, () => randomBytes(10_240)),
    mid: many('mid', 500, () => randomBytes(MiB)),
    big: one('big', 2048),
    // A store in memory holds no dozen copies of more.
    half: one('half', 512),
    tiny: many('tiny', 100_000, () => Buffer.from('x')),
  };
}

/** An empty folder to download to: to replace a file costs another thing than to make one. */
function fresh(folder: string): string {
  const path = join(folder, 'out');
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  return path;
}

async function startSink(): Promise<{ engine: Engine; stop: () => void }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/bench/null-sink.ts'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())));
  const engine = {
    name: 'null sink',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'bench',
    secretAccessKey: 'benchsecret',
  };
  return { engine, stop: () => child.kill() };
}

async function measureAll(engine: Engine, folder: string, sources: ReturnType<typeof makeSources>, sync: boolean): Promise<void> {
  const { endpoint, region, accessKeyId, secretAccessKey } = engine;
  const client = new S3Client({ endpoint, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const peers = peersFor(engine);
  const big = engine.name === 'Ceph' ? '1 x 512 MiB' : '1 x 2 GiB';
  const cases: [string, (peer: Peer) => string[]][] = [
    ['5,000 x 10 KiB up', (peer) => peer.up(sources.small, `${BUCKET}/small/`)],
    ['5,000 x 10 KiB down', (peer) => peer.down(`${BUCKET}/small/`, `${fresh(folder)}/`)],
    ['500 x 1 MiB up', (peer) => peer.up(sources.mid, `${BUCKET}/mid/`)],
    ['500 x 1 MiB down', (peer) => peer.down(`${BUCKET}/mid/`, `${fresh(folder)}/`)],
    [`${big} up`, (peer) => peer.up(sources.big, `${BUCKET}/big`)],
    [`${big} down`, (peer) => peer.down(`${BUCKET}/big`, join(fresh(folder), 'big'))],
  ];
  for (const [title, command] of cases) await measure(`${title}, ${engine.name}`, engine, peers, command);
  if (!sync) return;
  const able = peers.filter((peer) => peer.sync !== undefined);
  // Every peer is measured on what it uploaded itself, so that it finds its own notes of times.
  for (const peer of able) await run(peer, peer.sync!(sources.tiny, `${BUCKET}/sync-${peer.name.replaceAll(' ', '')}/`), engine);
  await measure(`sync that finds nothing to do, 100,000 objects, ${engine.name}`, engine, able, (peer) =>
    peer.sync!(sources.tiny, `${BUCKET}/sync-${peer.name.replaceAll(' ', '')}/`),
  );
}

async function measure(title: string, engine: Engine, peers: Peer[], command: (peer: Peer) => string[]): Promise<void> {
  const rows: Row[] = [];
  for (const peer of peers) {
    const rounds: Figures[] = [];
    let problem = '';
    for (let round = 0; round < ROUNDS && (round === 0 || (rounds[0]?.wall ?? PATIENCE) < PATIENCE); round++)
      await run(peer, command(peer), engine).then(
        (figures) => rounds.push(figures),
        (error: Error) => (problem = error.message),
      );
    if (rounds.length === 0) rows.push({ tool: peer.name, 'wall s': problem.slice(0, 60) });
    else {
      const of = (name: keyof Figures): number => median(rounds.map((figures) => figures[name]));
      rows.push({ tool: peer.name, 'wall s': of('wall'), 'CPU s': of('cpu'), 'peak MB': Math.round(of('peak')) });
    }
  }
  printTable(title, rows);
}

/** One process from start to end, as GNU time sees it. */
function run(peer: Peer, args: string[], engine: Engine): Promise<Figures> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    AWS_ENDPOINT_URL: engine.endpoint,
    AWS_REGION: engine.region,
    AWS_DEFAULT_REGION: engine.region,
    AWS_ACCESS_KEY_ID: engine.accessKeyId,
    AWS_SECRET_ACCESS_KEY: engine.secretAccessKey,
    ...peer.env,
  };
  for (const [name, value] of Object.entries(env)) if (value === '') delete env[name];
  return new Promise((resolve, reject) => {
    const child = spawn('/usr/bin/time', ['-f', '%e %U %S %M', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.on('data', (data) => (text = (text + String(data)).slice(-2000)));
    child.once('error', reject);
    child.once('close', (status) => {
      const [wall, user, system, peak] = (text.trim().split('\n').pop() ?? '').split(' ').map(Number) as [
        number,
        number,
        number,
        number,
      ];
      if (status === 0) resolve({ wall, cpu: user + system, peak: (peak * 1024) / 1e6 });
      else reject(new Error(`failed: ${text.trim().split('\n').at(-3) ?? text}`));
    });
  });
}
