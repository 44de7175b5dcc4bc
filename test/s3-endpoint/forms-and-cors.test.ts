import { DeleteBucketCorsCommand, GetBucketCorsCommand, GetObjectCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestEndpoint } from './start-endpoint.js';
import { signedForm } from './post-form.js';
import type { Conditions, FormOptions } from './post-form.js';
import { httpRequest, signer, urlOf } from './signing.js';

const Bucket = 'main';
let endpoint: TestEndpoint;
let s3: S3Client;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  s3 = endpoint.client();
});
afterAll(() => endpoint.stop());

const named = (name: string) => expect.objectContaining({ name });

describe('forms with a signed policy', () => {
  const form = (fields: Record<string, string>, conditions: Conditions, options: FormOptions = {}) =>
    signedForm(options.pair ?? endpoint.pair, Bucket, fields, conditions, options);
  const post = (body: FormData) => endpoint.fetch(`/${Bucket}`, { method: 'POST', body });
  const key = { key: 'form/${filename}' };
  const conditions: Conditions = [['starts-with', '$key', 'form/']];

  it('store nothing if x-amz-expected-bucket-owner names another account', async () => {
    const owner = 'x-amz-expected-bucket-owner';
    const send = (account: string, place: 'header' | 'field') => {
      const stated = place === 'field' ? { [owner]: account } : {};
      const body = form({ key: `form/${account}-${place}`, ...stated }, [...conditions, stated]);
      const headers = place === 'header' ? { [owner]: account } : {};
      return endpoint.fetch(`/${Bucket}`, { method: 'POST', body, headers });
    };
    for (const place of ['header', 'field'] as const) {
      expect(await send('stranger', place)).toMatchObject({ status: 403, code: 'AccessDenied' });
      expect(await send('main', place)).toMatchObject({ status: 204 });
    }
    const { keys } = await endpoint.stored();
    expect(keys).toEqual(['form/main-field', 'form/main-header']);
    for (const Key of keys) await endpoint.send('DELETE', `/${Bucket}/${Key}`);
  });

  it('store the file under its name with the fields of the form', async () => {
    const fields = { ...key, 'Content-Type': 'text/plain', 'x-amz-meta-from': 'a form', success_action_status: '201' };
    const covered: Conditions = [
      ...conditions,
      ['starts-with', '$Content-Type', 'text/'],
      { 'x-amz-meta-from': 'a form' },
      { success_action_status: '201' },
      ['content-length-range', 1, 100],
    ];
    const response = await post(form(fields, covered));
    expect(response.status).toBe(201);
    expect(response.text).toContain('<Key>form/näme.txt</Key>');
    const received = await s3.send(new GetObjectCommand({ Bucket, Key: 'form/näme.txt' }));
    expect(await received.Body!.transformToString()).toBe('the file');
    expect(received).toMatchObject({ ContentType: 'text/plain', Metadata: { from: 'a form' } });
  });

  it('return 204 or redirect to the given page', async () => {
    expect((await post(form(key, conditions))).status).toBe(204);
    const next = 'https://example.org/done?a=1';
    const led = await post(form({ ...key, success_action_redirect: next }, [...conditions, { success_action_redirect: next }]));
    expect(led.status).toBe(303);
    expect(Object.fromEntries(new URL(led.headers.get('location')!).searchParams)).toMatchObject({
      a: '1',
      bucket: Bucket,
      key: 'form/näme.txt',
    });
  });

  it.each<[string, () => FormData | Promise<FormData>, number, string]>([
    ['another key than the policy allows', () => form({ key: 'elsewhere' }, conditions), 403, 'AccessDenied'],
    ['a field no condition covers', () => form({ ...key, 'x-amz-meta-a': '1' }, conditions), 403, 'AccessDenied'],
    ['a policy without a condition for the bucket', () => form(key, conditions, { anyBucket: true }), 403, 'AccessDenied'],
    ['a field that names another bucket', () => form({ ...key, bucket: 'other' }, conditions), 403, 'AccessDenied'],
    [
      'a list of content types of which one does not meet the condition',
      () => form({ ...key, 'Content-Type': 'image/png,text/html' }, [...conditions, ['starts-with', '$Content-Type', 'image/']]),
      403,
      'AccessDenied',
    ],
    [
      'a key that leaves the folder once the file name is in it',
      () => form({ key: '${filename}' }, conditions),
      403,
      'AccessDenied',
    ],
    [
      'bounds that are no numbers',
      () => form(key, [...conditions, ['content-length-range', null as never, 9]]),
      400,
      'InvalidPolicyDocument',
    ],
    ['a policy that has expired', () => form(key, conditions, { expires: Date.now() - 1000 }), 403, 'AccessDenied'],
    ['too long a file', () => form(key, [...conditions, ['content-length-range', 0, 3]]), 400, 'EntityTooLarge'],
    ['too short a file', () => form(key, [...conditions, ['content-length-range', 100, 200]]), 400, 'EntityTooSmall'],
    ['no key', () => form({}, conditions), 400, 'InvalidArgument'],
    [
      'a wrong secret',
      () => form(key, conditions, { pair: { ...endpoint.pair, secretAccessKey: 'no' } }),
      403,
      'SignatureDoesNotMatch',
    ],
    [
      'an unknown key pair',
      () => form(key, conditions, { pair: { accessKeyId: 'no', secretAccessKey: 'no' } }),
      403,
      'InvalidAccessKeyId',
    ],
    [
      'a read-only key pair',
      async () => form(key, conditions, { pair: await endpoint.newPair({ readOnly: true }) }),
      403,
      'AccessDenied',
    ],
    [
      'a key pair for another folder',
      async () => form(key, conditions, { pair: await endpoint.newPair({ prefix: 'x' }) }),
      403,
      'AccessDenied',
    ],
    ['a policy that was changed', () => swapPolicy(form(key, conditions)), 403, 'SignatureDoesNotMatch'],
    ['no file', () => without(form(key, conditions), 'file'), 400, 'InvalidArgument'],
    ['no signature', () => without(form(key, conditions), 'x-amz-signature'), 400, 'InvalidArgument'],
    ['no policy', () => without(form(key, conditions), 'policy'), 403, 'AccessDenied'],
    [
      'fields without end',
      () => form({ ...key, 'x-ignore-a': 'x'.repeat(25_000) }, conditions),
      400,
      'MaxPostPreDataLengthExceededError',
    ],
  ])('reject %s', async (_name, make, status, code) => {
    const before = await endpoint.stored();
    expect(await post(await make())).toMatchObject({ status, code });
    expect(await endpoint.stored()).toEqual(before);
  });

  it('check the key after the file name was inserted', async () => {
    expect((await post(form({ key: '${filename}' }, [['starts-with', '$key', 'näme']]))).status).toBe(204);
  });

  it('insert the file name into the key literally', async () => {
    const body = form(key, conditions);
    body.set('file', new Blob(['x']), "$$ $& $' $`.txt");
    const location = (await post(body)).headers.get('location')!;
    expect(decodeURIComponent(location)).toMatch(/\/form\/\$\$ \$& \$' \$`\.txt$/);
  });

  it('reject a body that ends inside the file', async () => {
    const before = await endpoint.stored();
    const request = new Request(`${endpoint.url}/${Bucket}`, {
      method: 'POST',
      body: form({ key: 'form/cut' }, conditions, { file: 'x'.repeat(200_000) }),
    });
    const body = Buffer.from(await request.arrayBuffer());
    const head = `POST /${Bucket} HTTP/1.1\r\nhost: ${endpoint.host}\r\ncontent-type: ${request.headers.get('content-type')}\r\ncontent-length: ${body.length}\r\n\r\n`;
    await endpoint.raw(Buffer.concat([Buffer.from(head), body.subarray(0, 150_000)]), { half: true });
    await expect.poll(() => endpoint.stored()).toEqual(before);
    // The closing boundary is missing.
    const short = await endpoint.fetch(`/${Bucket}`, {
      method: 'POST',
      body: body.subarray(0, 150_000),
      headers: { 'content-type': request.headers.get('content-type')! },
    });
    expect(short.status).toBe(400);
    expect(await endpoint.stored()).toEqual(before);
  });

  function without(data: FormData, name: string): FormData {
    data.delete(name);
    return data;
  }

  function swapPolicy(data: FormData): FormData {
    const policy = JSON.parse(Buffer.from(String(data.get('policy')), 'base64').toString()) as { expiration: string };
    data.set('policy', Buffer.from(JSON.stringify({ ...policy, expiration: '2099-01-01T00:00:00Z' })).toString('base64'));
    return data;
  }
});

describe('CORS', () => {
  const rules = [
    {
      AllowedOrigins: ['https://*.example.org'],
      AllowedMethods: ['PUT', 'GET'],
      AllowedHeaders: ['x-amz-*', 'content-type'],
      ExposeHeaders: ['ETag'],
      MaxAgeSeconds: 600,
    },
    { AllowedOrigins: ['*'], AllowedMethods: ['HEAD'] },
  ];
  const ask = (origin: string, method: string, headers = '') =>
    endpoint.fetch('/main/key', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, ...(headers && { 'access-control-request-headers': headers }) },
    });

  beforeEach(() => s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: rules } })).then(() => undefined));

  it('rules are stored and deleted', async () => {
    expect((await s3.send(new GetBucketCorsCommand({ Bucket }))).CORSRules).toMatchObject(rules);
    await s3.send(new DeleteBucketCorsCommand({ Bucket }));
    await expect(s3.send(new GetBucketCorsCommand({ Bucket }))).rejects.toEqual(named('NoSuchCORSConfiguration'));
    expect(await ask('https://a.example.org', 'PUT')).toMatchObject({ status: 403, code: 'AccessForbidden' });
  });

  it('a preflight needs no signature and uses the first matching rule', async () => {
    const response = await ask('https://a.example.org', 'PUT', 'Content-Type, X-Amz-Date');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': 'https://a.example.org',
      'access-control-allow-methods': 'PUT, GET',
      'access-control-allow-headers': 'content-type, x-amz-date',
      'access-control-max-age': '600',
      'access-control-expose-headers': 'ETag',
    });
    for (const [origin, method, headers] of [
      ['https://evil.org', 'PUT', ''],
      ['https://a.example.org.evil.org', 'PUT', ''],
      ['https://a.example.org', 'DELETE', ''],
      ['https://a.example.org', 'PUT', 'authorization'],
    ] as const)
      expect(await ask(origin, method, headers)).toMatchObject({ status: 403, code: 'AccessForbidden' });
  });

  it('a page can read responses and errors', async () => {
    const missing = await endpoint.send('GET', '/main/none', { headers: { origin: 'https://a.example.org' } });
    expect(missing.status).toBe(404);
    expect(missing.headers.get('access-control-allow-origin')).toBe('https://a.example.org');
    expect(missing.headers.get('vary')).toContain('Origin');
    const other = await endpoint.send('GET', '/main/none', { headers: { origin: 'https://evil.org' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('invalid rules are rejected', async () => {
    const put = (rule: object) =>
      s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule as (typeof rules)[0]] } }));
    await expect(put({ AllowedOrigins: ['*'], AllowedMethods: ['PATCH'] })).rejects.toEqual(named('InvalidRequest'));
    await expect(put({ AllowedOrigins: ['https://*.*'], AllowedMethods: ['GET'] })).rejects.toEqual(named('InvalidRequest'));
    await expect(put({ AllowedOrigins: [], AllowedMethods: ['GET'] })).rejects.toEqual(named('MalformedXML'));
  });
});

describe('virtual-host addressing', () => {
  it('reads the bucket from the host', async () => {
    const host = `main.localhost:${new URL(endpoint.url).port}`;
    const send = async (method: string, path: string, body: string, query = {}) => {
      const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'content-length': String(body.length), connection: 'close' };
      const signed = await signer(endpoint.pair).sign(httpRequest(method, host, path, query, headers));
      const lines = Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      return endpoint.raw(`${method} ${urlOf(signed)} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    };
    expect(await send('PUT', '/by/host', 'found')).toContain('200 OK');
    expect(await send('GET', '/', '', { prefix: 'by/' })).toContain('<Key>by/host</Key>');
    const received = await s3.send(new GetObjectCommand({ Bucket, Key: 'by/host' }));
    expect(await received.Body!.transformToString()).toBe('found');
  });
});
