import { expect } from 'chai';
import { render } from 'lit';
import { QueueItem } from '../../../src/queue/queue-item.js';
import { SpeedMeter } from '../../../src/queue/transport/speed-meter.js';
import { UploadTotals } from '../../../src/queue/upload-totals.js';
import type { UploadQueue } from '../../../src/queue/types.js';
import type { FileRecord } from '../../../src/protocol/types.js';
import { englishLocalizer } from '../../../src/element/locales/load-localizer.js';
import { renderSummary } from '../../../src/element/view/summary.js';
import { createFile, createUploader, find, removeAll, until, waitForPaint } from './fixture.js';

const { now } = performance;

/** Renders the text of the summary for a queue. */
function renderSummaryText(totals: UploadTotals, { paused = false, online = true } = {}): string {
  const queue = { items: [], totals, paused, online } as unknown as UploadQueue;
  const none = () => {};
  const rest = {
    manual: false,
    readOnly: true,
    now: 0,
    sharedError: '',
    deletesFiles: false,
    canRetry: false,
    onCancel: none,
    onClear: none,
    onRemoveFailed: none,
    hasHeld: false,
    hasUnfilled: false,
    refused: 0,
    onDismiss: none,
  };
  const root = document.createElement('div');
  render(renderSummary({ localizer: englishLocalizer, queue, totals, paused, online, ...rest }), root);
  return Array.from(root.querySelectorAll('.summary-title, .summary-details'), (line) => line.textContent!.trim()).join(' | ');
}

/** Creates totals for a file that is being sent, with a fake clock. */
function createTotals(size: number) {
  const totals = new UploadTotals();
  const meter = (totals.speedMeter = new SpeedMeter());
  const item = QueueItem.fromChosen('1', { file: new File(['x'], 'a.bin'), relativePath: '' });
  Object.assign(item, { size, state: { status: 'uploading', phase: 'sending', sent: 0, attempt: 1 } });
  totals.addFile(item, 1);
  const at = (time: number) => (performance.now = () => time);
  const send = (bytes: number, time: number) => {
    at(time);
    totals.addSent(bytes, size);
    meter.add(bytes, size);
  };
  return { totals, meter, send, at };
}

describe('the speed in the summary', () => {
  afterEach(removeAll);

  it('disappears when nothing was sent for a moment', async () => {
    const el = await createUploader({ multiple: true });
    let report: (sent: number) => void = () => {};
    el.transport = {
      send: (_, { progress }) => {
        report = progress;
        return new Promise(() => {});
      },
    };
    await el.addFiles([createFile('a.bin', 5_000_000), createFile('b.bin', 10)]);
    await waitForPaint(el);
    const readSummary = () => find(el, '.summary-text').textContent!;
    let bytes = 0;
    const sendMore = () => {
      report((bytes += 1000));
      return readSummary().includes('/s');
    };
    await until(sendMore);
    await until(sendMore);
    const hasOnlyBytes = () => / of 2 · 0%\s+\S+ \S+ of 5 MB\s*$/.test(readSummary());
    await until(hasOnlyBytes);
    expect(readSummary()).to.match(/ of 2 · 0%\s+\S+ \S+ of 5 MB\s*$/);
  });
});

describe('the files in the summary', () => {
  afterEach(removeAll);

  it('count when their bytes are sent, because the service stores the files of a batch together', async () => {
    const el = await createUploader({ multiple: true });
    el.transport = {
      send: ({ size }, { progress }) => {
        progress(size);
        return new Promise(() => {});
      },
    };
    await el.addFiles([createFile('a.bin', 300_000), createFile('b.bin', 300_000)]);
    await until(() => el.uploads.every(({ state }) => state.status === 'uploading' && state.phase === 'finishing'));
    await waitForPaint(el);
    expect(find(el, '.summary-title').textContent!.trim()).to.equal('2 of 2 · 100%');
    expect(find(el, '.summary-details').textContent).to.include('600 kB of 600 kB');
  });
});

