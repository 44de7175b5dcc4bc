import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Finding } from '../../server/service/storage/maintenance/scrub.js';
import { runCommand } from '../cli/run-command.js';
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

/** The one blob on the disk that holds this text. */
async function blobWith(text: string): Promise<string> {
  const root = join(service.dataDir, 'blobs', 'data');
  for (const name of await readdir(root, { recursive: true })) {
    const content = await readFile(join(root, name), 'utf8').catch(() => '');
    if (content === text) return join(root, name);
  }
  throw new Error(`no blob holds ${text}`);
}

it('a scrub finds nothing where nothing is wrong', async () => {
  const { response: file } = await service.put('fine/a.txt', 'sound and whole');
  await service.call('POST', `/v1/files/${file.id}/copy`, { body: { path: 'fine/b.txt' } });
  await service.put('fine/empty.txt', '');
  await service.put('fine/replaced.txt', 'one');
  await service.put('fine/replaced.txt?overwrite=true', 'two');
  expect(await scrub()).toEqual({ findings: [], files: 4, blobs: 3 });
});

// In a store of another kind nobody but the store can reach the bytes.
it.skipIf(BACKEND === 'replicas')(
  'a scrub finds a flipped bit, a cut and a missing blob, names their files, and the command ends with 1',
  async () => {
    await service.put('rot/flipped.txt', 'flip one bit of this');
    await service.put('rot/cut.txt', 'cut this short');
    const { response: file } = await service.put('rot/gone.txt', 'take this away');
    await service.call('POST', `/v1/files/${file.id}/copy`, { body: { path: 'rot/gone too.txt' } });
    const flipped = await blobWith('flip one bit of this');
    await writeFile(flipped, 'flip one bit of thiS');
    await writeFile(await blobWith('cut this short'), 'cut this');
    await rm(await blobWith('take this away'));

    const { findings } = await scrub();
    const said = findings.map((one) =>
      one.kind === 'miscounted'
        ? one.kind
        : `${one.kind} ${one.files
            .map(({ path }) => path)
            .sort()
            .join()}`,
    );
    expect(said.sort()).toEqual(['changed rot/cut.txt', 'changed rot/flipped.txt', 'missing rot/gone too.txt,rot/gone.txt']);

    const { databaseUrl } = await storageFor(service.dataDir);
    const database = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    const command = await runCommand(['scrub', '--data-dir', service.dataDir, ...database, '--json']);
    const lines = command.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([command.status, lines.length, lines.at(-1)]).toEqual([1, 4, expect.objectContaining({ findings: 3 })]);
    // It is told where the reader meets it, too.
    const answer = await service.call('GET', `/v1/files/${file.id}/content`);
    expect(answer.status).toBe(500);
  },
);
