import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from '../cli/run-command.js';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { createBucket, createTransfer, s3, s3Environment } from './s3-store.js';

/** Adds a random suffix, because buckets of other runs may exist. */
const uniqueBucket = (name: string) => `s3://${name}-${randomUUID().slice(0, 8)}`;

describe('svc-blob mb and rb', () => {
  const run = (...args: string[]) => runCommand(args, s3Environment());

  it('create a bucket, and remove it once it is empty', async () => {
    const bucket = uniqueBucket('made');
    expect(await run('mb', bucket)).toEqual({ status: 0, stdout: '', stderr: `created ${bucket}\n` });
    expect((await createTransfer().buckets()).map(({ name }) => `s3://${name}`)).toContain(bucket);
    expect(await run('cp', import.meta.filename, `${bucket}/a`)).toMatchObject({ status: 0 });
    expect(await run('rb', bucket)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^svc-blob: BucketNotEmpty: .*\n.*svc-blob rm -r/),
    });
    expect(await run('rm', '-r', bucket, '-q')).toMatchObject({ status: 0 });
    expect(await run('rb', `${bucket}/`, '--json')).toEqual({
      status: 0,
      stdout: `${JSON.stringify({ bucket: bucket.slice('s3://'.length) })}\n`,
      stderr: '',
    });
    expect(await run('rb', bucket)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^svc-blob: NoSuchBucket: .*\nCheck its name/),
    });
    expect(await run('cp', import.meta.filename, `${bucket}/a`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Create the bucket (svc-blob mb)'),
    });
  });

  it('create a bucket if the store does not know the region', async () => {
    const bucket = uniqueBucket('far');
    expect(await run('mb', bucket, '--region', 'eu-west-1')).toMatchObject({ status: 0, stderr: `created ${bucket}\n` });
  });

  it('report success if the response to the removal was lost', async () => {
    const bucket = await createBucket();
    await using proxy = await startFaultProxy(s3.endpoint);
    proxy.on({ method: 'DELETE', fault: { dropResponse: true }, times: 1 });
    expect(await runCommand(['rb', `s3://${bucket}`], s3Environment(proxy.url))).toMatchObject({ status: 0 });
    expect(proxy.requests.filter(({ method }) => method === 'DELETE').map(({ status }) => status)).toEqual([204, 404]);
  });

  it.each([['news'], [`${uniqueBucket('a')}/key`], ['s3://']])('refuse %s, which is no bucket', async (argument) => {
    for (const command of ['mb', 'rb']) expect(await run(command, argument)).toMatchObject({ status: 2 });
  });
});

describe('svc-blob mb', async () => {
  const store = await TestEndpoint.start({ s3Region: 'eu-west-1' });
  afterAll(() => store.stop());
  const environment = ({ accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string }) => ({
    AWS_ENDPOINT_URL: store.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });

  it('succeeds for a bucket of the same account and fails for one of another account', async () => {
    await store.service.core.accounts.ensure('other');
    const bucket = uniqueBucket('news');
    const [mine, others] = [environment(store.pair), environment(await store.newPair({}, 'other'))];
    expect(await runCommand(['mb', bucket], mine)).toMatchObject({ status: 0, stderr: `created ${bucket}\n` });
    const repeated = await runCommand(['mb', bucket], mine);
    expect(repeated).toMatchObject({ status: 0, stderr: `${bucket} already exists and belongs to you\n` });
    const events = await runCommand(['mb', bucket, '--json'], mine);
    expect(JSON.parse(events.stdout)).toEqual({ bucket: bucket.slice('s3://'.length), alreadyYours: true });
    const conflict = await runCommand(['mb', bucket], others);
    expect(conflict).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^svc-blob: BucketAlreadyExists: .*\nChoose another/),
    });
    const invalid = await runCommand(['mb', 's3://Not_a.Name'], mine);
    expect(invalid).toMatchObject({ status: 1, stderr: expect.stringMatching(/^svc-blob: InvalidBucketName: .*\n.*3 to 63/) });
  });
});

describe('the region that svc-blob mb sends', async () => {
  /** The request bodies that the store received. It refuses requests with and without a region. */
  const bodies: string[] = [];
  const refusal = (code: string) => `<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  const store = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.writeHead(400).end(refusal(body === '' ? 'IllegalLocationConstraintException' : 'InvalidLocationConstraint'));
    });
  }).listen(0, '127.0.0.1');
  await once(store, 'listening');
  afterAll(() => store.close());
  const mb = (region: string) => {
    const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    return runCommand(['mb', 's3://news'], { ...keys, AWS_ENDPOINT_URL: endpoint, AWS_REGION: region });
  };

  it('is omitted for us-east-1, which no store accepts', async () => {
    bodies.length = 0;
    expect(await mb('mars-1')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^svc-blob: InvalidLocationConstraint: .*\nGive a region/),
    });
    expect(bodies.splice(0)).toEqual([expect.stringContaining('<LocationConstraint>mars-1</LocationConstraint>'), '']);
    expect(await mb('us-east-1')).toMatchObject({ status: 1, stderr: expect.stringContaining('IllegalLocationConstraint') });
    expect(bodies).toEqual(['']);
  });
});
