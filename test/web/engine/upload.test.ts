import { expect } from 'chai';
import { Bench, completed, sha256, someFiles } from './bench.js';

describe('the queue against the service', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  /** Every file is stored once, with its bytes, and no use was spent on anything else. */
  async function expectStoredOnce(files: readonly File[]): Promise<void> {
    const stored = await bench.files();
    const want = (await Promise.all(files.map(sha256))).sort();
    expect(stored.map((file) => file.sha256).sort()).to.deep.equal(want);
    const uses = (await bench.tokens()).reduce((sum, token) => sum + token.uses, 0);
    expect(uses, 'uses spent').to.equal(files.length);
  }

  it('stores one file under its name, and tells its progress forwards', async () => {
    const queue = bench.queue({ batchUpTo: 0 });
    const sent: number[] = [];
    const phases: string[] = [];
    queue.on('change', ({ item }) => {
      if (item.state.status !== 'uploading') return;
      sent.push(item.state.sent);
      if (phases.at(-1) !== item.state.phase) phases.push(item.state.phase);
    });
    const done = completed(queue);
    const files = someFiles(1, 300_000, () => 'Größe "1"; 100%.bin');
    queue.add(files);
    const { successful } = await done;
    expect(successful).to.have.length(1);
    await expectStoredOnce(files);
    const [stored] = await bench.files();
    expect(stored!.name).to.match(/^Größe -1-; 100%-\w+\.bin$|^Größe "1"; 100%-\w+\.bin$/);
    expect(sent).to.deep.equal([...sent].sort((a, b) => a - b));
    expect(phases).to.deep.equal(['token', 'sending', 'finishing']);
    expect(queue.totals).to.include({ files: 1, done: 1, active: 0, bytes: 300_000, sent: 300_000 });
  });

  it('uploads many over several tokens, asking once for each', async () => {
    const queue = bench.queue({ batchUpTo: 0, tokenProvider: bench.provider(() => ({ max_uses: 20 })) });
    const files = someFiles(60, 2000);
    const done = completed(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await expectStoredOnce(files);
    expect(bench.reasons).to.deep.equal(['start', 'exhausted', 'exhausted']);
  });
});
