import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';
import { startServer } from './start-server.js';
import type { TestServer } from './start-server.js';

/** The requests that reached the target of the redirect. */
const followedRequests: IncomingMessage[] = [];
let target: TestServer;
let service: TestServer;
/** The redirect of the service. */
let redirect: { status: number; locationFor: (url: string) => string | undefined };

beforeAll(async () => {
  target = await startServer((request, response) => {
    followedRequests.push(request);
    response.end(JSON.stringify({ response: { files: [], prefixes: [], cursor: null } }));
  });
  service = await startServer((request, response) => {
    request.resume();
    const location = redirect.locationFor(request.url!);
    response.writeHead(redirect.status, location === undefined ? {} : { location }).end();
  });
});
beforeEach(() => {
  redirect = { status: 307, locationFor: (url) => `${target.url}/blobs${url}` };
});
afterAll(() => [target, service].forEach((server) => server.close()));

const runApiCommand = (...args: string[]) =>
  runCommand(args, { SVC_BLOB_URL: service.url, SVC_API_KEY: `svc_live_${'a'.repeat(48)}` });

describe('svc-blob with a service that redirects', () => {
  it.each([
    ['files', 'ls'],
    ['files', 'put', 'package.json'],
    ['tokens', 'create'],
    ['s3-credentials', 'list'],
  ])('sends nothing to the target of the redirect and advises its address: %s %s', async (...args) => {
    const { status, stderr } = await runApiCommand(...args);

    expect(followedRequests).toEqual([]);
    expect(status).toBe(1);
    expect(stderr).toContain('UNEXPECTED_ANSWER');
    expect(stderr).toContain(`redirects to ${target.url}/blobs/v1/`);
    expect(stderr).toContain(`set --url or SVC_BLOB_URL to ${target.url}/blobs\n`);
  });

  it('does not follow a redirect within the origin', async () => {
    redirect.locationFor = (url) => `/elsewhere${url}`;

    const { stderr } = await runApiCommand('files', 'ls');

    expect(stderr).toContain(`set --url or SVC_BLOB_URL to ${service.url}/elsewhere\n`);
  });

  it.each([
    ['has no Location', () => undefined],
    ['leads to another route', () => `https://user:secret@127.0.0.1:1/login?next=secret#secret`],
    ['leads to another scheme', () => 'javascript:alert(1)/v1/files'],
    ['leads to an invalid address', () => 'http://[::'],
  ])('advises no address if the redirect %s', async (_case, locationFor) => {
    redirect = { status: 302, locationFor };

    const { status, stderr } = await runApiCommand('files', 'ls');

    expect(status).toBe(1);
    expect(stderr).toContain('redirects');
    expect(stderr).toContain('Set --url or SVC_BLOB_URL to the address of the service itself.');
    expect(stderr).not.toContain('secret');
  });
});