describe('speed and time left', () => {
  afterEach(() => void (performance.now = now));

  it('is known after a second, from the last five seconds', () => {
    const { totals, send } = createTotals(500_000_000);
    send(0, 0);
    send(4_100_000, 900);
    expect([totals.speed, totals.secondsLeft]).to.deep.equal([null, null]);
    expect(renderSummaryText(totals)).to.equal('0 of 1 · 0% | 4.1 MB of 500 MB');
    send(0, 1000);
    expect(totals.speed).to.equal(4_100_000);
    expect(renderSummaryText(totals)).to.equal('0 of 1 · 0% | 4.1 MB of 500 MB · 2 minutes left · 4.1 MB/s');
    // Samples of ten seconds ago do not count.
    for (let second = 2; second <= 12; second += 1) send(1_000_000, second * 1000);
    expect(totals.speed).to.equal(1_000_000);
    expect(renderSummaryText(totals)).to.equal('0 of 1 · 3% | 15 MB of 500 MB · 8 minutes left · 1.0 MB/s');
  });

  it('falls while nothing is sent, and disappears when idle, paused or offline', () => {
    const { totals, meter, send, at } = createTotals(10_000_000);
    send(0, 0);
    send(2_000_000, 2000);
    expect(totals.speed).to.equal(1_000_000);
    at(2500);
    expect(totals.speed).to.equal(800_000);
    expect(renderSummaryText(totals, { paused: true })).to.equal('0 of 1 · 20% | Paused');
    expect(renderSummaryText(totals, { online: false })).to.equal(
      '0 of 1 · 20% | You’re offline. The upload continues when you reconnect.',
    );
    at(5100);
    expect([totals.speed, totals.secondsLeft]).to.deep.equal([null, null]);
    expect(renderSummaryText(totals)).to.equal('0 of 1 · 20% | 2 MB of 10 MB');
    send(500_000, 5200);
    // The first sample is older than the measured period.
    expect(totals.speed).to.equal(156_250);
    // After a long pause the measurement starts again.
    send(100_000, 12_000);
    expect(totals.speed).to.equal(null);
    send(100_000, 13_000);
    expect(totals.speed).to.equal(100_000);
    meter.reset();
    expect(totals.speed).to.equal(null);
  });

  it('does not count bytes of an earlier visit', () => {
    const { totals, send } = createTotals(10_000_000);
    totals.addSent(8_000_000, 10_000_000);
    send(0, 0);
    send(1_000_000, 1000);
    expect(totals.speed).to.equal(1_000_000);
    expect(totals.secondsLeft).to.be.closeTo(1, 0.001);
  });

  it('does not count bytes of failed attempts', () => {
    const { totals, meter, send, at } = createTotals(10_000_000);
    send(0, 0);
    send(2_000_000, 1000);
    meter.add(-2_000_000, 10_000_000);
    at(1500);
    expect([totals.speed, totals.secondsLeft]).to.deep.equal([0, null]);
    // Samples that were dropped meanwhile are subtracted as well.
    meter.reset();
    send(0, 2000);
    meter.add(-1000, 1000);
    at(3500);
    expect([totals.speed, totals.secondsLeft]).to.deep.equal([0, null]);
  });

  /** Sends files one by one. @returns by what factor the time that was said was wrong at most, beyond the first and the last two seconds */
  function measureWorstEstimate(sizes: number[], bytesPerSecond: number, secondsPerFile: number): number {
    const totals = new UploadTotals();
    const meter = (totals.speedMeter = new SpeedMeter());
    const items = sizes.map((size, at) =>
      Object.assign(QueueItem.fromChosen(`${at}`, { file: new File(['x'], 'a'), relativePath: '' }), { size }),
    );
    for (const item of items) totals.addFile(item, 1);
    const lasts = sizes.reduce((sum, size) => sum + secondsPerFile + size / bytesPerSecond, 0);
    let found = 1;
    let times = 0;
    let time = 0;
    for (const item of items) {
      const pieces = Math.ceil(item.size / 1_000_000);
      for (let piece = 0; piece < pieces; piece += 1) {
        time += (secondsPerFile + item.size / bytesPerSecond) / pieces;
        performance.now = () => time * 1000;
        totals.addSent(item.size / pieces, item.size);
        meter.add(item.size / pieces, item.size);
        const estimate = totals.secondsLeft;
        if (estimate === null || time < 2 || lasts - time < 2) continue;
        times++;
        found = Math.max(found, estimate / (lasts - time), (lasts - time) / estimate);
      }
      item.sent = item.size;
      const previous = item.state;
      item.state = { status: 'done', file: {} as FileRecord };
      totals.changeState(item, previous);
    }
    expect(time).to.be.closeTo(lasts, 0.001);
    expect(times).to.be.above(5);
    return found;
  }
  const small = Array.from({ length: 2000 }, () => 10_000);

  it('is roughly correct for small and large files in any order', () => {
    // Measured: a browser sends 35 to 70 small files a second over a fast connection.
    expect(measureWorstEstimate([...small, 210_000_000], 8_000_000, 0.014)).to.be.below(3);
    expect(measureWorstEstimate([1_260_000_000, ...small], 40_000_000, 0.028)).to.be.below(6);
    expect(measureWorstEstimate([...small, 210_000_000, ...small, 210_000_000], 20_000_000, 0.014)).to.be.below(3);
    // With equal sizes the estimate is as exact as the speed.
    expect(measureWorstEstimate(small, 8_000_000, 0.014)).to.be.below(1.01);
    expect(measureWorstEstimate([210_000_000], 8_000_000, 0.014)).to.be.below(1.01);
  });
});
