import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freePorts } from '../../support/ports.js';
import { signIn } from '../session-client.js';
import { TestService } from '../support.js';
import { startMcpOrigin } from './mcp-server.js';
import { runClient } from './run-client.js';

const CLIENT = fileURLToPath(new URL('../../../node_modules/mcp-remote/dist/client.js', import.meta.url));

it('mcp-remote signs in and calls an MCP server that accepts the keys of the service', async () => {
  const origin = await startMcpOrigin();
  const service = await TestService.start({ publicUrl: origin.url });
  const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-remote-'));
  try {
    origin.connect(service.url);
    const { cookie } = await signIn(service);
    const [port] = await freePorts(1);
    const { output } = await runClient([CLIENT, `${origin.url}/mcp`, String(port), '--transport', 'http-only', '--allow-http'], {
      cookie,
      // The program also tries to open a browser.
      env: { PATH: folder, HOME: folder, BROWSER: '/bin/true', MCP_REMOTE_CONFIG_DIR: folder },
      until: 'count_files',
    });
    expect(output).toContain('count_files');
  } finally {
    origin.close();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}, 300_000);
