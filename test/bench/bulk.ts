import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBulkTransfer } from '../../src/bulk/node/index.js';
import { isCephInstalled, startCeph } from '../support/ceph.js';
import { createCertificate } from '../support/certificate.js';
import { peersFor } from './bulk-peers.js';
import type { Engine, Peer } from './bulk-peers.js';
import { median, printTable } from './report.js';
import type { Row } from './report.js';

const MiB = 1024 * 1024;
const BUCKET = 'bench-bulk';
/** BENCH_RUNS=1 measures once, for a quick look. */
const ROUNDS = Number(process.env['BENCH_RUNS'] ?? 3);
/** Seconds. A slower first round of a peer is its only one. */
const PATIENCE = 8;

/** Sizes in bytes. */
const MIXED = [0, 100, 1000, 10_000, 100_000, MiB];

interface Figures {
  wall: number;
  cpu: number;
  peak: number;
}

const PARTS = ['small', 'many', 'mid', 'mixed', 'big', 'sync'] as const;
type Part = (typeof PARTS)[number];
const ENGINES = ['sink', 'tls', 'ceph'] as const;

/**
 * Measures bulk transfers of this product and of every installed peer: against a sink that discards bodies, the same over https, and a real store.
 * @param chosen parts (`small`, `many`, `mid`, `mixed`, `big`, `sync`) and engines (`sink`, `tls`, `ceph`). Without a part, all parts; likewise for engines
 */
