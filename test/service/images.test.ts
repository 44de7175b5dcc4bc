import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImageProcesses } from '../../server/service/images/image-processes.js';
import type { ProcessLimits } from '../../server/service/images/image-process.js';
import { IMAGE_LIMITS } from '../../server/service/images/limits.js';
import type { BlobError } from '../../src/protocol/errors.js';
import { emptyPng, gifWithFrames, HOSTILE, photoWithLocation } from './image-samples.js';
import { TestService } from './support.js';

let service: TestService;
let photo: Buffer<ArrayBuffer>;
beforeAll(async () => {
  service = await TestService.start();
  photo = await photoWithLocation();
  await service.call('POST', '/v1/rules', { body: { prefix: 'open', visibility: 'public', image_sizes: ['400x300', '200x'] } });
});
afterAll(() => service.stop());

const AVIF = { Accept: 'image/avif,image/webp,*/*;q=0.8' };
const WEBP = { Accept: 'image/webp,*/*' };

const publicUrl = (path: string) => `${service.url}/f/main/${path}`;
const upload = async (path: string, bytes: Uint8Array<ArrayBuffer>) => (await service.put(path, bytes)).response;
/** Requests an image with the key, which may choose any size. */
const resized = (id: string, query: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/v1/files/${id}/content?${query}`, { headers: { Authorization: `Bearer ${service.key}`, ...headers } });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const codeOf = async (response: Response) => `${response.status} ${((await response.json()) as { code: string }).code}`;
const link = async (id: string, body: object) =>
  (await service.call<{ url: string }>('POST', `/v1/files/${id}/links`, { body })).response.url;

describe('a resized image', () => {
  it('is upright sRGB without location, profile or comments, and never larger than the original', async () => {
    const { id } = await upload('private/photo.jpg', photo);
    const original = await sharp(photo).metadata();
    expect([original.orientation, original.exif !== undefined, original.icc !== undefined]).toEqual([6, true, true]);
    for (const format of ['avif', 'webp', 'jpeg', 'png']) {
      const response = await resized(id, `w=300&h=300&fit=contain&format=${format}`);
      const bytes = await bytesOf(response);
      const { width, height, space, orientation, exif, icc, xmp, iptc } = await sharp(bytes).metadata();
      expect([response.headers.get('content-type'), width, height, space]).toEqual([`image/${format}`, 225, 300, 'srgb']);
      expect([orientation ?? 1, exif, icc, xmp, iptc]).toEqual([1, undefined, undefined, undefined, undefined]);
      expect(bytes.includes('secret place')).toBe(false);
    }
    const sizeFor = async (query: string) => {
      const { width, height } = await sharp(await bytesOf(await resized(id, `${query}&format=png`))).metadata();
      return [width, height];
    };
    // The upright photo has 600 × 800 pixels.
    expect(await sizeFor('w=100&h=100')).toEqual([100, 100]);
    expect(await sizeFor('w=1200&h=1200')).toEqual([600, 600]);
    expect(await sizeFor('h=4000')).toEqual([600, 800]);
    expect(await sizeFor('w=150')).toEqual([150, 200]);
    // The left half of the stored photo is red, which is the upper half after its rotation.
    const [red, , blue] = await sharp(await bytesOf(await resized(id, 'w=10&format=png')))
      .extract({ left: 5, top: 1, width: 1, height: 1 })
      .raw()
      .toBuffer();
    expect(red! > 200 && blue! < 60).toBe(true);
  });

  it('has the format that the client accepts, and says so to caches', async () => {
    const { id } = await upload('private/formats.jpg', photo);
    const transparent = await upload('private/logo.png', await emptyPng());
    const types = async (fileId: string, accept?: Record<string, string>) => {
      const response = await resized(fileId, 'w=50', accept ?? { Accept: '*/*' });
      return [response.headers.get('content-type'), response.headers.get('vary'), response.headers.get('content-disposition')];
    };
    expect(await types(id, AVIF)).toEqual(['image/avif', 'Accept', 'inline; filename="formats.avif"']);
    expect(await types(id, WEBP)).toEqual(['image/webp', 'Accept', 'inline; filename="formats.webp"']);
    expect(await types(id, { Accept: 'image/avif;q=0, image/*' })).toEqual([
      'image/jpeg',
      'Accept',
      'inline; filename="formats.jpg"',
    ]);
    expect((await types(transparent.id))[0]).toBe('image/png');
    expect((await resized(id, 'w=50&format=webp')).headers.get('vary')).toBeNull();
  });

  it('supports HEAD, conditions and ranges with its own ETag', async () => {
    const file = await upload('private/ranges.jpg', photo);
    const whole = await resized(file.id, 'w=60&format=webp');
    const bytes = await bytesOf(whole);
    const etag = whole.headers.get('etag')!;
    expect(etag).not.toBe(`"${file.etag}"`);
    const head = await fetch(`${service.url}/v1/files/${file.id}/content?w=60&format=webp`, {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${service.key}` },
    });
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
      200,
      String(bytes.length),
      etag,
    ]);
    expect((await resized(file.id, 'w=60&format=webp', { 'If-None-Match': etag })).status).toBe(304);
    const part = await resized(file.id, 'w=60&format=webp', { Range: 'bytes=4-9', 'If-Range': etag });
    expect([part.status, (await bytesOf(part)).equals(bytes.subarray(4, 10))]).toEqual([206, true]);
    expect((await resized(file.id, 'w=60&format=webp', { 'If-Match': `"${file.etag}"` })).status).toBe(412);
  });

  it('is refused with a reason for invalid parameters', async () => {
    const { id } = await upload('private/parameters.jpg', photo);
    for (const [query, path] of [
      ['q=50', 'w'],
      ['w=0', 'w'],
      ['h=4097', 'h'],
      ['w=1e2', 'w'],
      ['w=50&fit=fill', 'fit'],
      ['w=50&format=svg', 'format'],
      ['w=50&q=101', 'q'],
    ])
      expect((await service.call('GET', `/v1/files/${id}/content?${query}`)).error.path).toBe(path);
    const { error } = await service.call('GET', `/v1/files/${id}/content?w=50&format=svg`);
    expect(error.message).toBe('`format` must be "auto" or "avif" or "webp" or "jpeg" or "png"; got a string of 3 characters.');
  });
});

