import { describe, expect, it, vi } from 'vitest';
import { createUploadQueue } from '../../src/queue/upload-queue.js';
import type { TokenRequest, UploadQueue } from '../../src/queue/types.js';
import { BlobError } from '../../src/protocol/errors.js';
import type { Transport } from '../../src/protocol/transport.js';
import type { FileRecord } from '../../src/protocol/types.js';
// Loads the engine before the tests, some of which stop the clock.
import '../../src/queue/upload-engine.js';

const createFiles = (count: number) => Array.from({ length: count }, (_, index) => new File(['bytes'], `${index}.txt`));
const statuses = (queue: UploadQueue) => queue.items.map(({ state }) => state.status);

describe('a faulty transport', () => {
  const record = { id: '1', path: 'there/1.txt' } as FileRecord;
  const waitForCompletion = (queue: UploadQueue) => new Promise((resolve) => queue.on('complete', resolve));

  it.each([undefined, null, 'there/1.txt', {}, { file: record }, { ...record, path: null }, [record]])(
    'fails the file if it returns %j',
    async (result) => {
      const results = [result, record];
      const queue = createUploadQueue({ preventsLeaving: false, transport: { send: async () => results.shift() as FileRecord } });
      const ended = waitForCompletion(queue);
      queue.add(createFiles(2));
      await ended;
      expect(statuses(queue)).toEqual(['failed', 'done']);
      expect(queue.items[0]!.state).toMatchObject({ error: { code: 'UNEXPECTED_ANSWER' } });
      queue.destroy();
    },
  );

  it('is not called again if it aborts its own request', async () => {
    let calls = 0;
    const queue = createUploadQueue({
      preventsLeaving: false,
      transport: {
        send: () => {
          if (++calls > 20) throw new Error('too often');
          return Promise.reject(new BlobError('ABORTED', 'The transport aborted it.'));
        },
      },
    });
    const ended = waitForCompletion(queue);
    queue.add(createFiles(1));
    await ended;
    expect(statuses(queue)).toEqual(['failed']);
    expect(calls).toBe(1);
    queue.destroy();
  });

  it.each([
    ['is a string', 's3' as unknown as Transport],
    ['throws a TypeError', { send: async () => (undefined as unknown as { file: FileRecord }).file }],
  ])('fails the file without a retry if it %s', async (_, transport) => {
    const queue = createUploadQueue({ preventsLeaving: false, transport });
    const ended = waitForCompletion(queue);
    let retries = 0;
    queue.on('retry', () => retries++);
    queue.add(createFiles(1));
    await ended;
    expect(retries).toBe(0);
    expect(queue.items[0]!.state).toMatchObject({
      status: 'failed',
      retryable: true,
      error: {
        code: 'VALIDATION_ERROR',
        path: 'transport',
        message: expect.stringMatching(/^`transport` .*(function|undefined)/),
      },
    });
    queue.destroy();
  });
});

describe('the queue', () => {
  const record = { id: '1', path: 'there/1.txt' } as FileRecord;
  const limits = { maxSize: null, allowedExtensions: null, maxFiles: null, maxTotalSize: null, allowEmpty: false };

  it('completes although stored files are removed at once', async () => {
    const queue = createUploadQueue({ preventsLeaving: false, transport: { send: async () => record } });
    const completions: unknown[] = [];
    queue.on('complete', ({ successful, failed }) => completions.push([successful.map(({ name }) => name), failed.length]));
    queue.on('change', ({ item }) => item.state.status === 'done' && queue.cancel(item.id));
    queue.add(createFiles(1));
    await vi.waitFor(() => expect(completions).toEqual([[['0.txt'], 0]]));
    expect(queue.items).toEqual([]);
    queue.destroy();
  });

  it('completes once when new limits refuse the remaining files', async () => {
    const queue = createUploadQueue({ preventsLeaving: false, manual: true, transport: { send: async () => record } });
    let completions = 0;
    queue.on('complete', () => (completions += 1));
    queue.add(createFiles(2));
    queue.configure({ limits: { ...limits, allowedExtensions: ['pdf'] } });
    await vi.waitFor(() => expect([statuses(queue), completions]).toEqual([['rejected', 'rejected'], 1]));
    queue.dismiss();
    queue.add([new File(['bytes'], 'a.pdf')]);
    await new Promise(setImmediate);
    expect([statuses(queue), completions]).toEqual([['queued'], 1]);
    queue.destroy();
  });

  it('validates thousands of files against new limits in slices, and sends none of them meanwhile', async () => {
    const queue = createUploadQueue({ preventsLeaving: false, manual: true });
    queue.add(createFiles(3000));
    let clock = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 5));
    queue.configure({ limits: { ...limits, allowedExtensions: ['pdf'] } });
    expect(queue.totals.rejected).toBeGreaterThan(0);
    expect(queue.totals.rejected).toBeLessThan(3000);
    // Newer limits abort the validation against earlier ones.
    queue.configure({ limits: { ...limits, maxSize: 1 } });
    await vi.waitFor(() => expect(queue.totals).toMatchObject({ rejected: 3000, queued: 0 }));
    now.mockRestore();
    queue.destroy();
  });

  it('copies the list once if 1,000 failed files are chosen again', () => {
    const queue = createUploadQueue({ preventsLeaving: false, manual: true });
    const chosen = createFiles(1000);
    const preparationError = new BlobError('FILE_UNREADABLE', 'The file does not exist.');
    queue.add(chosen.map((file) => ({ file, relativePath: '', preparationError })));
    expect(queue.totals).toMatchObject({ files: 1000, failed: 1000 });
    const lists = new Set([queue.items]);
    queue.on('remove', () => lists.add(queue.items));
    queue.add(chosen);
    expect(lists.size).toBe(2);
    expect(queue.totals).toMatchObject({ files: 1000, queued: 1000, failed: 0 });
    queue.destroy();
  });

  it('never sends files that could not be prepared, and returns them on retry', async () => {
    let sent = 0;
    const queue = createUploadQueue({ preventsLeaving: false, transport: { send: async () => (sent++, record) } });
    const returned: string[] = [];
    queue.on('prepare-again', ({ chosen }) => returned.push(...chosen.map(({ file }) => file.name)));
    const ended = new Promise((resolve) => queue.on('complete', resolve));
    const preparationError = new BlobError('NETWORK_ERROR', 'A part of the script did not load: collectFiles.');
    queue.add(createFiles(2).map((file) => ({ file, relativePath: '', preparationError })));
    expect(await ended).toMatchObject({ successful: [], failed: [{ name: '0.txt' }, { name: '1.txt' }] });
    queue.retry();
    expect(returned).toEqual(['0.txt', '1.txt']);
    expect(queue.items).toEqual([]);
    await new Promise(setImmediate);
    expect(sent).toBe(0);
    queue.destroy();
  });
});

