import { CopyObjectCommand, CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from './start-endpoint.js';
import { signedForm } from './post-form.js';

let endpoint: TestEndpoint;
beforeAll(async () => void (endpoint = await TestEndpoint.start()));
afterAll(() => endpoint.stop());

const Bucket = 'main';
const EVIL = `a/b${';a=""'.repeat(50)}(`;

describe('an invalid content type over S3', () => {
  it.each([EVIL, 'text/', 'text/plain,', 'text plain', 'text/html(x', `a/${'b'.repeat(260)}`])(
    'is rejected by every command that takes one: %s',
    async (ContentType) => {
      const s3 = endpoint.client();
      await s3.send(new PutObjectCommand({ Bucket, Key: 'good', Body: 'x', ContentType: 'text/plain' }));
      const refused = expect.objectContaining({ name: 'InvalidArgument' });
      const bad = { Bucket, Key: 'bad', ContentType };
      await expect(s3.send(new PutObjectCommand({ ...bad, Body: 'x' }))).rejects.toEqual(refused);
      await expect(s3.send(new CreateMultipartUploadCommand(bad))).rejects.toEqual(refused);
      const copy = { ...bad, CopySource: 'main/good', MetadataDirective: 'REPLACE' as const };
      await expect(s3.send(new CopyObjectCommand(copy))).rejects.toEqual(refused);
      await expect(s3.send(new CopyObjectCommand({ ...copy, Key: 'good' }))).rejects.toEqual(refused);
      const form = signedForm(endpoint.pair, Bucket, { key: 'bad', 'Content-Type': ContentType }, [
        ['eq', '$key', 'bad'],
        ['starts-with', '$Content-Type', ''],
      ]);
      expect(await endpoint.fetch('/main', { method: 'POST', body: form })).toMatchObject({
        status: 400,
        code: 'InvalidArgument',
      });
      expect(await endpoint.stored()).toEqual({ keys: ['good'], reservations: 0 });
    },
  );

  it('that an earlier version stored is served as bytes', async () => {
    const { core } = endpoint.service;
    const storage = (await core.accounts.mainStorage('main'))!;
    async function* body() {
      yield Buffer.from('old');
    }
    const credential = { kind: 's3' as const, id: endpoint.pair.accessKeyId };
    await core.blobs.put(storage, 'old', body(), { contentType: EVIL, credential });
    for (const method of ['GET', 'HEAD']) {
      const response = await endpoint.send(method, '/main/old');
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
    }
    await core.blobs.delete(storage, 'old');
  });
});

describe('a content type that is a word or a list', () => {
  it.each(['text', 'image/jpeg, image/png', 'text/plain,text/html'])(
    'is stored and served as bytes that no browser shows: %s',
    async (ContentType) => {
      const body = '<script>alert(1)</script>';
      await endpoint.client().send(new PutObjectCommand({ Bucket, Key: 'odd', Body: body, ContentType, ACL: 'public-read' }));
      const overRest = await fetch(`${endpoint.restUrl}/f/main/odd`);
      for (const { status, headers } of [await endpoint.send('GET', '/main/odd'), overRest]) {
        expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('content-security-policy')).toContain('sandbox');
      }
      expect(overRest.headers.get('content-disposition')).toMatch(/^attachment/);
      await endpoint.send('DELETE', '/main/odd');
    },
  );
});

describe('a content type in the query of a read', () => {
  it.each([
    ['text/csv', 'text/csv'],
    ['Text/Plain; Charset="UTF-8"; a=b', 'text/plain; charset=UTF-8'],
    ['text/plain;charset="utf-8,text/html"', 'text/plain'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', undefined],
    ['text/plain,text/html', 'application/octet-stream'],
    ['text/html(x', 'application/octet-stream'],
    ['text/plain;a="x",text/html', 'application/octet-stream'],
    ['text/html;', 'application/octet-stream'],
    [' text/html', 'application/octet-stream'],
    ['text/xml', 'application/octet-stream'],
    ['video/x+xml', 'application/octet-stream'],
    ['application/xhtml+xml;a=b', 'application/octet-stream'],
    ['image/svg+xml', 'application/octet-stream'],
    ['multipart/x-mixed-replace;boundary=a', 'application/octet-stream'],
    ['text/ecmascript', 'application/octet-stream'],
    [EVIL, 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('%s is returned exactly and never active', async (stated, expected = stated) => {
    await endpoint.client().send(new PutObjectCommand({ Bucket, Key: 'page', Body: '<script>', ContentType: 'text/plain' }));
    const response = await endpoint.send('GET', '/main/page', { query: { 'response-content-type': stated } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, expected]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