describe('a resized public image', () => {
  it('is available in the sizes that a rule lists', async () => {
    await upload('open/photo.jpg', photo);
    const listed = await fetch(`${publicUrl('open/photo.jpg')}?w=400&h=300`, { headers: WEBP });
    expect([listed.status, listed.headers.get('cache-control')]).toEqual([200, 'public, max-age=0, must-revalidate']);
    expect((await fetch(`${publicUrl('open/photo.jpg')}?w=200&q=90`)).status).toBe(200);
    for (const query of ['w=401&h=300', 'w=400', 'w=400&h=300&q=74'])
      expect(await codeOf(await fetch(`${publicUrl('open/photo.jpg')}?${query}`))).toBe('403 IMAGE_SIZE_NOT_ALLOWED');
    await service.put('elsewhere/photo.jpg?visibility=public', photo);
    expect(await codeOf(await fetch(`${publicUrl('elsewhere/photo.jpg')}?w=400&h=300`))).toBe('403 IMAGE_SIZE_NOT_ALLOWED');
    const rule = (image_sizes: string[]) => service.call('POST', '/v1/rules', { body: { prefix: 'bad', image_sizes } });
    for (const sizes of [['x'], ['0x1'], ['5000x'], ['1x1x1']]) expect((await rule(sizes)).error.path).toMatch(/^image_sizes/);
  });

  it('is available in another size by a link that states it', async () => {
    const { id } = await upload('open/linked.jpg', photo);
    const url = await link(id, { transform: { w: 123, format: 'webp' } });
    expect((await sharp(await bytesOf(await fetch(url))).metadata()).width).toBe(123);
    expect(await codeOf(await fetch(url.replace('w=123', 'w=124')))).toBe('403 IMAGE_SIZE_NOT_ALLOWED');
  });
});

