import { PutBucketCorsCommand } from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advice } from '../../src/bulk/error-advice.js';
import { S3Error } from '../../src/bulk/errors.js';
import { TestEndpoint } from './start-endpoint.js';
import { signedForm } from './post-form.js';

let endpoint: TestEndpoint;
beforeAll(async () => void (endpoint = await TestEndpoint.start()));
afterAll(() => endpoint.stop());

/** Names that every JavaScript object inherits. */
const INHERITED = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];

describe('a name that JavaScript objects inherit', () => {
  it.each(INHERITED)('is no payload mode: %s', async (name) => {
    const headers = { 'x-amz-content-sha256': name };
    expect(await endpoint.send('PUT', '/main/a', { headers, body: 'x' })).toMatchObject({ status: 400, code: 'InvalidArgument' });
  });

  it.each(['constructor', 'toString', 'valueOf'])('is no XML entity: %s', async (name) => {
    const xml = `<Delete><Object><Key>a&${name};</Key></Object></Delete>`;
    const headers = { 'x-amz-checksum-sha256': createHash('sha256').update(xml).digest('base64') };
    const response = await endpoint.send('POST', '/main', { query: { delete: '' }, headers, body: xml });
    expect(response).toMatchObject({ status: 400, code: 'MalformedXML' });
  });

  it.each(INHERITED)('can be a key, a tag and a metadata name: %s', async (name) => {
    const headers = { [`x-amz-meta-${name.toLowerCase()}`]: 'value', 'x-amz-tagging': `${name}=tag` };
    expect((await endpoint.send('PUT', `/main/${name}`, { headers, body: 'x' })).status).toBe(200);
    const response = await endpoint.send('GET', `/main/${name}`);
    expect([response.text, response.headers.get(`x-amz-meta-${name.toLowerCase()}`)]).toEqual(['x', 'value']);
    expect((await endpoint.send('GET', `/main/${name}`, { query: { tagging: '' } })).text).toContain(
      `<Key>${name}</Key><Value>tag</Value>`,
    );
  });

  it.each(INHERITED)('can be an error code of a store: %s', (name) => {
    expect(advice(new S3Error(name, 'a message'))).toMatch(/^This is the message of the store/);
  });
});

describe('requests that take long to process', () => {
  it('cannot repeat a signed header', async () => {
    const response = await endpoint.send('GET', '/main/a', {
      headers: { 'x-amz-meta-long': 'x'.repeat(4000) },
      tamper(headers) {
        headers['authorization'] = headers['authorization']!.replace(
          'SignedHeaders=',
          `SignedHeaders=${'x-amz-meta-long;'.repeat(400)}`,
        );
      },
    });
    expect(response).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
    expect(response.text).toContain('more than once');
  });

  it('cannot compare thousands of header names with all patterns of a bucket', async () => {
    const CORSRules = Array.from({ length: 10 }, () => ({
      AllowedMethods: ['GET'],
      AllowedOrigins: ['*'],
      AllowedHeaders: Array.from({ length: 100 }, (_, index) => `x-${index}*`),
    }));
    await endpoint.client().send(new PutBucketCorsCommand({ Bucket: 'main', CORSConfiguration: { CORSRules } }));
    const ask = (names: string[]) =>
      endpoint.fetch('/main/a', {
        method: 'OPTIONS',
        headers: {
          origin: 'https://a.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': names.join(','),
        },
      });
    expect((await ask(Array.from({ length: 100 }, (_, index) => `x-${index}`))).status).toBe(200);
    expect(await ask(Array.from({ length: 101 }, () => 'x-1'))).toMatchObject({ status: 403, code: 'AccessForbidden' });
  });

  it('cannot contain a range with ambiguous white space', async () => {
    await endpoint.send('PUT', '/main/range', { body: '0123456789' });
    for (const range of [`bytes=${' '.repeat(15_000)}x`, `bytes=1${' '.repeat(7000)}2-${' '.repeat(7000)}x`])
      expect((await endpoint.send('GET', '/main/range', { headers: { range } })).text).toBe('0123456789');
    expect((await endpoint.send('GET', '/main/range', { headers: { range: 'Bytes = 2 - 4 ' } })).text).toBe('234');
  });
});

describe('metadata of a form', () => {
  it.each(['x-amz-meta-a b', 'x-amz-meta-ü', 'x-amz-meta-a:b', 'x-amz-meta-'])(
    'is rejected if its name is not valid in a header, because its object could never be read: %s',
    async (name) => {
      const form = signedForm(endpoint.pair, 'main', { key: 'form', [name]: 'x' }, [
        ['eq', '$key', 'form'],
        ['starts-with', `$${name}`, ''],
      ]);
      expect(await endpoint.fetch('/main', { method: 'POST', body: form })).toMatchObject({
        status: 400,
        code: 'InvalidArgument',
      });
      expect((await endpoint.stored()).keys).not.toContain('form');
    },
  );
});
