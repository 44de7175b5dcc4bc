import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListObjectsV2Command, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useS3Engine } from '../support/s3-engine.js';
import type { S3Engine } from '../support/s3-engine.js';
import { createKeyPair, SOON } from './admin-page.js';
import { createFile } from './sample-files.js';
import { BROWSERS } from './browser-page.js';
import type { BrowserPage, BrowserDriver } from './browser-page.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

const PATIENCE = { timeout: 60_000 };
/** Response headers that a page may read. @see docs/guides/s3-from-a-page.md */
const EXPOSED = ['ETag', 'x-amz-checksum-crc32', 'x-amz-checksum-type', 'x-amz-meta-mtime', 'Retry-After', 'Date'];

let product: Product;
let folder: string;
let paths: string[];
let sizes: Record<string, number>;
let engine: S3Engine;

beforeAll(async () => {
  [product, folder, engine] = await Promise.all([useProduct(), mkdtemp(join(tmpdir(), 'svc-anywhere-')), useS3Engine()]);
  const files = await Promise.all(Array.from({ length: 30 }, (_, at) => createFile(folder, `ü ${at}.txt`, at * 100)));
  files.push(await createFile(folder, 'film.bin', 20 * 1024 ** 2));
  paths = files.map(({ path }) => path);
  sizes = Object.fromEntries(files.map(({ name, size }) => [`set/${name}`, size]));
});
afterAll(async () => {
  await engine.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Connects to a store through the form and uploads the files. */
async function upload(page: BrowserPage, fields: Readonly<Record<string, string>>): Promise<void> {
  const state = () => page.run(() => document.querySelector('#connection-state')!.textContent);
  await expect.poll(state, SOON).toMatch(/^Connected to main\/demo\/admin\//);
  await page.click('#location label:has([value=other])');
  for (const [name, value] of Object.entries(fields)) await page.type(`#location [name=${name}]`, value);
  await page.click('#connect');
  await expect.poll(state, SOON).toBe(`Connected to ${fields['bucket']}/set/`);
  await page.click('#pick-mode label:has([value=files])');
  await page.choose(paths, '#uploader');
  await expect.poll(() => page.run(() => document.querySelector('#uploader')!.matches(':state(complete)')), PATIENCE).toBe(true);
  expect(await page.run(() => document.querySelector<HTMLElement>('#failures')!.hidden)).toBe(true);
}

describe.each(Object.entries(BROWSERS))('the admin page in %s', (_, open) => {
  let driver: BrowserDriver;
  beforeAll(async () => {
    driver = await open();
  });
  afterAll(() => driver?.close());

  it('shows the real mode of the picker after a reload', async () => {
    const page = await driver.open(`${product.demo}/admin`);
    const state = () => page.run(() => document.querySelector('#connection-state')!.textContent);
    const readPickMode = () =>
      page.run(() => {
        const selected = document.querySelector<HTMLInputElement>('#pick-mode :checked')!.value;
        return [selected, document.querySelector('svc-uploader')!.webkitdirectory ? 'folder' : 'files'];
      });
    await expect.poll(state, SOON).toMatch(/^Connected to main\/demo\/admin\//);
    await page.click('#pick-mode label:has([value=files])');
    expect(await readPickMode()).toEqual(['files', 'files']);
    await page.reload();
    await expect.poll(state, SOON).toMatch(/^Connected to main\/demo\/admin\//);
    const [selected, picked] = await readPickMode();
    expect(selected).toBe(picked);
    await page.close();
  });

  it('uploads files to a store with entered keys', async () => {
    const page = await driver.open(`${product.demo}/admin`);
    const { access_key_id, secret_access_key } = await createKeyPair(product);
    const endpoint = `http://127.0.0.1:${product.ports[1]}`;
    const place = { endpoint, bucket: 'main', prefix: 'set', 'key-id': access_key_id, secret: secret_access_key };
    await upload(page, place);
    const stored = await product.listFiles('set/');
    expect(Object.fromEntries(stored.map(({ path, size }) => [path, size]))).toEqual(sizes);
    await page.close();
    expect(page.consoleErrors ?? []).toEqual([]);
  });

  it('uploads files to another product, with the CORS rule of the guide', async () => {
    const { endpoint, region, accessKeyId, secretAccessKey } = engine;
    const client = new S3Client({ endpoint, region, credentials: engine, forcePathStyle: true });
    const Bucket = `admin-${Math.random().toString(36).slice(2)}`;
    await client.send(new CreateBucketCommand({ Bucket }));
    const rule = {
      AllowedOrigins: [product.demo],
      AllowedMethods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
      AllowedHeaders: ['*'],
    };
    const CORSConfiguration = { CORSRules: [{ ...rule, ExposeHeaders: EXPOSED }] };
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration }));
    const page = await driver.open(`${product.demo}/admin`);
    await upload(page, { endpoint, region, bucket: Bucket, prefix: 'set', 'key-id': accessKeyId, secret: secretAccessKey });
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
    expect(Object.fromEntries(Contents.map(({ Key, Size }) => [Key, Size]))).toEqual(sizes);
    await page.close();
    client.destroy();
  });
});
