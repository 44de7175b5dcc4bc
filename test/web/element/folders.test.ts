// Every browser: engines implement directory entries differently.
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/svc-uploader.js';
import type { Transport } from '../../../src/protocol/transport.js';
import { createFile, once, waitForPaint, removeAll, findRows, createUploader } from './fixture.js';

/** Whether entries whose path contains `closed` can be read now. */
let isOpen = true;
const createRefusal = (): DOMException => new DOMException('No.', 'NotReadableError');

// Scripts cannot drop folders. These entries behave like those of a browser, which returns 100 at a time.
const nameOf = (path: string): string => path.split('/').pop()!;
const createEntry = (fullPath: string) => ({
  isFile: true,
  isDirectory: false,
  name: nameOf(fullPath),
  fullPath,
  file: (resolve: (file: File) => void, reject: (error: DOMException) => void) =>
    isOpen || !fullPath.includes('closed') ? resolve(createFile(nameOf(fullPath), 5)) : reject(createRefusal()),
});
const createFolder = (fullPath: string, all: readonly unknown[]) => ({
  isFile: false,
  isDirectory: true,
  name: nameOf(fullPath),
  fullPath,
  createReader: () => {
    let offset = 0;
    return {
      readEntries: (resolve: (entries: unknown[]) => void, reject: (error: DOMException) => void) =>
        isOpen || !fullPath.includes('closed') ? resolve(all.slice(offset, (offset += 100))) : reject(createRefusal()),
    };
  },
});

async function drop(el: SvcUploader, root: unknown): Promise<void> {
  const items = [{ kind: 'file', webkitGetAsEntry: () => root, getAsFile: () => null }];
  const event = new Event('drop', { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], files: [], items } });
  const changed = once(el, 'change');
  el.dispatchEvent(event);
  await changed;
}

const listStates = (el: SvcUploader): string[] => el.uploads.map(({ relativePath, state }) => `${relativePath} ${state.status}`);

describe('a dropped folder', () => {
  afterEach(() => {
    isOpen = true;
    removeAll();
  });

  it('with 10,000 files in 100 folders is read completely, and its list stays short', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    const inner = (at: number) =>
      createFolder(
        `/photos/${at}`,
        Array.from({ length: 100 }, (_, index) => createEntry(`/photos/${at}/${index}.jpg`)),
      );
    await drop(
      el,
      createFolder(
        '/photos',
        Array.from({ length: 100 }, (_, at) => inner(at)),
      ),
    );
    expect(new Set(el.uploads.map(({ relativePath }) => relativePath)).size).to.equal(10_000);
    expect(el.uploads.at(-1)!.relativePath).to.equal('photos/99/99.jpg');
    await waitForPaint(el);
    expect(findRows(el).length).to.be.lessThan(30);
  });

  it('is read completely, with the path of each file', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await drop(
      el,
      createFolder(
        '/photos',
        Array.from({ length: 250 }, (_, index) => createEntry(`/photos/${index}.jpg`)),
      ),
    );
    expect(el.uploads.length).to.equal(250);
    expect(el.uploads[249]!.relativePath).to.equal('photos/249.jpg');
  });

  it('reports unreadable entries, and reads them again on retry', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    isOpen = false;
    const closed = createFolder('/a/closed', [createEntry('/a/closed/in.txt')]);
    await drop(
      el,
      createFolder('/a', [createEntry('/a/closed.txt'), createEntry('/a/open.txt'), closed, createFolder('/a/bare', [])]),
    );
    expect(listStates(el)).to.deep.equal(['a/closed.txt failed', 'a/open.txt queued', 'a/closed failed']);
    isOpen = true;
    const again = once(el, 'change');
    el.retry();
    await again;
    expect(listStates(el).toSorted()).to.deep.equal(['a/closed.txt queued', 'a/closed/in.txt queued', 'a/open.txt queued']);
  });

  it('includes empty folders if the transport and the page accept them', async () => {
    const transport: Transport = { folders: true, send: () => new Promise(() => {}) };
    const root = () => createFolder('/a', [createFolder('/a/bare', []), createEntry('/a/b.txt')]);
    const el = await createUploader({ multiple: true, manual: true, 'allow-empty': true });
    el.transport = transport;
    await drop(el, root());
    expect(listStates(el)).to.deep.equal(['a/bare/ queued', 'a/b.txt queued']);
    for (const limits of [{}, { 'allow-empty': true, accept: '.txt' }, { 'allow-empty': true, 'allowed-extensions': 'txt' }]) {
      const other = await createUploader({ multiple: true, manual: true, ...limits });
      other.transport = transport;
      await drop(other, root());
      expect(listStates(other)).to.deep.equal(['a/b.txt queued']);
    }
  });
});
