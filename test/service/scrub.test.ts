import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Finding } from '../../server/service/storage/maintenance/scrub.js';
import { runCommandProcess } from '../cli/run-command.js';
import { BACKEND, storageFor } from './backend.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

async function scrub(): Promise<{ findings: Finding[]; files: number; blobs: number }> {
  const findings: Finding[] = [];
  const report = await service.service.core.blobs.scrub((finding) => findings.push(finding));
  return { findings, files: report.files, blobs: report.blobs };
}

/** Finds the blob on the disk with this text. */
async function findBlob(text: string): Promise<string> {
  const root = join(service.dataDir, 'blobs', 'data');
  for (const name of await readdir(root, { recursive: true })) {
    const content = await readFile(join(root, name), 'utf8').catch(() => '');
    if (content === text) return join(root, name);
  }
  throw new Error(`no blob contains ${text}`);
}

it('a scrub of undamaged files finds nothing', async () => {
  const { response: file } = await service.put('fine/a.txt', 'undamaged');
  await service.call('POST', `/v1/files/${file.id}/copy`, { body: { path: 'fine/b.txt' } });
  await service.put('fine/empty.txt', '');
  await service.put('fine/replaced.txt', 'one');
  await service.put('fine/replaced.txt?overwrite=true', 'two');
  expect(await scrub()).toEqual({ findings: [], files: 4, blobs: 3 });
});

// Only the file system driver lets a test damage stored bytes.
it.skipIf(BACKEND === 'replicas')(
  'a scrub finds a changed, a shortened and a missing blob and names their files, and the command ends with status 1',
  async () => {
    await service.put('rot/flipped.txt', 'flip one bit of this');
    await service.put('rot/cut.txt', 'cut this short');
    const { response: file } = await service.put('rot/gone.txt', 'take this away');
    await service.call('POST', `/v1/files/${file.id}/copy`, { body: { path: 'rot/gone too.txt' } });
    const flipped = await findBlob('flip one bit of this');
    await writeFile(flipped, 'flip one bit of thiS');
    await writeFile(await findBlob('cut this short'), 'cut this');
    await rm(await findBlob('take this away'));

    const { findings } = await scrub();
    const summaries = findings.map((finding) =>
      finding.kind === 'miscounted'
        ? finding.kind
        : `${finding.kind} ${finding.files
            .map(({ path }) => path)
            .sort()
            .join()}`,
    );
    expect(summaries.sort()).toEqual(['changed rot/cut.txt', 'changed rot/flipped.txt', 'missing rot/gone too.txt,rot/gone.txt']);

    const { databaseUrl } = await storageFor(service.dataDir);
    const database = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    const command = await runCommandProcess(['scrub', '--data-dir', service.dataDir, ...database, '--json']);
    const lines = command.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([command.status, lines.length, lines.at(-1)]).toEqual([1, 4, expect.objectContaining({ findings: 3 })]);
    // A reader of the file gets an error too.
    const httpResponse = await service.call('GET', `/v1/files/${file.id}/content`);
    expect(httpResponse.status).toBe(500);
  },
);
