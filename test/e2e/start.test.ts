import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProduct } from './product.js';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-start-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe('npm start', () => {
  it('adds samples to an empty storage once, and keeps its key, readable only for its owner, and its files across starts', async () => {
    const first = await startProduct({ dataDir });
    const put = await fetch(`${first.service}/v1/files/kept.txt`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${first.apiKey}` },
      body: 'kept',
    });
    expect(put.status).toBe(201);
    const [sample, ...others] = await first.listFiles('Photos/');
    expect(others).toHaveLength(3);
    const headers = { authorization: `Bearer ${first.apiKey}` };
    expect((await fetch(`${first.service}/v1/files/${sample!.id}`, { method: 'DELETE', headers })).status).toBe(200);
    expect(await first.stop()).toBe(0);
    expect((await stat(join(dataDir, 'demo-key'))).mode & 0o777).toBe(0o600);
    const second = await startProduct({ dataDir });
    try {
      expect(second.apiKey).toBe(first.apiKey);
      expect(await second.listFiles('Photos/')).toHaveLength(3);
      const [file] = await second.listFiles('kept.txt');
      expect(await (await second.readContent(file!.id)).text()).toBe('kept');
    } finally {
      expect(await second.stop()).toBe(0);
    }
  });

  it('names the port in use and the variable to set', async () => {
    const running = await startProduct({ dataDir });
    try {
      const [port, s3Port, demoPort] = running.ports as [number, number, number];
      await expect(startProduct({ dataDir, ports: [port, s3Port, demoPort] })).rejects.toThrow(
        `Port ${port} is in use. Choose another one: PORT=${port + 1} npm start`,
      );
      await expect(startProduct({ dataDir, ports: [s3Port + 1000, s3Port, demoPort] })).rejects.toThrow(/S3_PORT=/);
    } finally {
      expect(await running.stop()).toBe(0);
    }
  });
});
