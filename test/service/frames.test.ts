import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FFMPEG, greenVideo, hugeVideo, installFramePrograms, pdf, PDFTOPPM, redThenBlue } from './frame-samples.js';
import { rowsForBackend } from './backend.js';
import { TestService } from './support.js';

const isInstalled = installFramePrograms();
const [RED, BLUE] = ['1 0 0', '0 0 1'];

let service: TestService;
const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

const TYPES: Record<string, string> = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  pdf: 'application/pdf',
};
const put = async (to: TestService, path: string, bytes: Uint8Array<ArrayBuffer>, query = '') => {
  const headers = { 'Content-Type': TYPES[path.split('.').at(-1)!]! };
  const { status, response, error } = await to.put(`${path}${query}`, bytes, { headers });
  if (status > 201) throw new Error(JSON.stringify(error));
  return response;
};
const upload = (path: string, bytes: Uint8Array<ArrayBuffer>, query?: string) => put(service, path, bytes, query);
const picture = (id: string, query: string, init: RequestInit = {}) =>
  fetch(`${service.url}/v1/files/${id}/content?${query}`, { headers: { Authorization: `Bearer ${service.key}` }, ...init });
const codeOf = async (response: Response) => `${response.status} ${((await response.json()) as { code: string }).code}`;

/** The size of a picture, and whether its centre is `red` or `blue`. */
async function look(response: Response): Promise<unknown[]> {
  if (response.status !== 200) return [response.status, await response.text()];
  const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels;
  const isRed = data[at]! > 200 && data[at + 2]! < 80;
  const isBlue = data[at]! < 80 && data[at + 2]! > 200;
  return [info.width, info.height, isRed ? 'red' : isBlue ? 'blue' : 'other'];
}

