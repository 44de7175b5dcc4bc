import { expect } from 'chai';
import { Bench, completed, someFiles } from './bench.js';

describe('a check whose code does not load', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  for (const part of ['verify', 'sniff'] as const)
    it(`fails its files in words before a byte goes, no token is spent, and it is loaded once it can be: ${part}`, async () => {
      const missing = `/missing?path=/src/queue/${part === 'verify' ? 'verification/verify-digest' : 'detect-type'}.ts`;
      await fetch(missing);
      const queue = bench.queue({ [part]: true });
      const ended = completed(queue);
      queue.add(someFiles(2, 1000));
      const { failed } = await ended;
      expect(failed).to.have.length(2);
      for (const { state } of failed) {
        expect(state).to.include({ retryable: true });
        expect(state).to.have.nested.property('error.details.part', part === 'verify' ? 'checkBeside' : part);
      }
      expect(bench.reasons).to.deep.equal([]);
      expect((await bench.requests()).filter(({ method }) => method === 'POST')).to.deep.equal([]);
      await fetch(`${missing}&back`);
      const done = completed(queue);
      queue.retry();
      expect((await done).successful).to.have.length(2);
    });
});
