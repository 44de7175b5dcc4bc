import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { svcBlob } from '../cli/support.js';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { createBucket, createTransfer, s3, s3Environment } from './s3-store.js';

/** Of one name in one try. */
const named = (name: string) => `s3://${name}-${randomUUID().slice(0, 8)}`;

describe('a bucket', () => {
  const svc = (...args: string[]) => svcBlob(args, s3Environment());

  it('is made, used and removed, when it is empty', async () => {
    const bucket = named('made');
    expect(await svc('mb', bucket)).toEqual({ status: 0, stdout: '', stderr: `created ${bucket}\n` });
    expect((await createTransfer().buckets()).map(({ name }) => `s3://${name}`)).toContain(bucket);
    expect(await svc('cp', import.meta.filename, `${bucket}/a`)).toMatchObject({ status: 0 });
    expect(await svc('rb', bucket)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^svc-blob: BucketNotEmpty: .*\n.*svc-blob rm -r/),
    });
    expect(await svc('rm', '-r', bucket, '-q')).toMatchObject({ status: 0 });
    expect(await svc('rb', `${bucket}/`, '--json')).toEqual({
      status: 0,
      stdout: `${JSON.stringify({ bucket: bucket.slice('s3://'.length) })}\n`,
      stderr: '',
    });
    expect(await svc('rb', bucket)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^svc-blob: NoSuchBucket: .*\nCheck its name/),
    });
    expect(await svc('cp', import.meta.filename, `${bucket}/a`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Make the bucket (svc-blob mb)'),
    });
  }, 60_000);

  it('is made where the store knows no such region', async () => {
    const bucket = named('far');
    expect(await svc('mb', bucket, '--region', 'eu-west-1')).toMatchObject({ status: 0, stderr: `created ${bucket}\n` });
  });

  it('is removed once, though the answer to that was lost', async () => {
    const bucket = await createBucket();
    await using proxy = await startFaultProxy(s3.endpoint);
    proxy.on({ method: 'DELETE', fault: { dropResponse: true }, times: 1 });
    expect(await svcBlob(['rb', `s3://${bucket}`], s3Environment(proxy.url))).toMatchObject({ status: 0 });
    expect(proxy.requests.filter(({ method }) => method === 'DELETE').map(({ status }) => status)).toEqual([204, 404]);
  });

  it.each([['news'], [`${named('a')}/key`], ['s3://']])('is what mb and rb take, and not %s', async (place) => {
    for (const command of ['mb', 'rb']) expect(await svc(command, place)).toMatchObject({ status: 2 });
  });
});

describe('a bucket of a store in another region', async () => {
  const store = await TestEndpoint.start({ s3Region: 'eu-west-1' });
  afterAll(() => store.stop());
  const environment = ({ accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string }) => ({
    AWS_ENDPOINT_URL: store.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });

  it('that is yours already is no failure, and one of another account is', async () => {
    await store.service.core.accounts.ensure('other');
    const news = named('news');
    const [mine, others] = [environment(store.pair), environment(await store.newPair({}, 'other'))];
    expect(await svcBlob(['mb', news], mine)).toMatchObject({ status: 0, stderr: `created ${news}\n` });
    const again = await svcBlob(['mb', news], mine);
    expect(again).toMatchObject({ status: 0, stderr: `${news} already exists and belongs to you\n` });
    const events = await svcBlob(['mb', news, '--json'], mine);
    expect(JSON.parse(events.stdout)).toEqual({ bucket: news.slice('s3://'.length), alreadyYours: true });
    const taken = await svcBlob(['mb', news], others);
    expect(taken).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^svc-blob: BucketAlreadyExists: .*\nChoose another/),
    });
    const wrong = await svcBlob(['mb', 's3://Not_a.Name'], mine);
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringMatching(/^svc-blob: InvalidBucketName: .*\n.*3 to 63/) });
  }, 60_000);
});

describe('the region of a bucket', async () => {
  /** Has no place of the name that is asked for, nor any other. */
  const bodies: string[] = [];
  const refusal = (code: string) => `<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  const refuses = createServer((request, answer) => {
    void text(request).then((body) => {
      bodies.push(body);
      answer.writeHead(400).end(refusal(body === '' ? 'IllegalLocationConstraintException' : 'InvalidLocationConstraint'));
    });
  }).listen(0, '127.0.0.1');
  await once(refuses, 'listening');
  afterAll(() => refuses.close());
  const mb = (region: string) => {
    const endpoint = `http://127.0.0.1:${(refuses.address() as AddressInfo).port}`;
    const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    return svcBlob(['mb', 's3://news'], { ...keys, AWS_ENDPOINT_URL: endpoint, AWS_REGION: region });
  };

  it('is said unless it is the first one, whose name no store takes', async () => {
    bodies.length = 0;
    expect(await mb('mars-1')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^svc-blob: InvalidLocationConstraint: .*\nSay a region/),
    });
    expect(bodies.splice(0)).toEqual([expect.stringContaining('<LocationConstraint>mars-1</LocationConstraint>'), '']);
    expect(await mb('us-east-1')).toMatchObject({ status: 1, stderr: expect.stringContaining('IllegalLocationConstraint') });
    expect(bodies).toEqual(['']);
  });
});