describe('a link to a resized private image', () => {
  it('opens this image and never the original', async () => {
    const { id } = await upload('private/linked.jpg', photo);
    const url = await link(id, { transform: { w: 40, h: 30, q: 60 } });
    expect((await fetch(url)).status).toBe(200);
    for (const forged of [url.replace('w=40', 'w=41'), url.replace('q=60', 'q=61'), url.replace(/w=.*q=60&/, '')])
      expect(await codeOf(await fetch(forged))).toBe('404 FILE_NOT_FOUND');
    const toFile = await link(id, {});
    expect(await codeOf(await fetch(`${toFile}&w=40&h=30&q=60`))).toBe('403 IMAGE_SIZE_NOT_ALLOWED');
    expect((await service.call('POST', `/v1/files/${id}/links`, { body: { transform: { q: 50 } } })).status).toBe(400);
  });
});

describe('a share', () => {
  it('offers previews and the sizes of the rule', async () => {
    await upload('open/album/photo.jpg', photo);
    const { response } = await service.call<{ url: string }>('POST', '/v1/shares', { body: { prefix: 'open/album' } });
    const statuses = ['w=320&h=320', 'w=400&h=300', 'w=321&h=320'].map(
      async (query) => (await fetch(`${response.url.replace(/\/$/, '')}/photo.jpg?${query}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  });

  it('sends the image to a browser that requests one, and counts each in a share with a download limit', async () => {
    await upload('private/shared.jpg', photo);
    const { response } = await service.call<{ url: string }>('POST', '/v1/shares', {
      body: { path: 'private/shared.jpg', max_downloads: 1 },
    });
    const open = (query: string) => fetch(`${response.url}${query}`, { headers: { Accept: 'text/html,*/*;q=0.8' } });
    const image = '?w=320&h=320';

    expect((await open('')).headers.get('content-type')).toContain('text/html');
    expect((await open('?w=321&h=320')).status).toBe(403);
    const resizedPhoto = await open(image);
    const { width, exif } = await sharp(await bytesOf(resizedPhoto)).metadata();
    expect([resizedPhoto.headers.get('cache-control')?.split(',')[0], width, exif]).toEqual(['private', 320, undefined]);
    expect((await open(image)).status).toBe(404);
  });

  it('ignores the parameters for folders and their archives', async () => {
    await upload('private/folder/photo.jpg', photo);
    const { response } = await service.call<{ url: string }>('POST', '/v1/shares', { body: { prefix: 'private/folder' } });
    const page = await fetch(`${response.url}?w=320&h=320`, { headers: { Accept: 'text/html' } });
    expect(await page.text()).not.toContain('w=320');
    const archive = await bytesOf(await fetch(`${response.url}?zip=1&w=320&h=320`));
    expect(archive.includes(photo)).toBe(true);
  });
});

describe('a stored resized image', () => {
  const derived = async () => {
    const { metadata } = service.service.core.blobs.resumable['context'];
    return metadata.db.selectFrom('derived_files').selectAll().execute();
  };
  const refsOf = async (blobs: string[]) => {
    const { metadata } = service.service.core.blobs.resumable['context'];
    return (await metadata.db.selectFrom('blobs').select('refs').where('id', 'in', blobs).execute()).map(({ refs }) =>
      Number(refs),
    );
  };

  it('is computed once for equal requests, and counts no quota', async () => {
    const { id } = await upload('private/once.jpg', photo);
    const usage = () => service.service.core.blobs.usage('main');
    const before = await usage();
    const responses = await Promise.all(Array.from({ length: 6 }, () => resized(id, 'w=77&format=webp')));
    expect(new Set(responses.map((response) => response.headers.get('etag'))).size).toBe(1);
    expect((await derived()).filter((row) => row.file_id === id)).toHaveLength(1);
    expect(await usage()).toEqual(before);
  });

  it('ends with its file: replaced, deleted, or expired', async () => {
    const files = await Promise.all(['a', 'b', 'c'].map((name) => upload(`private/end-${name}.jpg`, photo)));
    const ids = files.map((file) => file.id);
    const rows = async () => (await derived()).filter((row) => ids.includes(row.file_id));
    for (const id of ids) await bytesOf(await resized(id, 'w=20&format=png'));
    const blobs = (await rows()).map((row) => row.blob_id!);
    expect(await refsOf(blobs)).toEqual([1, 1, 1]);
    const gray = await sharp(photo).grayscale().png().toBuffer();
    await service.put('private/end-a.jpg?overwrite=true', new Uint8Array(gray));
    await service.call('DELETE', `/v1/files/${ids[1]}`);
    await service.call('PATCH', `/v1/files/${ids[2]}`, { body: { expires_at: new Date(Date.now() + 60_000).toISOString() } });
    await service.advanceClock(120_000);
    await service.service.core.blobs.sweep();
    await service.advanceClock(0);
    expect(await rows()).toEqual([]);
    expect(new Set(await refsOf(blobs))).not.toContain(1);
    const again = await sharp(await bytesOf(await resized(ids[0]!, 'w=20&format=png'))).stats();
    expect(again.channels[0]!.mean).toBeCloseTo(again.channels[2]!.mean, 0);
  });

  it('makes room for newer ones when the cache is full', async () => {
    const { id } = await upload('private/many.jpg', photo);
    for (const w of [31, 32, 33]) await bytesOf(await resized(id, `w=${w}&format=png`));
    const context = service.service.core.blobs.resumable['context'];
    const limits = { ...context.derivedLimits };
    try {
      context.derivedLimits.files = 2;
      await service.service.core.blobs.sweep();
      expect(await derived()).toHaveLength(2);
    } finally {
      Object.assign(context.derivedLimits, limits);
    }
    expect((await resized(id, 'w=31&format=png')).status).toBe(200);
  });
});

describe('a hostile image', () => {
  it.each(HOSTILE)('%s is refused: %s', async (name, expected, bytes) => {
    const { id } = await upload(`private/hostile/${name}`, new Uint8Array(await bytes()));
    const response = await resized(id, 'w=50');
    expect(await codeOf(response)).toBe(expected);
    // The second response comes from the stored failure.
    expect(await codeOf(await resized(id, 'w=50'))).toBe(expected);
  });

  it('costs one frame however many it has', async () => {
    const { id } = await upload('private/hostile/frames.gif', gifWithFrames(20_000));
    const { width, pages } = await sharp(await bytesOf(await resized(id, 'w=16&format=webp'))).metadata();
    expect([width, pages ?? 1]).toEqual([16, 1]);
  });

  it('loses a page or archive that is hidden behind the pixels', async () => {
    const { id } = await upload(
      'private/hostile/polyglot.jpg',
      Buffer.concat([photo, Buffer.from('<script>alert(1)</script>PK\x03\x04')]),
    );
    const response = await resized(id, 'w=50&format=jpeg');
    expect([response.status, (await bytesOf(response)).includes('script')]).toEqual([200, false]);
  });

  it('ends with its process when it takes too long or too much memory', async () => {
    const request = { bytes: photo, width: 50, height: 50, fit: 'cover', format: 'webp', quality: 75 } as const;
    const attempt = async (limits: Partial<ProcessLimits>) => {
      const processes = new ImageProcesses({ ...IMAGE_LIMITS, ...limits });
      const results = await Promise.allSettled([processes.run('main', (one) => one.resize(request))]);
      processes.close();
      return results.map((result) => (result.status === 'rejected' ? (result.reason as BlobError).details['limit'] : 'resized'));
    };
    expect(await attempt({ milliseconds: 0 })).toEqual(['time']);
    expect(await attempt({ memory: 1 })).toEqual(['memory']);
    expect(await attempt({})).toEqual(['resized']);
  });
});

describe('a service that resizes no images', () => {
  it('refuses and never sends the original', async () => {
    const without = await TestService.start({ images: false });
    try {
      await without.call('POST', '/v1/rules', { body: { prefix: '', visibility: 'public', image_sizes: ['50x'] } });
      await without.put('photo.jpg', photo);
      expect(await codeOf(await fetch(`${without.url}/f/main/photo.jpg?w=50`))).toBe('501 IMAGES_DISABLED');
    } finally {
      await without.stop();
    }
  });
});
