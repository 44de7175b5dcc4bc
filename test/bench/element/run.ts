import { mkdtemp, open, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { CHROMIUM_FLAGS, findChromium } from '../../support/chromium.js';
import { startDiscardingServer } from '../../support/discarding-server.js';
import { median, printTable } from '../report.js';
import { benchGrid } from './grid-scrolling.js';
import type { AddResult, UploadResult } from './page.js';
import { OURS, PATIENCE, RUNS, inTurn, numbers, row } from './turns.js';
import type { InPage, Outcome } from './turns.js';

/** Counted runs where the widgets differ little. */
const BIG_RUNS = Number(process.env['BENCH_RUNS'] ?? 9);
/** `dist` of an earlier build, which is measured too. */
const EARLIER = process.env['BENCH_BEFORE'];
const RAW = 'raw XHR';
const EARLIER_OURS = EARLIER === undefined ? [] : ['svc-uploader before'];
const PEERS = ['Uppy Dashboard', 'Dropzone', 'vaadin-upload', 'FilePond'];
/** Uploadcare's widget uploads only to its maker's service. */
const WIDGETS = [OURS, ...EARLIER_OURS, ...PEERS, 'Uploadcare'];
const UPLOADERS = [OURS, ...EARLIER_OURS, ...PEERS, RAW];
const MIB = 1024 * 1024;

/** Measures the memory of a page after garbage collection, in bytes. */
async function heapOf(tab: Page): Promise<number> {
  const session = await tab.context().newCDPSession(tab);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number };
  await session.detach();
  return usedSize;
}

async function add(inPage: InPage): Promise<void> {
  for (const [count, runs] of [
    [1, BIG_RUNS],
    [100, BIG_RUNS],
    [1000, RUNS],
    [10_000, RUNS],
  ] as const) {
    const results = await inTurn<AddResult>(WIDGETS, runs, (name) =>
      inPage((tab) => tab.evaluate(([widget, n]) => window.bench.add(widget, n), [name, count] as const)),
    );
    const others = { 'longest task, ms': (one: AddResult) => one.longestTask, 'DOM elements': (one: AddResult) => one.nodes };
    const rows = WIDGETS.map((name) => row(name, results, ['ms until ready', (one) => one.ready], others));
    printTable(`Adding ${count.toLocaleString('en-US')} ${count === 1 ? 'file' : 'files'}`, rows);
  }
}

/** Measures the CPU seconds of all processes of the browser so far. They vary less than elapsed time on a busy machine. */
async function browserWork(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

async function upload(inPage: InPage, big: string): Promise<void> {
  for (const [title, count, size, runs] of [
    ['Uploading 500 files of 10 KiB', 500, 10_240, RUNS],
    ['Uploading one file of 500 MiB', 1, null, BIG_RUNS],
  ] as const) {
    const results = await inTurn<UploadCost>(UPLOADERS, runs, (name) =>
      inPage(async (tab) => {
        if (size === null) await tab.setInputFiles('#big', big);
        const browser = tab.context().browser()!;
        const before = await browserWork(browser);
        const result = (await tab.evaluate(([w, n, s]) => window.bench.upload(w, n, s), [name, count, size] as const))!;
        return { ...result, work: (await browserWork(browser)) - before };
      }),
    );
    const others = {
      'browser CPU s': (one: UploadCost) => one.work,
      'longest task, ms': (one: UploadCost) => one.longestTask,
    };
    printTable(
      title,
      UPLOADERS.map((name) => row(name, results, ['ms', (one) => one.stored], others, { spread: size === null })),
    );
  }
}

interface UploadCost extends UploadResult {
  /** CPU seconds of all processes of the browser. */
  work: number;
}

interface ManyResult extends UploadResult {
  /** Bytes that the page keeps for each file, including its `File`. */
  kept: number;
}

/** Measures the cost of thousands of files that are added and uploaded at once. */
async function many(inPage: InPage): Promise<void> {
  for (const count of [1000, 10_000]) {
    const results = await inTurn<ManyResult>([OURS, ...EARLIER_OURS, RAW], RUNS, (name) =>
      inPage(async (tab) => {
        const before = await heapOf(tab);
        const result = (await tab.evaluate(([w, n]) => window.bench.upload(w, n, 1024), [name, count] as const))!;
        return { ...result, kept: ((await heapOf(tab)) - before) / count };
      }),
    );
    const others = {
      'longest task, ms': (one: ManyResult) => one.longestTask,
      'DOM elements at most': (one: ManyResult) => one.nodes,
      'bytes kept a file': (one: ManyResult) => one.kept,
    };
    const rows = [...results.keys()].map((name) => row(name, results, ['ms', (one) => one.stored], others));
    printTable(`Adding and uploading ${count.toLocaleString('en-US')} files of 1 KiB (0: no task over 50 ms)`, rows);
  }
}

/** Measures how long the first file waits for the upload path, loaded beforehand or not. */
async function first(inPage: InPage): Promise<void> {
  const names = ['loaded when idle', 'loaded with the first file'];
  const results = await inTurn<number>(names, BIG_RUNS, (name) =>
    inPage((tab) => tab.evaluate((isPreloaded) => window.bench.firstRequest(isPreloaded), name === names[0])),
  );
  const rows = names.map((name) => {
    const times = numbers(results.get(name)!, (ms) => ms);
    return { 'upload path': name, ms: median(times), least: Math.min(...times), most: Math.max(...times) };
  });
  printTable('From choosing the first file to its first request', rows);
}

const PARTS = { add, upload, many, first, grid: benchGrid };
const isPart = (name: string): name is keyof typeof PARTS => name in PARTS;

/** @param wanted names of parts; all of them if empty */
export async function benchElement(wanted: string[]): Promise<void> {
  const parts = wanted.length === 0 ? Object.keys(PARTS) : wanted;
  const unknown = parts.filter((name) => !isPart(name));
  if (unknown.length > 0) throw new Error(`element has no ${unknown.join(', ')}; it has ${Object.keys(PARTS).join(', ')}.`);
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-page-'));
  const [page, big] = [join(folder, 'page'), join(folder, 'big.bin')];
  const root = resolve('test/bench/element');
  await build({ configFile: false, root, logLevel: 'error', build: { outDir: page, emptyOutDir: true, target: 'es2022' } });
  const file = await open(big, 'w');
  for (let written = 0; written < 500; written++) await file.write(Buffer.alloc(MIB, written));
  await file.close();
  const sink = await startDiscardingServer({ page, dist: resolve('dist'), before: resolve(EARLIER ?? 'dist') });
  const address = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
  const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });

  async function inPage<T>(work: (tab: Page) => Promise<T>): Promise<Outcome<T>> {
    const context = await browser.newContext();
    const tab = await context.newPage();
    try {
      await tab.goto(address);
      const late = new Promise<'too long'>((done) => setTimeout(done, PATIENCE, 'too long'));
      const working = work(tab);
      // Closing the page ends a measurement that takes too long.
      working.catch(() => {});
      return await Promise.race([working, late]);
    } finally {
      await context.close();
    }
  }

  try {
    for (const part of parts) if (isPart(part)) await PARTS[part](inPage, big);
  } finally {
    await browser.close();
    sink.closeAllConnections();
    sink.close();
    await rm(folder, { recursive: true, force: true });
  }
}
