import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { freePort } from './ports.js';

export interface WebKitDriver {
  port: number;
  /** Capabilities for a new session. */
  capabilities: Record<string, unknown>;
  stop(): void;
}

/** Starts Xvfb, which prints the number of its display on descriptor 3. */
function startDisplay(): Promise<{ display: string; child: ChildProcess }> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Xvfb stopped with ${code}`)));
    child.stdio[3]!.once('data', (data: Buffer) => resolve({ display: `:${data.toString().trim()}`, child }));
  });
}

async function isResponding(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/status`).catch(() => undefined);
  return response?.ok === true;
}

/** Starts WebKitGTK's driver on its own display. The driver has one session at a time. @param miniBrowser path from `findWebKit` */
export async function startWebKit(miniBrowser: string): Promise<WebKitDriver> {
  const { display, child } = await startDisplay();
  const port = await freePort();
  const env = {
    ...process.env,
    DISPLAY: display,
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    // Compositing without a graphics card takes two thirds of WebKit's processor time. Pages are laid out and painted the same.
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  };
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], { stdio: 'ignore', env });
  for (let tries = 0; tries < 100 && !(await isResponding(port)); tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const stop = () => {
    driver.kill('SIGKILL');
    child.kill('SIGKILL');
  };
  process.once('exit', stop);
  const capabilities = {
    browserName: 'MiniBrowser',
    'webkitgtk:browserOptions': { binary: miniBrowser, args: ['--automation'] },
  };
  return { port, capabilities, stop };
}
