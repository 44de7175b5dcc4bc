import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from './start-endpoint.js';
import { signedForm } from './post-form.js';

let endpoint: TestEndpoint;
beforeAll(async () => void (endpoint = await TestEndpoint.start()));
afterAll(() => endpoint.stop());

/** Builds a signed form up to the first byte of its file, which may have 1,000 bytes. */
async function formUpToFile(): Promise<{ type: string; bytes: Buffer }> {
  const form = signedForm(endpoint.pair, 'main', { key: 'k' }, [{ key: 'k' }, ['content-length-range', 0, 1000]]);
  const whole = new Response(form);
  const bytes = Buffer.from(await whole.arrayBuffer());
  const end = bytes.indexOf('\r\n\r\n', bytes.indexOf('filename=')) + 4;
  return { type: whole.headers.get('content-type')!, bytes: bytes.subarray(0, end) };
}

const head = (type: string, length: number): string =>
  `POST /main HTTP/1.1\r\nHost: ${endpoint.host}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

async function open(): Promise<{ socket: Socket; responses: () => string }> {
  const { hostname, port } = new URL(endpoint.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  let text = '';
  socket.on('data', (data) => (text += data.toString('latin1')));
  await once(socket, 'connect');
  return { socket, responses: () => text };
}

const field = '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nx\r\n';
const file = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n`;
const own = (text: string) => async () => ({ type: 'multipart/form-data; boundary=b', bytes: Buffer.from(text) });
const unsigned = own(field + file('file'));

describe('a form that is rejected before its file arrives', () => {
  it.each([
    ['for its size', formUpToFile, 400, 'EntityTooLarge'],
    ['for a missing policy', unsigned, 403, 'AccessDenied'],
    ['for a repeated field', own(field + field + file('file')), 400, 'InvalidArgument'],
    ['for a file of another name', own(field + file('other')), 400, 'MalformedPOSTRequest'],
  ])(
    '%s is read to its end, so that a client which sends all of it gets the reason and can use the connection again',
    async (_why, form, status, code) => {
      const { type, bytes } = await form();
      const size = 20_000_000;
      const { socket, responses } = await open();
      socket.write(head(type, bytes.length + size));
      socket.write(bytes);
      await new Promise<void>((resolve) => socket.write(Buffer.alloc(size), () => resolve()));
      socket.write(`GET / HTTP/1.1\r\nHost: ${endpoint.host}\r\n\r\n`);
      await expect.poll(() => responses().match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 403']);
      expect(responses()).toContain(`<Code>${code}</Code>`);
      socket.destroy();
      expect(await endpoint.stored()).toEqual({ keys: [], reservations: 0 });
    },
  );
});

it.each([
  // The shortest delay, because the check of a policy takes about a millisecond.
  ['while its policy is checked', async () => sleep(1), formUpToFile],
  ['after it was rejected', async (responses: () => string) => expect.poll(responses).toContain('AccessDenied'), unsigned],
])('a form that ends inside its file %s does not end the process', async (_when, moment, form) => {
  const { type, bytes } = await form();
  for (let times = 0; times < 20; times++) {
    const { socket, responses } = await open();
    socket.write(head(type, bytes.length + 500));
    socket.write(Buffer.concat([bytes, Buffer.alloc(100)]));
    await moment(responses);
    socket.resetAndDestroy();
  }
  await expect.poll(() => endpoint.stored()).toEqual({ keys: [], reservations: 0 });
  expect((await endpoint.fetch('/')).status).toBe(403);
});

/** Builds a signed form with a file of this size and further parts after it. */
async function formWith(size: number, behind: string): Promise<{ type: string; body: Buffer<ArrayBuffer> }> {
  const form = signedForm(endpoint.pair, 'main', { key: 'k' }, [{ key: 'k' }], { file: new Uint8Array(size) });
  const whole = new Response(form);
  const type = whole.headers.get('content-type')!;
  const bytes = Buffer.from(await whole.arrayBuffer());
  const boundary = type.split('boundary=')[1]!;
  const end = bytes.lastIndexOf(`--${boundary}--`);
  const parts = `--${boundary}\r\n${behind}\r\n\r\nv\r\n`;
  return { type, body: Buffer.concat([bytes.subarray(0, end), Buffer.from(parts), bytes.subarray(end)]) };
}

describe.each([
  ['without a name', 'Content-Disposition: form-data'],
  ['in an unknown charset', 'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=none'],
])('a field %s', (_what, headers) => {
  it('after the file is ignored', async () => {
    // Large enough that the parser must wait for the storage.
    const { type, body } = await formWith(3_000_000, headers);
    const response = await endpoint.fetch('/main', { method: 'POST', headers: { 'Content-Type': type }, body });
    expect(response.status).toBe(204);
    await endpoint.send('DELETE', '/main/k');
  });

  it('before the file is rejected', async () => {
    const body = `${field}--b\r\n${headers}\r\n\r\nv\r\n${file('file')}x\r\n--b--\r\n`;
    const response = await endpoint.fetch('/main', {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      body,
    });
    expect([response.status, response.code]).toEqual([400, 'MalformedPOSTRequest']);
  });
});
