import { expect } from 'chai';
import { forget, nameFor, recall, remember } from '../../../src/engine/memory.js';
import { IDEMPOTENCY } from '../../../src/protocol/limits.js';

describe('what outlives a reload', () => {
  const { now } = Date;
  beforeEach(() => localStorage.clear());
  afterEach(() => {
    Date.now = now;
    localStorage.clear();
  });

  it('is a key for as long as the service knows it, and no longer', () => {
    remember('svc-uploader:a', 'key');
    const began = now();
    const after = (ms: number) => {
      Date.now = () => began + ms;
      return recall('svc-uploader:a');
    };
    const kept = IDEMPOTENCY.keepSeconds * 1000;
    expect(kept).to.equal(24 * 60 * 60 * 1000);
    expect([after(0), after(kept - 1000), after(kept + 1000)]).to.deep.equal(['key', 'key', undefined]);
    forget('svc-uploader:a');
    expect(after(0)).to.equal(undefined);
  });

  it('is nothing where something else stands under its name', () => {
    for (const text of ['', 'key', '{}', '{"key":1}', 'null']) {
      localStorage.setItem('svc-uploader:a', text);
      expect(recall('svc-uploader:a'), text).to.equal(undefined);
    }
  });

  it('is kept under a digest: of the service, the page and the file, and telling none of them', async () => {
    const names = await Promise.all([
      nameFor('https://a.example', 'cv.pdf\n1\n2'),
      nameFor('https://a.example', 'cv.pdf\n1\n3'),
      nameFor('https://b.example', 'cv.pdf\n1\n2'),
    ]);
    expect(new Set(names).size).to.equal(3);
    for (const name of names) expect(name).to.match(/^svc-uploader:[\w+/]{43}=$/);
    expect(await nameFor('https://a.example', 'cv.pdf\n1\n2')).to.equal(names[0]);
  });
});