describe.skipIf(!isInstalled)('a service with ffmpeg and pdftoppm', () => {
  beforeAll(async () => {
    service = await TestService.start({ thumbnails: [FFMPEG, PDFTOPPM] });
    closers.push(() => service.stop());
    await service.call('POST', '/v1/rules', { body: { prefix: 'open', visibility: 'public', image_sizes: ['100x100'] } });
  });

  const VIDEOS = [
    ['mp4', 'mpeg4'],
    ['mov', 'libx264'],
    ['webm', 'libvpx'],
    ['mkv', 'mpeg4'],
  ] as const;
  it.each(rowsForBackend(VIDEOS, () => 'video'))('delivers the frame after a tenth of a %s video', async (extension, codec) => {
    const { id } = await upload(`v/a.${extension}`, redThenBlue(extension, codec));
    expect(await look(await picture(id, 'w=160&h=160&fit=contain'))).toEqual([160, 120, 'blue']);
    expect(await look(await picture(id, 'w=100&h=100&format=png'))).toEqual([100, 100, 'blue']);
  });

  // Encoders of pictures of one pixel may fail, so one size has all formats.
  const SIZES = [
    ['16000x2', [320, 1], [1, 1], ['avif', 'webp', 'jpeg', 'png']],
    ['2x16000', [1, 320], [1, 1], ['jpeg']],
    ['1920x1080', [320, 180], [320, 320], ['webp']],
  ] as const;
  it.each(rowsForBackend(SIZES, () => 'size'))(
    'delivers a picture of a video of %s pixels',
    async (size, contained, covered, formats) => {
      const { id } = await upload(`v/${size}.mkv`, greenVideo(size));
      expect((await look(await picture(id, 'w=320&h=320&fit=contain'))).slice(0, 2)).toEqual(contained);
      for (const format of formats)
        expect((await look(await picture(id, `w=320&h=320&format=${format}`))).slice(0, 2)).toEqual(covered);
    },
  );

  it.each([
    [
      [14_000, 2],
      [320, 1],
    ],
    [
      [2, 14_000],
      [1, 320],
    ],
  ] as const)('delivers a picture of a PDF whose page has %j points', async (box, contained) => {
    const { id } = await upload(`d/${box.join('x')}.pdf`, pdf([RED!], box));
    expect(await look(await picture(id, 'w=320&h=320&fit=contain'))).toEqual([...contained, 'red']);
  });

  it('delivers the first page of a PDF', async () => {
    const { id } = await upload('d/two-pages.pdf', pdf([RED!, BLUE!]));
    expect(await look(await picture(id, 'w=320&h=320&fit=contain'))).toEqual([320, 160, 'red']);
  });

  it('delivers the picture like a resized image, and computes it once', async () => {
    const { id } = await upload('open/page.pdf', pdf([RED!]), '?overwrite=true');
    const results = async () =>
      Object.fromEntries(
        [
          ...(await (await fetch(`${service.ownUrl}/metrics`)).text()).matchAll(/^svc_images_total\{result="(\w+)"\} (\d+)/gm),
        ].map(([, result, count]) => [result, Number(count)]),
      );
    const before = await results();
    // One of the replicas, because each counts its own results.
    const url = `${service.ownUrl}/f/main/open/page.pdf`;
    const first = await fetch(`${url}?w=100&h=100`);
    expect(
      Object.fromEntries(['content-type', 'content-disposition', 'vary'].map((name) => [name, first.headers.get(name)])),
    ).toEqual({
      'content-type': 'image/jpeg',
      'content-disposition': 'inline; filename="page.jpg"',
      vary: 'Accept',
    });
    expect(first.headers.get('content-security-policy')).toContain('sandbox');
    const head = await fetch(`${url}?w=100&h=100`, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, first.headers.get('etag')]);
    const after = await results();
    expect([after['resized']! - (before['resized'] ?? 0), after['cached']! - (before['cached'] ?? 0)]).toEqual([1, 1]);
    expect(await codeOf(await fetch(`${url}?w=101&h=100`))).toBe('403 IMAGE_SIZE_NOT_ALLOWED');
    await upload('open/page.pdf', pdf([BLUE!]), '?overwrite=true');
    expect(await look(await fetch(`${url}?w=100&h=100`))).toEqual([100, 100, 'blue']);
    expect((await picture(id, '')).headers.get('content-type')).toBe('application/pdf');
  });

  it('shows the picture on pages of shares, without counting a download', async () => {
    const share = async (path: string) =>
      (await service.call<{ url: string }>('POST', '/v1/shares', { body: { path } })).response.url;
    const pageOf = async (url: string) => (await fetch(url, { headers: { Accept: 'text/html' } })).text();
    await upload('s/video.webm', redThenBlue('webm', 'libvpx'));
    await upload('s/page.pdf', pdf([RED!]));
    const [video, page] = [await share('s/video.webm'), await share('s/page.pdf')];
    expect(await pageOf(video)).toContain('poster="?raw=1&amp;w=1280&amp;h=1280&amp;fit=contain"');
    expect(await pageOf(page)).toContain('<img src="?raw=1&amp;w=1280&amp;h=1280&amp;fit=contain" alt="page.pdf" />');
    expect(await look(await fetch(`${video}?raw=1&w=1280&h=1280&fit=contain`))).toEqual([320, 240, 'blue']);
    expect((await look(await fetch(`${page}?raw=1&w=1280&h=1280&fit=contain`)))[2]).toBe('red');
    const { response } = await service.call<{ shares: { downloads: number }[] }>('GET', '/v1/shares');
    expect(response.shares.map(({ downloads }) => downloads)).toEqual([0, 0]);
  });

  const HOSTILE: [name: string, expected: string, bytes: () => Buffer<ArrayBuffer>][] = [
    ['truncated.mp4', '422 IMAGE_UNREADABLE', () => redThenBlue('mp4', 'mpeg4').subarray(0, 2000)],
    [
      'headless.mp4',
      '422 IMAGE_UNREADABLE',
      () => Buffer.concat([Buffer.from('\0\0\0\x10ftypisom'), Buffer.alloc(3_000_000, 7)]),
    ],
    ['random.webm', '422 IMAGE_UNREADABLE', () => Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(100_000, 0xa3)])],
    ['huge.mov', '422 IMAGE_UNREADABLE', hugeVideo],
    ['empty.mp4', '415 IMAGE_TYPE_UNSUPPORTED', () => Buffer.alloc(0)],
    ['page.mp4', '415 IMAGE_TYPE_UNSUPPORTED', () => pdf([RED!])],
    ['video.pdf', '415 IMAGE_TYPE_UNSUPPORTED', () => redThenBlue('webm', 'libvpx')],
    ['truncated.pdf', '422 IMAGE_UNREADABLE', () => pdf([RED!]).subarray(0, 40)],
    ['concat.mp4', '415 IMAGE_TYPE_UNSUPPORTED', () => Buffer.from('ffconcat version 1.0\nfile /etc/passwd\n')],
  ];
  it.each(rowsForBackend(HOSTILE, ([, expected]) => expected))('refuses %s with %s', async (name, expected, bytes) => {
    const { id } = await upload(`hostile/${name}`, bytes());
    expect(await codeOf(await picture(id, 'w=100'))).toBe(expected);
  });

  it('bounds the picture of a page of any size', async () => {
    const { id } = await upload('hostile/large-page.pdf', pdf([RED!], [14_000, 7000]));
    expect(await look(await picture(id, 'w=4096&h=4096&fit=contain'))).toEqual([1920, 960, 'red']);
  });

  it('never follows a reference in a playlist', async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url!);
      response.end(redThenBlue('mp4', 'mpeg4'));
    }).listen(0, '127.0.0.1');
    closers.push(() => server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.mp4`;
    const playlists = {
      'hls.mp4': `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${url}\n#EXT-X-ENDLIST\n`,
      'dash.webm': `<MPD><Period><AdaptationSet><Representation><BaseURL>${url}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
      'concat.mov': `ffconcat version 1.0\nfile '${url}'\n`,
      'reference.pdf': pdf([RED!]).toString('latin1').replace('stream\n', `/F<</FS/URL/F(${url})>>stream\n`),
    };
    for (const [name, text] of Object.entries(playlists)) {
      const { id } = await upload(`hostile/${name}`, Buffer.from(text, 'latin1'));
      await (await picture(id, 'w=100')).arrayBuffer();
    }
    expect(requests).toEqual([]);
  });
});

describe('a service without programs for videos and PDFs', () => {
  it('refuses their pictures with a reason, and shows none on pages of shares', async () => {
    const plain = await TestService.start();
    closers.push(() => plain.stop());
    const shared = await put(plain, 'a.pdf', pdf([RED!]));
    const video = await put(plain, 'a.mp4', Buffer.from('\0\0\0\x10ftypisom'));
    const get = (id: string) => plain.call('GET', `/v1/files/${id}/content?w=100`);
    expect((await get(shared.id)).error).toMatchObject({
      code: 'IMAGE_TYPE_UNSUPPORTED',
      message: 'This service makes no pictures of PDFs.',
    });
    expect(await get(video.id)).toMatchObject({
      status: 415,
      error: { message: 'This service makes no pictures of videos.' },
    });
    const { url } = (await plain.call<{ url: string }>('POST', '/v1/shares', { body: { path: 'a.mp4' } })).response;
    const page = await (await fetch(url, { headers: { Accept: 'text/html' } })).text();
    expect(page).toContain('<video src="?raw=1"');
    expect(page).not.toContain('poster');
  });

  it('does not start with an unknown program, or with one that is missing', async () => {
    await expect(TestService.start({ thumbnails: ['convert'] })).rejects.toThrow('ffmpeg, pdftoppm or absolute paths');
    await expect(TestService.start({ thumbnails: ['bin/ffmpeg'] })).rejects.toThrow('absolute paths');
    await expect(TestService.start({ thumbnails: ['/nowhere/ffmpeg'] })).rejects.toThrow('/nowhere/ffmpeg cannot be started');
  });
});
