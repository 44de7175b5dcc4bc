import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freePorts } from '../../support/ports.js';
import { newClient } from '../oauth-flow.js';
import { runClient } from './run-client.js';
import { useOauthService } from './use-oauth-service.js';

const start = useOauthService();
const SUITE = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
const GLOB = new URL('add-glob-sync.mjs', import.meta.url).href;

it('the MCP conformance suite finds no failure in its scenarios for authorization servers', async () => {
  const { issuer, user } = start();
  const [port] = await freePorts(1);
  const clientId = await newClient({ url: issuer }, 'Conformance', `http://127.0.0.1:${port}/callback`);
  const options = ['--url', issuer, '--client-id', clientId, '--resource', issuer, '--port', String(port)];
  const { code, output } = await runClient(['--import', GLOB, SUITE, 'authorization', ...options], user);
  expect(output).toContain('=== Running scenario: authorization-server-metadata-endpoint ===');
  expect(output).toContain('=== Running scenario: authorization-code-grant ===');
  expect([code, output]).toEqual([0, expect.not.stringContaining('FAILURE')]);
}, 300_000);
