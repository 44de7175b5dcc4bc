import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freePort } from '../../support/ports.js';
import { allowRequest, newClient } from '../oauth-flow.js';
import { useOauthService } from './use-oauth-service.js';

const start = useOauthService();
const SUITE = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
/** The suite imports `globSync` of `node:fs` for another command. Node 20 does not have it. */
const GLOB = new URL('add-glob-sync.mjs', import.meta.url).href;

it('passes the scenarios of the MCP conformance suite for authorization servers', async () => {
  const { issuer, user } = start();
  const port = await freePort();
  const clientId = await newClient({ url: issuer }, 'Conformance', `http://127.0.0.1:${port}/callback`);
  const suite = spawn(process.execPath, [
    ...['--import', GLOB, SUITE, 'authorization'],
    ...['--url', issuer, '--client-id', clientId, '--resource', issuer, '--port', String(port)],
  ]);
  let output = '';
  let isAllowed = false;
  const onOutput = (chunk: Buffer) => {
    output += chunk.toString();
    const url = /^http\S+\/oauth\/authorize\?\S+$/m.exec(output)?.[0];
    if (url === undefined || isAllowed || !output.includes('Waiting')) return;
    isAllowed = true;
    allowRequest(new URL(url), user.cookie)
      .then((callback) => fetch(callback))
      .catch((error: unknown) => suite.kill() && (output += String(error)));
  };
  suite.stdout.on('data', onOutput);
  suite.stderr.on('data', onOutput);
  const code = await new Promise((resolve) => suite.on('close', resolve));
  expect(output).toMatch(/=== Running scenario: authorization-server-metadata-endpoint ===/);
  expect(output).toMatch(/=== Running scenario: authorization-code-grant ===/);
  expect([code, output]).toEqual([0, expect.not.stringContaining('FAILURE')]);
});
