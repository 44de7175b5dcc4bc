import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RequestListener } from 'node:http';
import { runCommand } from './run-command.js';
import { startServer } from './start-server.js';
import type { TestServer } from './start-server.js';

/** Clears the screen, sets the window title, moves the cursor up, and reverses text, in 7-bit and in C1 form. */
const CONTROL_TEXT = '\u001b[2J\u001b]0;title\u0007\u009b1A\u202eevil\u2028\u007f';
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const API_KEY = `svc_live_${'a'.repeat(48)}`;

const FILE = {
  id: '1',
  path: `p${CONTROL_TEXT}`,
  name: CONTROL_TEXT,
  size: 1,
  visibility: CONTROL_TEXT,
  updated_at: CONTROL_TEXT,
  content_type: CONTROL_TEXT,
};
const TOKEN = {
  id: CONTROL_TEXT,
  token: CONTROL_TEXT,
  expires_at: CONTROL_TEXT,
  max_uses: 1,
  uses: 0,
  path: null,
  prefix: CONTROL_TEXT,
};
const KEY_PAIR = {
  access_key_id: CONTROL_TEXT,
  secret_access_key: CONTROL_TEXT,
  name: CONTROL_TEXT,
  prefix: CONTROL_TEXT,
  read_only: true,
};
const RESPONSES: Record<string, object> = {
  'GET /v1/files': { files: [FILE], prefixes: [CONTROL_TEXT], cursor: null },
  'GET /v1/upload-tokens': { upload_tokens: [TOKEN], cursor: null },
  'POST /v1/upload-tokens': TOKEN,
  'GET /v1/s3-credentials': { s3_credentials: [KEY_PAIR] },
  'POST /v1/s3-credentials': KEY_PAIR,
};

/** Runs a command against a store that sends the same response to every request. */
async function runAgainstStore(respond: RequestListener, args: string[]) {
  const store = await startServer(respond);
  onTestFinished(() => store.close());
  return runCommand(args, { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL: store.url });
}

describe('svc-blob with a service that sends control characters', () => {
  let service: TestServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    service = await startServer((request, response) => {
      const found = RESPONSES[`${request.method} ${request.url!.split('?')[0]}`];
      response.statusCode = found ? 200 : 403;
      const error = { code: 'API_KEY_SCOPE_DENIED', message: `${CONTROL_TEXT}\nDone.` };
      response.end(JSON.stringify(found ? { response: found } : error));
    });
    env = { SVC_BLOB_URL: service.url, SVC_API_KEY: API_KEY };
  });
  afterAll(() => service.close());

  it.each([
    ['files', 'ls'],
    ['files', 'ls', '--json'],
    ['files', 'stat', 'missing'],
    ['files', 'stat', `p${CONTROL_TEXT}`],
    ['files', 'rm', `p${CONTROL_TEXT}`],
    ['tokens', 'list'],
    ['tokens', 'list', '--json'],
    ['tokens', 'create'],
    ['tokens', 'revoke', 'x'],
    ['s3-credentials', 'list'],
    ['s3-credentials', 'create'],
  ])('prints none of them: %s %s', async (...args) => {
    const { stdout, stderr } = await runCommand(args, env);

    expect(stdout + stderr).not.toBe('');
    expect(stdout).not.toMatch(CONTROLS);
    expect(stderr).not.toMatch(CONTROLS);
  });

  it('escapes them in JSON, so that parsers read the original value', async () => {
    const { stdout } = await runCommand(['files', 'ls', '--json'], env);

    expect(JSON.parse(stdout.split('\n')[1]!)).toMatchObject({ path: `p${CONTROL_TEXT}` });
  });

  it('prints a message with a line break on one line', async () => {
    const { stderr } = await runCommand(['tokens', 'revoke', 'x'], env);

    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('svc-blob with a store that sends control characters', () => {
  it.each([
    ['ls', 's3://bucket'],
    ['ls', 's3://bucket', '--json'],
    ['cp', 's3://bucket/key', '/dev/null'],
    ['rm', '-r', 's3://bucket/p'],
  ])('prints none of them: %s %s', async (...args) => {
    const controlXml = [...CONTROL_TEXT].map((character) => `&#${character.codePointAt(0)};`).join('');

    const { status, stdout, stderr } = await runAgainstStore(
      (_request, response) => {
        response.statusCode = 403;
        response.end(`<Error><Code>Denied${controlXml}</Code><Message>No ${controlXml}</Message></Error>`);
      },
      [...args, '--retries', '1'],
    );

    expect(status).toBe(1);
    expect(stderr).toContain('Denied');
    expect(stdout + stderr).not.toMatch(CONTROLS);
  });
});

describe('svc-blob du with a store that states an invalid size', () => {
  it.each(['-1', '', 'NaN', '1e308', '0x10', '9007199254740993'])('refuses the listing with the size "%s"', async (size) => {
    const contents = `<Contents><Key>p/a</Key><Size>${size}</Size></Contents>`;

    const { status, stdout, stderr } = await runAgainstStore(
      (_request, response) => response.end(`<ListBucketResult>${contents}<IsTruncated>false</IsTruncated></ListBucketResult>`),
      ['du', 's3://bucket/p/', '--retries', '1'],
    );

    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`ListingBroken: The store states the size "${size}" of an object.`);
  });
});

describe('svc-blob with an endless list of empty pages', () => {
  it.each([
    ['files', 'ls'],
    ['tokens', 'list'],
    ['ls', 's3://bucket/'],
    ['ls', '-r', 's3://bucket/'],
  ])('ends with an error: %s %s', async (...args) => {
    let requests = 0;
    const respond: RequestListener = (request, response) => {
      const isRest = request.url!.startsWith('/v1/');
      requests++;
      const token = `<NextContinuationToken>${requests}</NextContinuationToken>`;
      response.end(
        isRest
          ? JSON.stringify({ response: { files: [], prefixes: [], upload_tokens: [], cursor: `c${requests}` } })
          : `<ListBucketResult><IsTruncated>true</IsTruncated>${token}</ListBucketResult>`,
      );
    };
    const server = await startServer(respond);
    onTestFinished(() => server.close());

    const { status, stderr } = await runCommand(args, {
      SVC_BLOB_URL: server.url,
      SVC_API_KEY: API_KEY,
      AWS_ENDPOINT_URL: server.url,
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      AWS_REGION: 'us-east-1',
    });

    expect(status).toBe(1);
    expect(stderr).toMatch(/reports more (objects|entries), but sen/);
    expect(requests).toBeLessThan(2000);
  });
});
