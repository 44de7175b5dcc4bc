import { Readable } from 'node:stream';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pingClamd, scanWithClamd, ScannerError } from '../../server/service/scanning/clamd.js';
import { parseScannerAddress, requireScannerAddress } from '../../server/service/scanning/scanner-address.js';
import { startScanner } from '../support/clamd.js';
import type { TestScanner } from '../support/clamd.js';
import { FakeClamd, STREAM_MAX_BYTES, TEST_VIRUS } from '../support/fake-clamd.js';
import { freePort } from '../support/ports.js';

const never = new AbortController().signal;
const TIMEOUTS = { connect: 2000, send: 300, reply: 300 };

const bytesOf = (...parts: (string | Uint8Array)[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const scan = (address: string, bytes: Uint8Array, signal = never) =>
  scanWithClamd(requireScannerAddress(address), async () => Readable.from([bytes]), { signal, timeouts: TIMEOUTS });

describe('scanner address', () => {
  it.each([
    ['clamd://scanner.example.org:3311', { host: 'scanner.example.org', port: 3311 }],
    ['clamd://127.0.0.1', { host: '127.0.0.1', port: 3310 }],
    ['clamd://[::1]:3310', { host: '::1', port: 3310 }],
    ['clamd:///run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
  ])('reads %s', (text, address) => {
    expect(parseScannerAddress(text)).toEqual(address);
  });
  it.each([
    '',
    'off',
    'clamd://',
    'clamd:///',
    'http://a:1',
    'clamd://a:0',
    'clamd://a:65536',
    'clamd://a:1/x',
    'clamd://u@a:1',
    'a:3310',
  ])('refuses "%s"', (text) => {
    expect(parseScannerAddress(text)).toBeUndefined();
  });
});

describe('clamd of Debian', () => {
  let scanner: TestScanner;
  beforeEach(async () => void (scanner = await startScanner()));
  afterEach(() => scanner.stop());
  const real = (bytes: Uint8Array) =>
    scanWithClamd(requireScannerAddress(scanner.address), async () => Readable.from([bytes]), { signal: never });

  it('finds the test signature, also across chunks, and nothing in other bytes', async () => {
    const padding = Buffer.alloc(256 * 1024 - 20, 'x');
    expect(await real(bytesOf('hello'))).toEqual({ state: 'clean' });
    expect(await real(bytesOf(''))).toEqual({ state: 'clean' });
    expect(await real(bytesOf(TEST_VIRUS))).toEqual({ state: 'infected', signature: scanner.signature });
    expect(await real(bytesOf(padding, TEST_VIRUS, padding))).toEqual({ state: 'infected', signature: scanner.signature });
  });

  it('reports a file above its limit as too large, however much is sent', async () => {
    // clamd closes the connection while the file is sent. In some rounds a write fails before the reply is read.
    for (const [size, rounds] of [
      [STREAM_MAX_BYTES + 1, 40],
      [40 * 1024 ** 2, 10],
    ] as const) {
      const bytes = Buffer.alloc(size);
      for (let round = 0; round < rounds; round++) expect(await real(bytes)).toEqual({ state: 'too_large' });
    }
    await pingClamd(requireScannerAddress(scanner.address), { signal: never });
  });
});

describe('a scanner that fails', () => {
  let fake: FakeClamd;
  beforeEach(async () => void (fake = await FakeClamd.start()));
  afterEach(() => fake.stop());

  it('makes a scan fail if it cannot be reached', async () => {
    const address = `clamd://127.0.0.1:${await freePort()}`;
    await expect(scan(address, bytesOf('a'))).rejects.toThrow(ScannerError);
    await expect(pingClamd(requireScannerAddress(address), { signal: never })).rejects.toThrow(ScannerError);
  });

  it('makes a scan fail if it closes the connection while the file is sent', async () => {
    // It reads no further, or it could reply before it closes that the file is too large.
    fake.onBegin = (socket) => new Promise(() => setTimeout(() => socket.destroy(), 20));
    await expect(scan(fake.address, Buffer.alloc(20 * 1024 ** 2))).rejects.toThrow(ScannerError);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closes without a reply', (socket) => socket.end()],
    ['breaks off in its reply', (socket) => socket.end('stream: OK')],
    ['sends no reply of clamd', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\0')],
    ['replies with an error', (socket) => socket.end("Can't allocate memory ERROR\0")],
    ['replies for a path', (socket) => socket.end('/etc/passwd: OK\0')],
    ['sends a reply without an end', (socket) => socket.write(Buffer.alloc(10_000, 'x'))],
    ['never replies', () => {}],
  ])('makes a scan fail if it %s', async (_, react) => {
    fake.answer = (_bytes, socket) => void react(socket);
    await expect(scan(fake.address, bytesOf('a'))).rejects.toThrow(ScannerError);
  });

  it('does not believe that a file is clean before it has received all of it', async () => {
    let resolve = () => {};
    const replied = new Promise<void>((done) => (resolve = done));
    // The callback runs when the kernel has the reply. A round trip later the client has it, too.
    fake.onBegin = (socket) => socket.write('stream: OK\0', () => void FakeClamd.respondsToPing(fake.port).then(() => resolve()));
    async function* slow() {
      yield bytesOf('a');
      await replied;
      yield bytesOf(TEST_VIRUS);
    }
    const address = requireScannerAddress(fake.address);
    await expect(scanWithClamd(address, async () => slow(), { signal: never, timeouts: TIMEOUTS })).rejects.toThrow(
      'unexpected reply',
    );
  });

  it('makes a scan fail if it stops reading', async () => {
    fake.onBegin = () => new Promise(() => {});
    await expect(scan(fake.address, Buffer.alloc(50 * 1024 ** 2))).rejects.toThrow('no progress');
  });

  it('lets the signal end a scan, and a failed read of the file', async () => {
    fake.answer = () => undefined;
    const stop = new AbortController();
    const ended = scan(fake.address, bytesOf('a'), stop.signal);
    await expect.poll(() => fake.scanned.length).toBe(1);
    stop.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
    const unreadable = async () => Promise.reject(new Error('no such blob'));
    await expect(scanWithClamd(requireScannerAddress(fake.address), unreadable, { signal: never })).rejects.toThrow(
      'no such blob',
    );
  });

  it('counts as unavailable if PING gets no reply or another one', async () => {
    const address = requireScannerAddress(fake.address);
    await pingClamd(address, { signal: never, timeouts: TIMEOUTS });
    fake.pong = 'WAT';
    await expect(pingClamd(address, { signal: never, timeouts: TIMEOUTS })).rejects.toThrow('unexpected reply');
    fake.pong = undefined;
    await expect(pingClamd(address, { signal: never, timeouts: TIMEOUTS })).rejects.toThrow('no progress');
  });
});
