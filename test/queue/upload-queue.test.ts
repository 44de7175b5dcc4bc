import { describe, expect, it, vi } from 'vitest';
import { createUploadQueue } from '../../src/queue/upload-queue.js';
import type { TokenRequest, UploadQueue } from '../../src/queue/types.js';
import { BlobError } from '../../src/protocol/errors.js';
import type { Transport } from '../../src/protocol/transport.js';
import type { FileRecord } from '../../src/protocol/types.js';
// Loads the engine before the tests, some of which stop the clock.
import '../../src/queue/upload-engine.js';

const files = (count: number) => Array.from({ length: count }, (_, at) => new File(['bytes'], `${at}.txt`));
const statuses = (queue: UploadQueue) => queue.items.map(({ state }) => state.status);

describe('a transport that says something else than where the file is', () => {
  const record = { id: '1', path: 'there/1.txt' } as FileRecord;
  const complete = (queue: UploadQueue) => new Promise((resolve) => queue.on('complete', resolve));

  it.each([undefined, null, 'there/1.txt', {}, { file: record }, { ...record, path: null }, [record]])(
    'fails: %j',
    async (answer) => {
      const answers = [answer, record];
      const queue = createUploadQueue({ guard: false, transport: { send: async () => answers.shift() as FileRecord } });
      const ended = complete(queue);
      queue.add(files(2));
      await ended;
      expect(statuses(queue)).toEqual(['failed', 'done']);
      expect(queue.items[0]!.state).toMatchObject({ error: { code: 'UNEXPECTED_ANSWER' } });
      queue.destroy();
    },
  );

  it('is not asked again and again when it ends its own request', async () => {
    let asked = 0;
    const queue = createUploadQueue({
      guard: false,
      transport: {
        send: () => {
          if (++asked > 20) throw new Error('too often');
          return Promise.reject(new BlobError('ABORTED', 'I did.'));
        },
      },
    });
    const ended = complete(queue);
    queue.add(files(1));
    await ended;
    expect(statuses(queue)).toEqual(['failed']);
    expect(asked).toBe(1);
    queue.destroy();
  });

  it.each([
    ['is none', 's3' as unknown as Transport],
    ['has a mistake in it', { send: async () => (undefined as unknown as { file: FileRecord }).file }],
  ])('is no outage that is waited for: it %s', async (_, transport) => {
    const queue = createUploadQueue({ guard: false, transport });
    const ended = complete(queue);
    let again = 0;
    queue.on('retry', () => again++);
    queue.add(files(1));
    await ended;
    expect(again).toBe(0);
    expect(queue.items[0]!.state).toMatchObject({
      status: 'failed',
      retryable: true,
      error: {
        code: 'VALIDATION_ERROR',
        path: 'transport',
        message: expect.stringMatching(/^transport: .*(function|undefined)/),
      },
    });
    queue.destroy();
  });
});

