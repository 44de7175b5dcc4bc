import { spawnSync } from 'node:child_process';
import { randomBytes, scryptSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ScryptProcess } from '../../server/service/identity/users/hashing/scrypt-process.js';
import { ScryptProcesses } from '../../server/service/identity/users/hashing/scrypt-processes.js';

/** `policy` of proc_pid_stat(5): the class of the scheduler. */
const SCHED_IDLE = 5;

const requestOf = (cost: number) => ({ password: 'correct horse', salt: randomBytes(16), cost, r: 8, p: 1, bytes: 32 });

const hashOf = ({ password, salt, cost, r, p, bytes }: ReturnType<typeof requestOf>) =>
  scryptSync(password, salt, bytes, { N: cost, r, p, maxmem: 256 * cost * r });

async function policyOf(id: number): Promise<number> {
  const stat = await readFile(`/proc/${id}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38]);
}

const hasIdleClass = process.platform === 'linux' && spawnSync('chrt', ['--help']).status === 0;

describe('a process that hashes passwords', () => {
  it.runIf(hasIdleClass)('runs only while a core is unused', async () => {
    const scrypt = new ScryptProcess('idle');
    onTestFinished(() => scrypt.end());

    await scrypt.compute(requestOf(1024));

    await expect.poll(() => policyOf(scrypt.id!)).toBe(SCHED_IDLE);
  });

  it('has a lower priority than the service', async () => {
    const scrypt = new ScryptProcess('low');
    onTestFinished(() => scrypt.end());
    const request = requestOf(1024);

    expect(Buffer.from(await scrypt.compute(request))).toEqual(hashOf(request));
    expect(getPriority(scrypt.id!)).toBe(Math.min(getPriority() + 10, 19));
  });

  it('reports parameters that scrypt refuses, and goes on', async () => {
    const scrypt = new ScryptProcess('low');
    onTestFinished(() => scrypt.end());

    await expect(scrypt.compute(requestOf(1000))).rejects.toThrow('A password cannot be hashed');
    expect(await scrypt.compute(requestOf(1024))).toHaveLength(32);
  });

  it('fails the hash if it is killed', async () => {
    const scrypt = new ScryptProcess('low');
    const hash = scrypt.compute(requestOf(2 ** 17));
    process.kill(scrypt.id!, 'SIGKILL');

    await expect(hash).rejects.toThrow('has ended');
    expect(scrypt.isRunning).toBe(false);
  });
});

describe('the processes that hash passwords', () => {
  it('compute one hash after the other in the same process', async () => {
    const processes = new ScryptProcesses();
    await processes.compute(requestOf(1024));
    const [first] = processes.waiting;
    await processes.compute(requestOf(1024));

    expect(processes.waiting).toEqual([first]);
  });

  it('compute parallel hashes in processes of their own', async () => {
    const processes = new ScryptProcesses();
    await Promise.all([processes.compute(requestOf(1024)), processes.compute(requestOf(1024))]);

    expect(new Set(processes.waiting.map(({ id }) => id)).size).toBe(2);
  });

  it('replace a process that was killed while it waited', async () => {
    const processes = new ScryptProcesses();
    await processes.compute(requestOf(1024));
    const [killed] = processes.waiting;
    process.kill(killed!.id!, 'SIGKILL');
    await expect.poll(() => killed!.isRunning).toBe(false);

    expect(await processes.compute(requestOf(1024))).toHaveLength(32);
  });

  it('compute a late hash again, with a share of a core', async () => {
    const processes = new ScryptProcesses(1);
    const request = requestOf(2 ** 14);

    expect(Buffer.from(await processes.compute(request))).toEqual(hashOf(request));
    expect(processes.waiting.map(({ priority }) => priority)).toEqual(['low']);
  });
});
