import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installFaketime, fakeClockVariables } from '../support/fake-clock.js';
import { Replicas } from './replicas.js';
import type { Replica } from './replicas.js';

const HOUR = 3_600_000;

describe.skipIf(!installFaketime())('a replica whose clock is three hours ahead', () => {
  let folder: string;
  let clock: string;
  let replicas: Replicas;
  let right: Replica;
  let wrong: Replica;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-clock-'));
    clock = join(folder, 'clock');
    await writeFile(clock, '+0\n');
    replicas = await Replicas.start(2, { env: (index) => (index === 0 ? {} : fakeClockVariables(clock)), log: true });
    [right, wrong] = replicas.all as [Replica, Replica];
  });
  afterAll(async () => {
    await replicas.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('logs it, deletes no file early, and refuses to start again', async () => {
    const expires = new Date(Date.now() + HOUR).toISOString();
    const query = `expires_at=${encodeURIComponent(expires)}`;
    const { response } = await replicas.put(right, `lives-an-hour.txt?${query}`, 'still here');
    const credentials = await replicas.newPair();
    const { token } = await replicas.mint(right, { expires_in: 900, prefix: 'clocks', max_uses: 2 });

    await writeFile(clock, '+3h\n');
    const metrics = async () => await (await fetch(`${wrong.process.url}/metrics`)).text();
    await expect.poll(async () => Number(/^svc_clock_skew_seconds (\S+)/m.exec(await metrics())?.[1])).toBeGreaterThan(10_700);
    expect(await replicas.logOf(wrong)).toMatch(/the clock of this machine is wrong by 10(79|80)\d seconds/);
    // The sweep runs every 30 seconds. No metric counts sweeps that delete nothing, so the test waits for more than one interval.
    const swept = async () => /svc_swept_total\{what="expiredFiles"\} (\d+)/.exec(await metrics())?.[1];
    const until = performance.now() + 35_000;
    await expect.poll(() => performance.now() > until, { interval: 1000 }).toBe(true);
    expect(await swept()).toBe('0');
    for (const replica of replicas.all) expect(await (await replicas.content(replica, response.id)).text()).toBe('still here');
    expect((await replicas.put(wrong, 'clocks/a.txt', 'by token', { credential: token })).status).toBe(201);
    // An S3 client adopts the time of the responses and signs with it at either replica.
    for (const { process } of [wrong, right, wrong]) {
      const client = new S3Client({
        endpoint: process.s3Url,
        region: 'us-east-1',
        forcePathStyle: true,
        credentials,
        maxAttempts: 1,
      });
      for (let times = 0; times < 3; times++)
        await client.send(new PutObjectCommand({ Bucket: 'main', Key: `${times}.txt`, Body: 'signed' }));
      client.destroy();
    }

    expect(await wrong.process.end('SIGTERM')).toBe(0);
    const [status] = await once(wrong.process.launch(), 'exit');
    expect(status).toBe(1);
    expect(await replicas.logOf(wrong)).toMatch(/this machine's clock is 10(79|80)\d seconds ahead of the database's/);
    await writeFile(clock, '+0\n');
    await wrong.process.start();
  });
});
