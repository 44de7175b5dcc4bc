import { expect } from 'chai';
import { render } from 'lit';
import { Item } from '../../../src/engine/item.js';
import { Tally } from '../../../src/engine/tally.js';
import type { UploadQueue } from '../../../src/engine/types.js';
import { builtIn } from '../../../src/uploader/locale/load.js';
import { summary } from '../../../src/uploader/view/summary.js';
import { file, inside, removeAll, until, uploader } from './fixture.js';

const { now } = performance;

/** What the summary of such a queue says. */
function text(totals: Tally, { paused = false, online = true } = {}): string {
  const queue = { totals, paused, online } as unknown as UploadQueue;
  const none = () => {};
  const rest = { manual: false, readOnly: true, canRetry: false, onCancel: none, onRetry: none, onClear: none };
  const root = document.createElement('div');
  render(summary({ words: builtIn, queue, totals, paused, online, ...rest }), root);
  return root.querySelector('.summary-text')!.textContent!;
}

/** A file of so many bytes on its way, and what the clock says. */
function moving(size: number) {
  const tally = new Tally();
  const item = Item.of('1', { file: new File(['x'], 'a.bin'), relativePath: '' });
  Object.assign(item, { size, state: { status: 'uploading', phase: 'sending', sent: 0, attempt: 1 } });
  tally.add(item);
  const at = (time: number) => (performance.now = () => time);
  const send = (bytes: number, time: number) => {
    at(time);
    tally.progress(bytes);
    tally.move(bytes);
  };
  return { tally, send, at };
}

describe('how fast a list goes', () => {
  afterEach(removeAll);

  it('is not said any more once nothing has moved for a moment', async () => {
    const el = await uploader({ multiple: true });
    let report: (sent: number) => void = () => {};
    el.transport = {
      send: (_, { progress }) => {
        report = progress;
        return new Promise(() => {});
      },
    };
    await el.addFiles([file('a.bin', 5_000_000), file('b.bin', 10)]);
    const said = () => inside(el, '.summary-text').textContent!;
    for (let sent = 0; !said().includes('/s'); sent += 1000) {
      report(sent);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await until(() => said() === '0 of 2');
    await until(() => said() === '0 of 2');
    expect(said()).to.equal('0 of 2');
  });
});

describe('how fast, and how long still', () => {
  afterEach(() => void (performance.now = now));

  it('is told after a second, by what moved in the last five', () => {
    const { tally, send } = moving(500_000_000);
    send(0, 0);
    send(4_100_000, 900);
    expect([tally.speed, tally.secondsLeft]).to.deep.equal([null, null]);
    expect(text(tally)).to.equal('0 of 1');
    send(0, 1000);
    expect(tally.speed).to.equal(4_100_000);
    expect(text(tally)).to.equal('0 of 1 · 4.1 MB/s · 2 minutes left');
    // What was fast ten seconds ago says nothing of now.
    for (let second = 2; second <= 12; second += 1) send(1_000_000, second * 1000);
    expect(tally.speed).to.equal(1_000_000);
    expect(text(tally)).to.equal('0 of 1 · 1.0 MB/s · 8 minutes left');
  });

  it('falls while nothing comes, and is not told after a moment of it, at rest, when paused and without a line', () => {
    const { tally, send, at } = moving(10_000_000);
    send(0, 0);
    send(2_000_000, 2000);
    expect(tally.speed).to.equal(1_000_000);
    at(2500);
    expect(tally.speed).to.equal(800_000);
    expect(text(tally, { paused: true })).to.equal('0 of 1 · Paused');
    expect(text(tally, { online: false })).to.equal('0 of 1 · No connection. Resumes by itself.');
    at(5100);
    expect([tally.speed, tally.secondsLeft]).to.deep.equal([null, null]);
    expect(text(tally)).to.equal('0 of 1');
    send(500_000, 5200);
    // The first sample is older than what is measured.
    expect(tally.speed).to.equal(156_250);
    // What was waited for that long is begun anew.
    send(100_000, 12_000);
    expect(tally.speed).to.equal(null);
    send(100_000, 13_000);
    expect(tally.speed).to.equal(100_000);
    tally.rest();
    expect(tally.speed).to.equal(null);
  });

  it('is not made of bytes that an earlier visit sent', () => {
    const { tally, send } = moving(10_000_000);
    tally.progress(8_000_000);
    send(0, 0);
    send(1_000_000, 1000);
    expect([tally.speed, tally.secondsLeft]).to.deep.equal([1_000_000, 1]);
  });
});
