import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createBulkTransfer, fileSource, FolderTarget, NodeHttpClient, walk } from '../../src/bulk/node/index.js';
import { median, printTable } from './report.js';
import { UndiciClient } from './undici-client.js';

// Compares the HTTP client of the bulk engine with undici, in pairs of processes: npx tsx test/bench/http-clients.ts

const KiB = 1024;
const SMALL_FILES = 5000;
const LARGE_FILE = 512 * KiB * KiB;
const PAIRS = Number(process.env['BENCH_RUNS'] ?? 5);
const BUCKET = 'bench-clients';
const CLIENTS = { own: NodeHttpClient, undici: UndiciClient };
const ROWS = ['small-up', 'small-down', 'large-up', 'large-down'] as const;
type Row = (typeof ROWS)[number];
type Client = keyof typeof CLIENTS;

/** Seconds of the transfer alone, without the start of the process. */
interface Figures {
  wall: number;
  cpu: number;
}

/** Transfers the files of one row in this process and prints the figures. */
async function transfer(client: Client, row: Row, endpoint: string, folder: string): Promise<void> {
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'benchsecret' };
  const bulk = createBulkTransfer({ endpoint, region: 'us-east-1', credentials, wire: new CLIENTS[client]() });
  const target = new FolderTarget(mkdtempSync(join(folder, 'out-')));
  const [small, large] = [
    { bucket: BUCKET, prefix: 'small/' },
    { bucket: BUCKET, prefix: 'large' },
  ];
  const transfers = {
    'small-up': () => bulk.upload(walk(join(folder, 'small')), small),
    'small-down': () => bulk.download(small, target),
    'large-up': () => bulk.upload([fileSource(join(folder, 'large'), 'large')], large, { exact: true }),
    'large-down': () => bulk.downloadExact(large, target, 'large'),
  };
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const { failed } = await transfers[row]();
  const { user, system } = process.cpuUsage(cpu);
  const figures: Figures = { wall: (performance.now() - began) / 1e3, cpu: (user + system) / 1e6 };
  bulk.close();
  rmSync(target.root, { recursive: true });
  if (failed > 0) throw new Error(`${failed} files failed`);
  console.log(JSON.stringify(figures));
}

async function measure(client: Client, row: Row, endpoint: string, folder: string): Promise<Figures> {
  const script = ['--import', 'tsx', 'test/bench/http-clients.ts', client, row, endpoint, folder];
  const env = { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };
  const child = spawn(process.execPath, script, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await text(child.stdout)) as Figures;
}

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'http-clients-'));
  const sink = spawn(process.execPath, ['--import', 'tsx', 'test/bench/null-sink.ts'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = await new Promise<string>((resolve) => sink.stdout.once('data', (data) => resolve(String(data).trim())));
    const endpoint = `http://127.0.0.1:${port}`;
    mkdirSync(join(folder, 'small'));
    for (let i = 0; i < SMALL_FILES; i++) writeFileSync(join(folder, 'small', `f${i}`), Buffer.alloc(10 * KiB, i));
    writeFileSync(join(folder, 'large'), Buffer.alloc(LARGE_FILE, 'x'));
    for (const row of ROWS) {
      const ratios: Figures[] = [];
      for (let pair = 0; pair < PAIRS; pair++) {
        const own = await measure('own', row, endpoint, folder);
        const undici = await measure('undici', row, endpoint, folder);
        ratios.push({ wall: undici.wall / own.wall, cpu: undici.cpu / own.cpu });
      }
      const of = (name: keyof Figures): number => median(ratios.map((ratio) => ratio[name]));
      printTable(row, [{ 'undici / own': 'median of pairs', wall: of('wall'), CPU: of('cpu') }]);
    }
  } finally {
    sink.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const [client, row, endpoint, folder] = process.argv.slice(2);
await (folder === undefined ? compare() : transfer(client as Client, row as Row, endpoint!, folder));