describe('a file that is removed before its upload', () => {
  // The queue prepares a request in a few microtasks. The page may remove the file in each of them.
  it.each(Array.from({ length: 12 }, (_, turns) => turns))('requests no token: after %i microtasks', async (turns) => {
    let isRemoved = false;
    let lateCalls = 0;
    const tokenProvider = () => {
      if (isRemoved) lateCalls++;
      return new Promise<never>(() => {});
    };
    const queue = createUploadQueue({ preventsLeaving: false, endpoint: 'https://blob.example', tokenProvider });
    queue.add(createFiles(1));
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    queue.clear();
    isRemoved = true;
    await new Promise(setImmediate);
    expect(lateCalls).toBe(0);
    queue.destroy();
  });

  it('does not prevent the request for a file that is chosen in the same task', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const requested: string[] = [];
      const tokenProvider = ({ files: wanted }: TokenRequest) => {
        requested.push(...wanted.map(({ name }) => name));
        return new Promise<never>(() => {});
      };
      const queue = createUploadQueue({ preventsLeaving: false, endpoint: 'https://blob.example', tokenProvider });
      queue.add(createFiles(1));
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      queue.clear();
      queue.add([new File(['bytes'], 'next.txt')]);
      await vi.waitFor(() => expect(requested).toContain('next.txt'));
      queue.destroy();
    }
  });

  it('is not sent if the listener of a starting upload removes it', async () => {
    const requests: string[][] = [];
    const open = vi.fn();
    class Request {
      upload = {};
      open = open;
      setRequestHeader() {}
      addEventListener() {}
      send() {}
      abort() {}
    }
    vi.stubGlobal('XMLHttpRequest', Request);
    const grant = { token: 'svcup_1', url: 'https://blob.example', max_uses: 5 };
    const tokenProvider = async ({ files: wanted }: TokenRequest) => {
      requests.push(wanted.map(({ name }) => name));
      return grant;
    };
    const queue = createUploadQueue({ preventsLeaving: false, concurrency: 1, tokenProvider });
    queue.on('change', ({ item }) => item.state.status === 'uploading' && item.name === '0.txt' && queue.cancel('file-2'));
    queue.add(createFiles(2));
    await vi.waitFor(() => expect(open).toHaveBeenCalled());
    expect(requests).toEqual([['0.txt']]);
    expect(open.mock.calls.map(([, url]) => url)).toEqual(['https://blob.example/v1/files']);
    queue.destroy();
    vi.unstubAllGlobals();
  });

  it('sends no file that was removed just before its request starts', async () => {
    const aborted: boolean[] = [];
    const transport: Transport = {
      send: async (_, { signal }) => (aborted.push(signal.aborted), { id: '1', path: 'a' } as FileRecord),
    };
    for (let microtasks = 0; microtasks < 30; microtasks++) {
      const queue = createUploadQueue({ preventsLeaving: false, transport });
      const entered = new Promise<void>((resolve) => queue.on('change', () => resolve()));
      queue.add(createFiles(1));
      await entered;
      for (let count = 0; count < microtasks; count++) await Promise.resolve();
      queue.clear();
      for (let task = 0; task < 3; task++) await new Promise((resolve) => setTimeout(resolve));
      queue.destroy();
    }
    expect(aborted).not.toContain(true);
  });
});
