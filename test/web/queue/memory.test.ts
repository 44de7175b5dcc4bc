import { expect } from 'chai';
import { QueueItem } from '../../../src/queue/queue-item.js';
import { deleteResumeKey, storageKeyOf, readResumeKey, saveResumeKey } from '../../../src/queue/transport/resume-keys.js';
import type { Preparation } from '../../../src/queue/types.js';
import { IDEMPOTENCY } from '../../../src/protocol/limits.js';

describe('what outlives a reload', () => {
  const { now } = Date;
  beforeEach(() => localStorage.clear());
  afterEach(() => {
    Date.now = now;
    localStorage.clear();
  });

  it('is a key for as long as the service knows it, and no longer', () => {
    saveResumeKey('svc-uploader:a', 'key');
    const began = now();
    const after = (ms: number) => {
      Date.now = () => began + ms;
      return readResumeKey('svc-uploader:a');
    };
    const kept = IDEMPOTENCY.keepSeconds * 1000;
    expect(kept).to.equal(24 * 60 * 60 * 1000);
    expect([after(0), after(kept - 1000), after(kept + 1000)]).to.deep.equal(['key', 'key', undefined]);
    deleteResumeKey('svc-uploader:a');
    expect(after(0)).to.equal(undefined);
  });

  it('is nothing where something else stands under its name', () => {
    for (const text of ['', 'key', '{}', '{"key":1}', 'null']) {
      localStorage.setItem('svc-uploader:a', text);
      expect(readResumeKey('svc-uploader:a'), text).to.equal(undefined);
    }
  });

  it('is kept under a digest of the service, the page, the file and its content, and tells none of them', async () => {
    const item = (changes: { lastModified?: number; sample?: string; preparation?: Preparation } = {}) => {
      const { lastModified = 2, sample = 'a', preparation } = changes;
      const file = new File(['1'], 'cv.pdf', { lastModified });
      return Object.assign(QueueItem.fromChosen('1', { file, relativePath: '', ...(preparation && { preparation }) }), {
        sample,
      });
    };
    const settings = (isChanged: boolean) => ({ settings: '{"stripLocation":true}', isChanged });
    const names = await Promise.all([
      storageKeyOf('https://a.example', item()),
      storageKeyOf('https://a.example', item({ lastModified: 3 })),
      storageKeyOf('https://b.example', item()),
      storageKeyOf('https://a.example', item({ sample: 'b' })),
      storageKeyOf('https://a.example', item({ preparation: settings(false) })),
    ]);
    expect(new Set(names).size).to.equal(5);
    for (const name of names) expect(name).to.match(/^svc-uploader:[\w+/]{43}=$/);
    expect(await storageKeyOf('https://a.example', item())).to.equal(names[0]);
    expect(await storageKeyOf('https://a.example', item({ preparation: settings(true) })), 'a changed photo').to.equal(undefined);
  });
});
