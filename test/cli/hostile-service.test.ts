import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from './run-command.js';

/** Clears the screen, sets the window title, moves the cursor up, and reverses text: in 7-bit and in C1 form. */
const STEERING = '\u001b[2J\u001b]0;title\u0007\u009b1A\u202eevil\u2028\u007f';
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const KEY = `svc_live_${'a'.repeat(48)}`;
let env: Record<string, string>;
let authorization: string | undefined;

/** A service that puts steering characters into every text that it answers. */
const server = createServer((request, response) => {
  authorization = request.headers.authorization;
  const file = {
    id: '1',
    path: `p${STEERING}`,
    name: STEERING,
    size: 1,
    visibility: STEERING,
    updated_at: STEERING,
    content_type: STEERING,
  };
  const token = { id: STEERING, token: STEERING, expires_at: STEERING, max_uses: 1, uses: 0, path: null, prefix: STEERING };
  const pair = { access_key_id: STEERING, secret_access_key: STEERING, name: STEERING, prefix: STEERING, read_only: true };
  const answers: Record<string, object> = {
    'GET /v1/files': { files: [file], prefixes: [STEERING], cursor: null },
    'GET /v1/upload-tokens': { upload_tokens: [token], cursor: null },
    'POST /v1/upload-tokens': token,
    'GET /v1/s3-credentials': { s3_credentials: [pair] },
    'POST /v1/s3-credentials': pair,
  };
  const answer = answers[`${request.method} ${request.url!.split('?')[0]}`];
  response.statusCode = answer ? 200 : 403;
  response.end(JSON.stringify(answer ? { response: answer } : { code: `API_KEY_SCOPE_DENIED`, message: `${STEERING}\nDone.` }));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  env = { SVC_BLOB_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, SVC_API_KEY: KEY };
});
afterAll(() => server.close());

it.each([
  ['files', 'ls'],
  ['files', 'ls', '--json'],
  ['files', 'stat', 'missing'],
  ['files', 'stat', `p${STEERING}`],
  ['files', 'rm', `p${STEERING}`],
  ['tokens', 'list'],
  ['tokens', 'list', '--json'],
  ['tokens', 'create'],
  ['tokens', 'revoke', 'x'],
  ['s3-credentials', 'list'],
  ['s3-credentials', 'create'],
])('svc-blob %s %s prints no control characters from the service', async (...args) => {
  const { stdout, stderr } = await runCommand(args, env);
  expect(stdout + stderr).not.toBe('');
  expect(stdout).not.toMatch(CONTROLS);
  expect(stderr).not.toMatch(CONTROLS);
});

it('escaped JSON still has the original value', async () => {
  const { stdout } = await runCommand(['files', 'ls', '--json'], env);
  expect(JSON.parse(stdout.split('\n')[1]!)).toMatchObject({ path: `p${STEERING}` });
});

it('a message of the service cannot begin a line of its own', async () => {
  const { stderr } = await runCommand(['tokens', 'revoke', 'x'], env);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

it('a key in a flag works and warns of the process list', async () => {
  const { SVC_BLOB_URL } = env;
  const { status, stderr } = await runCommand(['files', 'ls', '--api-key', KEY], { SVC_BLOB_URL: SVC_BLOB_URL! });
  expect(status).toBe(0);
  expect(authorization).toBe(`Bearer ${KEY}`);
  expect(stderr.match(/process list/g)).toHaveLength(1);
  expect(stderr).not.toContain(KEY);
});

it.each([
  ['ls', 's3://bucket'],
  ['ls', 's3://bucket', '--json'],
  ['cp', 's3://bucket/key', '/dev/null'],
  ['rm', '-r', 's3://bucket/p'],
])('svc-blob %s %s prints no control characters from the store', async (...args) => {
  const text = [...STEERING].map((character) => `&#${character.codePointAt(0)};`).join('');
  const store = createServer((_request, response) => {
    response.statusCode = 403;
    response.end(`<Error><Code>Denied${text}</Code><Message>No ${text}</Message></Error>`);
  });
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL: endpoint };
  const { status, stdout, stderr } = await runCommand([...args, '--retries', '1'], keys);
  store.close();
  expect(status).toBe(1);
  expect(stderr).toContain('Denied');
  expect(stdout + stderr).not.toMatch(CONTROLS);
});

it.each(['-1', '', 'NaN', '1e308', '0x10', '9007199254740993'])('svc-blob refuses a listing with the size "%s"', async (size) => {
  const store = createServer((_request, response) =>
    response.end(
      `<ListBucketResult><Contents><Key>p/a</Key><Size>${size}</Size></Contents><IsTruncated>false</IsTruncated></ListBucketResult>`,
    ),
  );
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL: endpoint };
  const { status, stdout, stderr } = await runCommand(['du', 's3://bucket/p/', '--retries', '1'], keys);
  store.close();
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`ListingBroken: The store states the size "${size}" of an object.`);
});

it.each([
  ['files', 'ls'],
  ['tokens', 'list'],
  ['ls', 's3://bucket/'],
  ['ls', '-r', 's3://bucket/'],
])('svc-blob %s %s ends, though pages without an entry come without end', async (...args) => {
  let asked = 0;
  const endless = createServer((request, response) => {
    const isS3 = !request.url!.startsWith('/v1/');
    asked += 1;
    response.end(
      isS3
        ? `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${asked}</NextContinuationToken></ListBucketResult>`
        : JSON.stringify({ response: { files: [], prefixes: [], upload_tokens: [], cursor: `c${asked}` } }),
    );
  });
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
  const s3 = { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'us-east-1' };
  const { status, stderr } = await runCommand(args, { ...env, ...s3, SVC_BLOB_URL: url });
  endless.close();
  expect([status, stderr]).toEqual([1, expect.stringMatching(/says that (it has|there is) more/)]);
  expect(asked).toBeLessThan(2000);
});
