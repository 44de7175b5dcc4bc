import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIRST_ACCOUNT } from '../../server/service/identity/first-account.js';
import { createBlobService } from '../../server/service/index.js';

// The process of startOwnEngine. It prints address and credentials of the endpoint and runs until its standard input ends.
const dataDir = await mkdtemp(join(tmpdir(), 'svc-s3-engine-'));
const unlimited = { route: null, minute: null, day: null, s3: null };
const service = await createBlobService({ port: 0, s3Port: 0, dataDir, rateLimits: unlimited });
const { s3Url } = await service.listen();
const { id, secret } = await service.core.s3Credentials.create(FIRST_ACCOUNT, { name: 'tests' });
process.stdout.write(`${JSON.stringify({ endpoint: s3Url, accessKeyId: id, secretAccessKey: secret })}\n`);
process.stdin.resume().once('end', async () => {
  await service.close();
  await rm(dataDir, { recursive: true, force: true });
});
