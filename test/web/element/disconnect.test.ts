import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, removeAll, until, createUploader } from './fixture.js';
import type { Attributes } from './fixture.js';
import { watchListeners } from './watch-listeners.js';

/** Chromium offers it with a flag of the test runner. Other engines cannot be forced to collect garbage. */
const collectGarbage = (globalThis as { gc?: () => void }).gc;

interface Case {
  title: string;
  storage: string;
  attributes?: Attributes;
  size?: number;
  /** Whether to force a collection. Chromium crashes if it is forced after several aborted uploads. */
  isCollected?: boolean;
  act?: (el: SvcUploader) => void;
  /** The condition to wait for before the element is removed. */
  is: (el: SvcUploader) => boolean;
}

const has =
  (status: string) =>
  (el: SvcUploader): boolean =>
    el.uploads[0]?.state.status === status;

const CASES: Case[] = [
  { title: 'while its bytes are sent', storage: 'hang', isCollected: true, is: has('uploading') },
  { title: 'while several requests are in flight', storage: 'hang', attributes: { multiple: true }, is: has('uploading') },
  {
    title: 'while it waits for a token',
    storage: 'hang',
    attributes: { token: false, 'token-endpoint': '/storage/hang/token' },
    is: has('uploading'),
  },
  { title: 'while it waits for a retry', storage: 'away', is: has('waiting') },
  { title: 'while it hashes', storage: 'hang', attributes: { verify: true }, size: 8_000_000, is: has('uploading') },
  { title: 'while it is paused', storage: 'hang', act: (el) => el.pause(), is: has('paused') },
  { title: 'before a manual upload began', storage: 'hang', attributes: { manual: true }, is: has('queued') },
  {
    title: 'while a submit waits for it',
    storage: 'hang',
    attributes: { name: 'doc', 'submit-waits': true },
    act: (el) => el.form!.requestSubmit(),
    is: has('uploading'),
  },
  {
    title: 'while a transport carries its file',
    storage: 'hang',
    act: (el) => (el.transport = { send: () => new Promise(() => {}) }),
    is: has('uploading'),
  },
];

describe('an element that is removed', () => {
  afterEach(removeAll);

  for (const { title, storage, attributes = {}, size = 400_000, isCollected, act, is } of CASES)
    it(`${title} leaves no listener on window and document${isCollected ? ', and is collected' : ''}`, async () => {
      const listeners = watchListeners();
      const form = document.body.appendChild(document.createElement('form'));
      /** Uses the element in a function of its own, so that no reference remains. */
      const use = async (): Promise<WeakRef<SvcUploader>> => {
        const el = await createUploader(attributes, { storage, parent: form });
        if (title.includes('transport')) act!(el);
        await el.addFiles(Array.from({ length: attributes['multiple'] ? 8 : 1 }, (_, at) => createFile(`${at}.bin`, size)));
        if (!title.includes('transport')) act?.(el);
        await until(() => is(el));
        expect(is(el), 'before it is removed').to.equal(true);
        el.remove();
        return new WeakRef(el);
      };
      try {
        const removed = await use();
        await until(() => listeners.left().length === 0);
        expect(listeners.left()).to.deep.equal([]);
        if (!collectGarbage || !isCollected) return;
        await until(() => {
          collectGarbage();
          return removed.deref() === undefined;
        });
        expect(removed.deref(), 'collected').to.equal(undefined);
      } finally {
        listeners.stop();
      }
    });

  it('continues when it comes back, also after a pause that the service requested', async () => {
    for (const storage of ['slow', 'away']) {
      const el = await createUploader({}, { storage });
      await el.addFiles([createFile('a.bin', 400_000)]);
      await until(() => has(storage === 'slow' ? 'uploading' : 'waiting')(el));
      el.remove();
      await until(() => has('paused')(el));
      expect(el.uploads[0]!.state.status).to.equal('paused');
      el.endpoint = `${location.origin}/storage/store`;
      document.body.append(el);
      // The element waits for the end of the delay. The person ends it with a retry.
      el.retry();
      await until(() => has('done')(el));
      expect(el.uploads[0]!.state.status).to.equal('done');
    }
  });
});
