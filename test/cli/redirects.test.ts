import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';

const KEY = `svc_live_${'a'.repeat(48)}`;
/** The requests that reached the redirect's target. */
const followed: IncomingMessage[] = [];
let status = 307;
let location: (url: string) => string | undefined;

const target = createServer((request, response) => {
  followed.push(request);
  response.end(JSON.stringify({ response: { files: [], prefixes: [], cursor: null } }));
});
const service = createServer((request, response) => {
  request.resume();
  const where = location(request.url!);
  response.writeHead(status, where === undefined ? {} : { location: where }).end();
});
const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const run = (...args: string[]) => runCommand(args, { SVC_BLOB_URL: addressOf(service), SVC_API_KEY: KEY });

beforeAll(async () => {
  for (const server of [target, service])
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
});
beforeEach(() => {
  status = 307;
  location = (url) => `${addressOf(target)}/blobs${url}`;
});
afterAll(() => [target, service].forEach((server) => server.close()));

describe('svc-blob, when the service redirects', () => {
  it.each([
    ['files', 'ls'],
    ['files', 'put', 'package.json'],
    ['tokens', 'create'],
    ['s3-credentials', 'list'],
  ])('%s %s sends nothing to the target and says what to set', async (...args) => {
    const outcome = await run(...args);
    expect(followed).toEqual([]);
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toContain('UNEXPECTED_ANSWER');
    expect(outcome.stderr).toContain(`redirects to ${addressOf(target)}/blobs/v1/`);
    expect(outcome.stderr).toContain(`set --url or SVC_BLOB_URL to ${addressOf(target)}/blobs\n`);
  });

  it('does not follow a redirect within the origin either', async () => {
    location = (url) => `/elsewhere${url}`;
    expect((await run('files', 'ls')).stderr).toContain(`set --url or SVC_BLOB_URL to ${addressOf(service)}/elsewhere\n`);
  });

  it.each([
    ['has no Location', () => undefined],
    ['leads to another route', () => `https://user:secret@127.0.0.1:1/login?next=secret#secret`],
    ['leads to another scheme', () => 'javascript:alert(1)/v1/files'],
    ['is no address', () => 'http://[::'],
  ])('advises no address when the redirect %s', async (_, where) => {
    status = 302;
    location = where;
    const { stderr, status: code } = await run('files', 'ls');
    expect(code).toBe(1);
    expect(stderr).toContain('redirects');
    expect(stderr).toContain('Set --url or SVC_BLOB_URL to the address of the service itself.');
    expect(stderr).not.toContain('secret');
  });
});
