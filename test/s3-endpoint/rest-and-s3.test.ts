import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesOf } from './bytes-of.js';
import { putClockForward, resetClock } from '../support/process-clock.js';
import { TestEndpoint } from './start-endpoint.js';

const Bucket = 'main';
let endpoint: TestEndpoint;
let s3: S3Client;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  s3 = endpoint.client();
});
afterAll(() => endpoint.stop());

const named = (name: string) => expect.objectContaining({ name });

describe('REST and S3', () => {
  const rest = (path: string, init: RequestInit = {}) =>
    fetch(endpoint.restUrl + path, { ...init, headers: { authorization: `Bearer ${endpoint.apiKey}`, ...init.headers } });

  it('show the same file, uploaded over REST and read over S3', async () => {
    const put = await rest('/v1/files/both/rest.txt?visibility=public', {
      method: 'PUT',
      body: 'over rest',
      headers: { 'content-type': 'text/plain' },
    });
    expect(put.status).toBe(201);
    const received = await s3.send(new GetObjectCommand({ Bucket, Key: 'both/rest.txt' }));
    expect((await bytesOf(received.Body)).toString()).toBe('over rest');
    expect(received.ContentType).toBe('text/plain');
  });

  it('show the same object, uploaded over S3 and read over REST', async () => {
    await s3.send(
      new PutObjectCommand({ Bucket, Key: 'both/s3.txt', Body: 'over s3', ContentType: 'text/plain', ACL: 'public-read' }),
    );
    const listed = (await (await rest('/v1/files?prefix=both')).json()) as {
      response: { files: { path: string; visibility: string; url: string }[] };
    };
    const file = listed.response.files.find((one) => one.path === 'both/s3.txt')!;
    expect(file.visibility).toBe('public');
    expect(await (await fetch(file.url)).text()).toBe('over s3');
  });

  it('apply the rules of a folder', async () => {
    const rule = {
      prefix: 'ruled',
      max_size: 10,
      allowed_extensions: ['txt'],
      visibility: 'public',
      cache_control: 'max-age=9',
      expires_after: 3600,
    };
    const created = await rest('/v1/rules', {
      method: 'POST',
      body: JSON.stringify(rule),
      headers: { 'content-type': 'application/json' },
    });
    expect(created.status).toBe(201);
    const put = (Key: string, Body: string, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
    await expect(put('ruled/a.exe', 'x')).rejects.toEqual(named('AccessDenied'));
    await expect(put('ruled/a.txt', 'more than ten')).rejects.toEqual(named('EntityTooLarge'));
    await put('ruled/open.txt', 'x');
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'ruled/open.txt' }));
    expect([head.CacheControl, head.Expiration]).toEqual(['max-age=9', expect.stringContaining('expiry-date')]);
    expect((await endpoint.fetch('/main/ruled/open.txt')).status).toBe(200);
    await put('ruled/closed.txt', 'x', { ACL: 'private', CacheControl: 'no-store' });
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'ruled/closed.txt' }))).CacheControl).toBe('no-store');
    expect((await endpoint.fetch('/main/ruled/closed.txt')).status).toBe(403);
  });

  it('delete a file at its expiry', async () => {
    const soon = new Date(Date.now() + 30_000).toISOString();
    await rest(`/v1/files/both/soon.txt?expires_at=${encodeURIComponent(soon)}`, { method: 'PUT', body: 'x' });
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'both/soon.txt' }))).Expiration).toContain('expiry-date');
    putClockForward(60_000);
    const reading = s3.send(new GetObjectCommand({ Bucket, Key: 'both/soon.txt' })).finally(resetClock);
    await expect(reading).rejects.toEqual(named('NoSuchKey'));
  });
});
