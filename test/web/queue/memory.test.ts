import { expect } from 'chai';
import { QueueItem } from '../../../src/queue/queue-item.js';
import { deleteResumeKey, storageKeyOf, readResumeKey, saveResumeKey } from '../../../src/queue/transport/resume-keys.js';
import type { Preparation } from '../../../src/queue/types.js';
import { IDEMPOTENCY } from '../../../src/protocol/limits.js';

describe('the key of a resumable upload', () => {
  const { now } = Date;
  beforeEach(() => localStorage.clear());
  afterEach(() => {
    Date.now = now;
    localStorage.clear();
  });

  it('is kept for as long as the service knows it', () => {
    saveResumeKey('svc-uploader:a', 'key');
    const start = now();
    const readAfter = (ms: number) => {
      Date.now = () => start + ms;
      return readResumeKey('svc-uploader:a');
    };
    const duration = IDEMPOTENCY.keepSeconds * 1000;
    expect(duration).to.equal(24 * 60 * 60 * 1000);
    expect([readAfter(0), readAfter(duration - 1000), readAfter(duration + 1000)]).to.deep.equal(['key', 'key', undefined]);
    deleteResumeKey('svc-uploader:a');
    expect(readAfter(0)).to.equal(undefined);
  });

  it('is ignored if the stored entry has another format', () => {
    for (const text of ['', 'key', '{}', '{"key":1}', 'null']) {
      localStorage.setItem('svc-uploader:a', text);
      expect(readResumeKey('svc-uploader:a'), text).to.equal(undefined);
    }
  });

  it('is stored under a digest of service, page, file and content, which reveals none of them', async () => {
    const item = (
      changes: { lastModified?: number; sample?: string; preparation?: Preparation; metadata?: Record<string, string> } = {},
    ) => {
      const { lastModified = 2, sample = 'a', preparation, metadata } = changes;
      const file = new File(['1'], 'cv.pdf', { lastModified });
      return Object.assign(QueueItem.fromChosen('1', { file, relativePath: '', ...(preparation && { preparation }) }), {
        sample,
        metadata,
      });
    };
    const settings = (isChanged: boolean) => ({ settings: '{"stripLocation":true}', isChanged });
    const names = await Promise.all([
      storageKeyOf('https://a.example', item()),
      storageKeyOf('https://a.example', item({ lastModified: 3 })),
      storageKeyOf('https://b.example', item()),
      storageKeyOf('https://a.example', item({ sample: 'b' })),
      storageKeyOf('https://a.example', item({ preparation: settings(false) })),
      storageKeyOf('https://a.example', item({ metadata: { caption: 'a' } })),
      storageKeyOf('https://a.example', item({ metadata: { caption: 'b' } })),
    ]);
    expect(new Set(names).size).to.equal(names.length);
    for (const name of names) expect(name).to.match(/^svc-uploader:[\w+/]{43}=$/);
    expect(await storageKeyOf('https://a.example', item())).to.equal(names[0]);
    expect(await storageKeyOf('https://a.example', item({ preparation: settings(true) })), 'a changed photo').to.equal(undefined);
  });
});
