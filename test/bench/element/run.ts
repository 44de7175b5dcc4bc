import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { CHROMIUM_FLAGS, findChromium } from '../../setup/chromium.js';
import { median, printTable } from '../report.js';
import type { Row } from '../report.js';
import type { AddResult } from './page.js';
import { startSink } from './sink.js';

const RUNS = Number(process.env['BENCH_RUNS'] ?? 3);
/** A widget that takes longer is shown as such. ms. */
const PATIENCE = Number(process.env['BENCH_PATIENCE'] ?? 60_000);
const WIDGETS = ['svc-uploader', 'Uppy Dashboard', 'Dropzone', 'vaadin-upload', 'FilePond', 'Uploadcare'];
const MIB = 1024 * 1024;

type Outcome<T> = T | 'too long' | null;

/** Each measurement in a page of its own, the widgets in turn, so that a drift of the machine hits them alike. */
async function inTurn<T>(names: string[], once: (name: string) => Promise<Outcome<T>>): Promise<Map<string, Outcome<T>[]>> {
  const results = new Map(names.map((name) => [name, [] as Outcome<T>[]]));
  for (let run = 0; run < RUNS; run++) {
    for (const name of names) {
      const sofar = results.get(name)!;
      if (!sofar.includes('too long')) sofar.push(await once(name));
    }
  }
  return results;
}

const numbers = <T>(outcomes: Outcome<T>[], pick: (value: T) => number): number[] =>
  outcomes.flatMap((one) => (one === null || one === 'too long' ? [] : [pick(one)]));

function row<T>(name: string, outcomes: Outcome<T>[], first: number, column: string, pick: (value: T) => number): Row {
  if (outcomes.includes('too long')) return { widget: name, [column]: `over ${PATIENCE / 1000} s` };
  const times = numbers(outcomes, pick);
  if (times.length === 0) return { widget: name, [column]: 'only to its own service' };
  return { widget: name, [column]: median(times), 'times svc-uploader': median(times) / first };
}

export async function benchElement(): Promise<void> {
  const page = await mkdtemp(join(tmpdir(), 'svc-bench-page-'));
  const root = resolve('test/bench/element');
  await build({ configFile: false, root, logLevel: 'error', build: { outDir: page, emptyOutDir: true, target: 'es2022' } });
  const sink = await startSink({ page, dist: resolve('dist') });
  const address = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
  const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });

  async function inPage<T>(work: (tab: Page) => Promise<T>): Promise<Outcome<T>> {
    const context = await browser.newContext();
    const tab = await context.newPage();
    try {
      await tab.goto(address);
      const late = new Promise<'too long'>((done) => setTimeout(done, PATIENCE, 'too long'));
      return await Promise.race([work(tab), late]);
    } finally {
      await context.close();
    }
  }

  try {
    for (const count of [1000, 10_000]) {
      const results = await inTurn<AddResult>(WIDGETS, (name) =>
        inPage((tab) => tab.evaluate(([widget, n]) => window.bench.add(widget, n), [name, count] as const)),
      );
      const first = median(numbers(results.get(WIDGETS[0]!)!, (one) => one.painted));
      const rows = WIDGETS.map((name) => {
        const outcomes = results.get(name)!;
        const shown = row(name, outcomes, first, 'ms until painted', (one) => one.painted);
        if (outcomes.includes('too long')) return shown;
        const worst = median(numbers(outcomes, (one) => one.longestTask));
        return { ...shown, 'longest task, ms': worst, 'DOM elements': median(numbers(outcomes, (one) => one.nodes)) };
      });
      printTable(`Adding ${count.toLocaleString('en-US')} files`, rows);
    }
    for (const [title, count, size] of [
      ['Uploading 500 files of 10 KiB', 500, 10_240],
      ['Uploading one file of 500 MiB', 1, 500 * MIB],
    ] as const) {
      const names = [...WIDGETS, 'raw XHR'];
      const results = await inTurn<number>(names, async (name) => {
        const ms = await inPage((tab) => tab.evaluate(([w, n, s]) => window.bench.upload(w, n, s), [name, count, size] as const));
        return ms;
      });
      const first = median(numbers(results.get(WIDGETS[0]!)!, (ms) => ms));
      printTable(
        title,
        names.map((name) => row(name, results.get(name)!, first, 'ms', (ms) => ms)),
      );
    }
  } finally {
    await browser.close();
    sink.closeAllConnections();
    sink.close();
    await rm(page, { recursive: true, force: true });
  }
}
