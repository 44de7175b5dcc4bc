import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { installPackages } from '../support/debian.js';
import { runTool } from './tools.js';

const found = installPackages(['python3-boto3'], ['/usr/bin/python3', '/usr/lib/python3/dist-packages/boto3/__init__.py']);

describe.skipIf(!found)('boto3', () => {
  let endpoint: TestEndpoint;

  beforeAll(async () => {
    endpoint = await TestEndpoint.start();
  });
  afterAll(() => endpoint.stop());

  it('works with buckets, names, parts, presigned URLs, forms and errors', async () => {
    const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = endpoint.pair;
    const script = new URL('walkthrough.py', import.meta.url).pathname;
    await runTool('/usr/bin/python3', [script], { ENDPOINT: endpoint.url, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
    expect((await endpoint.stored()).keys).toEqual([]);
  }, 120_000);
});