describe('the list', () => {
  const record = { id: '1', path: 'there/1.txt' } as FileRecord;
  const limits = { maxSize: null, allowedExtensions: null, maxFiles: null, maxTotalSize: null, allowEmpty: false };

  it('tells that all is through although what was stored is taken off at once', async () => {
    const queue = createUploadQueue({ guard: false, transport: { send: async () => record } });
    const told: unknown[] = [];
    queue.on('complete', ({ successful, failed }) => told.push([successful.map(({ name }) => name), failed.length]));
    queue.on('change', ({ item }) => item.state.status === 'done' && queue.cancel(item.id));
    queue.add(files(1));
    await vi.waitFor(() => expect(told).toEqual([[['0.txt'], 0]]));
    expect(queue.items).toEqual([]);
    queue.destroy();
  });

  it('tells that all is through when new limits refuse the rest, and not as the next choice is made', async () => {
    const queue = createUploadQueue({ guard: false, manual: true, transport: { send: async () => record } });
    let told = 0;
    queue.on('complete', () => (told += 1));
    queue.add(files(2));
    queue.configure({ limits: { ...limits, allowedExtensions: ['pdf'] } });
    await vi.waitFor(() => expect([statuses(queue), told]).toEqual([['rejected', 'rejected'], 1]));
    queue.dismiss();
    queue.add([new File(['bytes'], 'a.pdf')]);
    await new Promise(setImmediate);
    expect([statuses(queue), told]).toEqual([['queued'], 1]);
    queue.destroy();
  });

  it('lets other work through while it judges thousands by new limits, and sends none of them meanwhile', async () => {
    const queue = createUploadQueue({ guard: false, manual: true });
    queue.add(files(3000));
    let clock = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 5));
    queue.configure({ limits: { ...limits, allowedExtensions: ['pdf'] } });
    expect(queue.totals.rejected).toBeGreaterThan(0);
    expect(queue.totals.rejected).toBeLessThan(3000);
    // Newer limits end the judging by those before them.
    queue.configure({ limits: { ...limits, maxSize: 1 } });
    await vi.waitFor(() => expect(queue.totals).toMatchObject({ rejected: 3000, queued: 0 }));
    now.mockRestore();
    queue.destroy();
  });

  it('takes 10,000 failed files that are chosen again in a moment', () => {
    const queue = createUploadQueue({ guard: false, manual: true });
    const chosen = files(10_000);
    const unready = new BlobError('FILE_UNREADABLE', 'It is not there.');
    queue.add(chosen.map((file) => ({ file, relativePath: '', unready })));
    expect(queue.totals).toMatchObject({ files: 10_000, failed: 10_000 });
    const before = process.cpuUsage();
    queue.add(chosen);
    const { user } = process.cpuUsage(before);
    // Copying the list for each file would take several seconds of CPU.
    expect(user / 1000).toBeLessThan(1000);
    expect(queue.totals).toMatchObject({ files: 10_000, queued: 10_000, failed: 0 });
    queue.destroy();
  });

  it('never sends what could not be made ready, and gives it back when it is asked for again', async () => {
    let sent = 0;
    const queue = createUploadQueue({ guard: false, transport: { send: async () => (sent++, record) } });
    const again: string[] = [];
    queue.on('again', ({ chosen }) => again.push(...chosen.map(({ file }) => file.name)));
    const ended = new Promise((resolve) => queue.on('complete', resolve));
    const unready = new BlobError('NETWORK_ERROR', 'A part of the script did not load: collectFiles.');
    queue.add(files(2).map((file) => ({ file, relativePath: '', unready })));
    expect(await ended).toMatchObject({ successful: [], failed: [{ name: '0.txt' }, { name: '1.txt' }] });
    queue.retry();
    expect(again).toEqual(['0.txt', '1.txt']);
    expect(queue.items).toEqual([]);
    await new Promise(setImmediate);
    expect(sent).toBe(0);
    queue.destroy();
  });
});

describe('a file that is removed before its upload', () => {
  // The queue prepares a request in a few microtasks. The page may remove the file in each of them.
  it.each(Array.from({ length: 12 }, (_, turns) => turns))('asks no token provider: after %i microtasks', async (turns) => {
    let isRemoved = false;
    let late = 0;
    const tokenProvider = () => {
      if (isRemoved) late++;
      return new Promise<never>(() => {});
    };
    const queue = createUploadQueue({ guard: false, endpoint: 'https://blob.example', tokenProvider });
    queue.add(files(1));
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    queue.clear();
    isRemoved = true;
    await new Promise(setImmediate);
    expect(late).toBe(0);
    queue.destroy();
  });

  it('does not keep a file from a token that is chosen in its place in the same task', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const asked: string[] = [];
      const tokenProvider = ({ files: wanted }: TokenRequest) => {
        asked.push(...wanted.map(({ name }) => name));
        return new Promise<never>(() => {});
      };
      const queue = createUploadQueue({ guard: false, endpoint: 'https://blob.example', tokenProvider });
      queue.add(files(1));
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      queue.clear();
      queue.add([new File(['bytes'], 'next.txt')]);
      await vi.waitFor(() => expect(asked).toContain('next.txt'));
      queue.destroy();
    }
  });

  it('is not sent when its neighbour, whose upload begins, is what removed it', async () => {
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
    const queue = createUploadQueue({ guard: false, concurrency: 1, tokenProvider });
    queue.on('change', ({ item }) => item.state.status === 'uploading' && item.name === '0.txt' && queue.cancel('file-2'));
    queue.add(files(2));
    await vi.waitFor(() => expect(open).toHaveBeenCalled());
    expect(requests).toEqual([['0.txt']]);
    expect(open.mock.calls.map(([, url]) => url)).toEqual(['https://blob.example/v1/files']);
    queue.destroy();
    vi.unstubAllGlobals();
  });
});