export async function benchBulk(chosen: string[] = []): Promise<void> {
  const known: readonly string[] = [...PARTS, ...ENGINES];
  const unknown = chosen.find((word) => !known.includes(word));
  if (unknown !== undefined) throw new Error(`bulk has no part ${unknown}; there are ${known.join(', ')}.`);
  const among = <Word extends string>(words: readonly Word[]): Word[] => {
    const named = words.filter((word) => chosen.includes(word));
    return named.length > 0 ? named : [...words];
  };
  const [parts, engines] = [among(PARTS), among(ENGINES)];
  const folder = mkdtempSync(join(tmpdir(), 'bulk-bench-'));
  const sources = makeSources(folder, parts);
  try {
    if (engines.includes('sink')) {
      const sink = await startSink();
      await measureAll(sink.engine, folder, sources, parts).finally(sink.stop);
    }
    const moved = parts.filter((part) => part !== 'sync');
    if (engines.includes('tls') && moved.length > 0) {
      const sink = await startSink(createCertificate(folder));
      await measureAll(sink.engine, folder, sources, moved).finally(sink.stop);
    }
    const ceph = engines.includes('ceph') && moved.length > 0 && isCephInstalled() ? await startCeph() : undefined;
    if (ceph !== undefined) await measureAll({ name: 'Ceph', ...ceph }, folder, sources, moved).finally(() => ceph.stop());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeSources(folder: string, parts: Part[]) {
  const many = (name: string, count: number, bytes: (index: number) => Buffer): string => {
    const path = join(folder, name);
    mkdirSync(path);
    for (let i = 0; i < count; i++) writeFileSync(join(path, `f${String(i).padStart(6, '0')}`), bytes(i));
    return `${path}/`;
  };
  const one = (name: string, mib: number): string => {
    const path = join(folder, name);
    const fd = openSync(path, 'w');
    for (let i = 0; i < mib / 8; i++) writeSync(fd, randomBytes(8 * MiB));
    closeSync(fd);
    return path;
  };
  const wanted = (part: Part, make: () => string): string => (parts.includes(part) ? make() : '');
  return {
    small: wanted('small', () => many('small', 5000, () => randomBytes(10_240))),
    // The start of the process is negligible for so many files.
    many: wanted('many', () => many('many', 50_000, () => randomBytes(10_240))),
    mid: wanted('mid', () => many('mid', 500, () => randomBytes(MiB))),
    // Real directories mix sizes, so memory use changes from file to file.
    mixed: wanted('mixed', () => many('mixed', 2000, (i) => randomBytes(i % 100 === 0 ? 12 * MiB : MIXED[i % MIXED.length]!))),
    big: wanted('big', () => one('big', 2048)),
    // The store keeps a dozen copies in memory.
    half: wanted('big', () => one('half', 512)),
    tiny: wanted('sync', () => many('tiny', 100_000, () => Buffer.from('x'))),
  };
}

let folders = 0;
let passing: string | undefined;

/**
 * Creates an empty folder for downloads, because replacing a file costs more than creating one. With `keep`, the files stay until the end:
 * ext4 without a journal checks all recently freed inodes for each new file.
 */
function fresh(folder: string, keep = false): string {
  const path = join(folder, `out-${++folders}`);
  if (passing !== undefined) rmSync(passing, { recursive: true, force: true });
  passing = keep ? undefined : path;
  mkdirSync(path);
  return path;
}

async function startSink(tls?: { key: string; cert: string }): Promise<{ engine: Engine; stop: () => void }> {
  const args = ['--import', 'tsx', 'test/bench/null-sink.ts', ...(tls ? [tls.key, tls.cert] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())));
  const engine = {
    name: tls ? 'null sink by https' : 'null sink',
    endpoint: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'bench',
    secretAccessKey: 'benchsecret',
    ...(tls && { cert: tls.cert }),
  };
  return { engine, stop: () => child.kill() };
}

async function measureAll(engine: Engine, folder: string, sources: ReturnType<typeof makeSources>, parts: Part[]): Promise<void> {
  const { endpoint, region, accessKeyId, secretAccessKey } = engine;
  const credentials = { accessKeyId, secretAccessKey };
  const tls = engine.cert === undefined ? {} : { ca: readFileSync(engine.cert, 'utf8') };
  const bulk = createBulkTransfer({ endpoint, region, credentials, tls });
  await bulk.makeBucket(BUCKET).finally(() => bulk.close());
  const peers = peersFor(engine);
  const [big, bytes] = engine.name === 'Ceph' ? [sources.half, '512 MiB'] : [sources.big, '2 GiB'];
  const quick = peers.filter((peer) => !peer.sequential);
  const swift = quick.filter((peer) => !peer.slow);
  const cases: [Part, string, Peer[], (peer: Peer) => string[]][] = [
    ['small', '5,000 x 10 KiB up', quick, (peer) => peer.up(sources.small, `${BUCKET}/small/`)],
    ['small', '5,000 x 10 KiB down', quick, (peer) => peer.down(`${BUCKET}/small/`, `${fresh(folder, true)}/`)],
    ['many', '50,000 x 10 KiB up', swift, (peer) => peer.up(sources.many, `${BUCKET}/many/`)],
    ['many', '50,000 x 10 KiB down', swift, (peer) => peer.down(`${BUCKET}/many/`, `${fresh(folder, true)}/`)],
    ['mid', '500 x 1 MiB up', peers, (peer) => peer.up(sources.mid, `${BUCKET}/mid/`)],
    ['mid', '500 x 1 MiB down', peers, (peer) => peer.down(`${BUCKET}/mid/`, `${fresh(folder, true)}/`)],
    ['mixed', '2,000 of 0 B to 12 MiB up', quick, (peer) => peer.up(sources.mixed, `${BUCKET}/mixed/`)],
    ['mixed', '2,000 of 0 B to 12 MiB down', quick, (peer) => peer.down(`${BUCKET}/mixed/`, `${fresh(folder)}/`)],
    ['big', `1 x ${bytes} up`, peers, (peer) => peer.up(big, `${BUCKET}/big`)],
    ['big', `1 x ${bytes} down`, peers, (peer) => peer.down(`${BUCKET}/big`, join(fresh(folder), 'big'))],
  ];
  for (const [part, title, among, command] of cases)
    if (parts.includes(part)) {
      // Otherwise only the first tool of a row would read the files from disk.
      held(sources[part as keyof typeof sources]);
      await measure(`${title}, ${engine.name}`, engine, among, command);
    }
  if (!parts.includes('sync')) return;
  const able = peers.filter((peer) => peer.sync !== undefined);
  // One upload serves all tools: they compare sizes and times, and store the time in the same form.
  const to = `${BUCKET}/sync/`;
  await run(able[0]!, able[0]!.sync!(sources.tiny, to), engine);
  await measure(`sync that finds nothing to do, 100,000 objects, ${engine.name}`, engine, able, (peer) =>
    peer.sync!(sources.tiny, to),
  );
}

/** Reads all files, so that the system caches them. */
const held = (source: string): void => void execFileSync('sh', ['-c', 'find "$0" -type f -exec cat {} + > /dev/null', source]);

/** Measures each peer once a round. Every other round is in reverse order, so that other load affects all peers alike. */
async function measure(title: string, engine: Engine, peers: Peer[], command: (peer: Peer) => string[]): Promise<void> {
  const figures = new Map(peers.map((peer): [Peer, Figures[]] => [peer, []]));
  const problems = new Map<Peer, string>();
  for (let round = 0; round < ROUNDS; round++)
    for (const [peer, rounds] of round % 2 === 0 ? figures : [...figures].toReversed()) {
      if (round > 0 && (rounds[0]?.wall ?? PATIENCE) >= PATIENCE) continue;
      await run(peer, settled(command(peer)), engine).then(
        (measured) => rounds.push(measured),
        (error: Error) => problems.set(peer, error.message),
      );
    }
  const rows = peers.map((peer): Row => {
    const rounds = figures.get(peer)!;
    if (rounds.length === 0) return { tool: peer.name, 'wall s': problems.get(peer)!.slice(0, 60) };
    const of = (name: keyof Figures): number => median(rounds.map((one) => one[name]));
    return { tool: peer.name, 'wall s': of('wall'), 'CPU s': of('cpu'), 'peak MB': Math.round(of('peak')) };
  });
  printTable(title, rows);
}

/** Waits until the disk is idle, so that one command does not delay the next. */
function settled(command: string[]): string[] {
  execFileSync('sync');
  return command;
}

/** Returns the message of a failure: that of the error, or the last line before the output of GNU time. */
const reasonIn = (text: string): string => /^\w*Error: .*/m.exec(text)?.[0] ?? text.trim().split('\n').at(-3) ?? text;

/** Makes tools trust only the certificate of the store. Some tools read all certificates of the machine at every start. */
const AUTHORITIES = ['AWS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** Measures one process with GNU time. */
function run(peer: Peer, args: string[], engine: Engine): Promise<Figures> {
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const name of AUTHORITIES) delete env[name];
  Object.assign(env, {
    AWS_ENDPOINT_URL: engine.endpoint,
    AWS_REGION: engine.region,
    AWS_DEFAULT_REGION: engine.region,
    AWS_ACCESS_KEY_ID: engine.accessKeyId,
    AWS_SECRET_ACCESS_KEY: engine.secretAccessKey,
    ...(engine.cert !== undefined && {
      AWS_CA_BUNDLE: engine.cert,
      NODE_EXTRA_CA_CERTS: engine.cert,
      SSL_CERT_FILE: engine.cert,
      // Over https, AWS's tools would otherwise send bodies in chunks with a trailing checksum, which the sink does not read.
      AWS_REQUEST_CHECKSUM_CALCULATION: 'when_required',
    }),
    ...peer.env,
  });
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
      else reject(new Error(`failed: ${reasonIn(text)}`));
    });
  });
}
