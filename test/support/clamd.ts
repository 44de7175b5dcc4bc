import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FakeClamd, STREAM_MAX_BYTES, TEST_VIRUS } from './fake-clamd.js';
import { findProgram, installPackages } from './debian.js';
import { freePort } from './ports.js';

const SIGNATURE_NAME = 'SvcUploader.Test';

/** A virus scanner that finds `TEST_VIRUS`. */
export interface TestScanner {
  /** Value of `--scan`. */
  address: string;
  /** Name under which clamd reports `TEST_VIRUS`. It marks signatures that are not of its makers. */
  signature: string;
  /** Ends the scanner, as on a machine that fails. */
  kill(): Promise<void>;
  /** Starts it again at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Debian's clamd with one signature, or a stand-in where it cannot be installed.
 *
 * @throws Error if TEST_CLAMD_REQUIRED is set, as in CI, and clamd cannot be installed
 */
export async function startScanner(): Promise<TestScanner> {
  const program = findProgram('clamd') ?? '/usr/sbin/clamd';
  if (installPackages(['clamav-daemon'], [program])) return startClamd(program);
  const message = 'clamd needs root on Debian';
  if (process.env['TEST_CLAMD_REQUIRED']) throw new Error(`${message}, but TEST_CLAMD_REQUIRED is set.`);
  console.warn(`${message}. The tests use a stand-in instead.`);
  return startStandIn();
}

async function startClamd(program: string): Promise<TestScanner> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-clamd-'));
  const port = await freePort();
  await mkdir(join(folder, 'signatures'));
  const signature = `${SIGNATURE_NAME}:0:*:${Buffer.from(TEST_VIRUS).toString('hex')}\n`;
  await writeFile(join(folder, 'signatures', 'test.ndb'), signature);
  const config = join(folder, 'clamd.conf');
  await writeFile(
    config,
    [
      `TCPSocket ${port}`,
      'TCPAddr 127.0.0.1',
      'Foreground yes',
      `DatabaseDirectory ${folder}/signatures`,
      `TemporaryDirectory ${folder}`,
      `StreamMaxLength ${STREAM_MAX_BYTES}`,
      '',
    ].join('\n'),
  );
  let running: ChildProcess | undefined;
  // The scanner must not outlive a test process that fails.
  const killAtExit = (): unknown => running?.kill('SIGKILL');
  const kill = async () => {
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  };
  const restart = async () => {
    await kill();
    running = spawn(program, [`--config-file=${config}`], { stdio: 'ignore' });
    await waitUntilReady(port, running);
  };
  process.once('exit', killAtExit);
  await restart();
  return {
    address: `clamd://127.0.0.1:${port}`,
    signature: `${SIGNATURE_NAME}.UNOFFICIAL`,
    kill,
    restart,
    async stop() {
      await kill();
      process.off('exit', killAtExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function waitUntilReady(port: number, clamd: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (clamd.exitCode !== null) throw new Error(`clamd stopped with ${clamd.exitCode}`);
    if (await FakeClamd.respondsToPing(port)) return;
    await sleep(100);
  }
  throw new Error('clamd did not start within 60 seconds');
}

async function startStandIn(): Promise<TestScanner> {
  let server = await FakeClamd.start();
  const { port } = server;
  return {
    address: server.address,
    signature: FakeClamd.signature,
    kill: async () => server.stop(),
    async restart() {
      server = await FakeClamd.start(port);
    },
    stop: async () => server.stop(),
  };
}
