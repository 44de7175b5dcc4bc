import { expect } from 'chai';
import type { StoredFile, SvcUploader } from '../../../src/element/index.js';
import { drawThumbnail } from '../../../src/element/view/draw-thumbnail.js';
import { turnedPhoto } from './pictures.js';
import { createFile, find, waitForPaint, removeAll, until, createUploader } from './fixture.js';

/** Creates an image of one color that is wider than high. */
async function createPicture(name: string): Promise<File> {
  const canvas = new OffscreenCanvas(300, 200);
  const context = canvas.getContext('2d')!;
  context.fillStyle = 'rgb(255, 0, 0)';
  context.fillRect(0, 0, 300, 200);
  return new File([await canvas.convertToBlob({ type: 'image/png' })], name, { type: 'image/png' });
}

describe('thumbnails', () => {
  afterEach(removeAll);

  it('replace the extension beside an image', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles([await createPicture('red.png'), createFile('b.pdf')]);
    await waitForPaint(el);
    const drawn = find<HTMLCanvasElement>(el, '[part="thumbnail"] canvas');
    await until(() => drawn.classList.contains('drawn'));
    expect([...drawn.getContext('2d')!.getImageData(40, 40, 1, 1).data]).to.deep.equal([255, 0, 0, 255]);
    const [shown, plain] = [...el.shadowRoot!.querySelectorAll<HTMLElement>('[part=thumbnail]')].map((one) => {
      const { color, width, height } = getComputedStyle(one);
      return { color, width, height };
    });
    expect(getComputedStyle(drawn)).to.include({ visibility: 'visible', width: '40px', height: '40px' });
    expect(shown, 'a see-through picture would have letters behind it').to.include({ color: 'rgba(0, 0, 0, 0)', width: '40px' });
    expect(plain!.color).not.to.equal('rgba(0, 0, 0, 0)');
  });

  it('do not replace the extension of a file that is no image', async () => {
    const el = await createUploader({ manual: true });
    const { createImageBitmap } = window;
    const decoded = new Promise<void>((resolve) => {
      window.createImageBitmap = ((blob: Blob) => createImageBitmap(blob).finally(resolve)) as typeof createImageBitmap;
    });
    await el.addFiles([createFile('no.png', 10, 'image/png')]);
    await decoded;
    window.createImageBitmap = createImageBitmap;
    await waitForPaint(el);
    expect(getComputedStyle(find(el, 'canvas')).visibility).to.equal('hidden');
    expect(getComputedStyle(find(el, '[part=thumbnail]')).color).not.to.equal('rgba(0, 0, 0, 0)');
    expect(find(el, '[part=thumbnail]').textContent!.trim()).to.equal('PNG');
  });
});

describe('thumbnails of stored files', () => {
  const { fetch } = window;
  let requests: { reason: string; ids: string[] }[] = [];
  let downloads: [string, RequestCredentials | undefined][] = [];
  afterEach(() => {
    window.fetch = fetch;
    removeAll();
  });

  /** Lets the token endpoint respond, and links open a picture. */
  async function respond(status: number, previews: (ids: string[]) => unknown): Promise<void> {
    const picture = await createPicture('a.png');
    [requests, downloads] = [[], []];
    window.fetch = async (address, init) => {
      if (init?.method === 'POST') {
        const request = JSON.parse(String(init.body)) as { reason: string; ids: string[] };
        requests.push(request);
        return Response.json({ previews: previews(request.ids) }, { status });
      }
      downloads.push([String(address), init?.credentials]);
      return String(address).endsWith('/broken') ? new Response('', { status: 501 }) : new Response(picture);
    };
  }
  const link = (id: string) => ({ id, url: `https://blob.example.com/${id}` });
  const stored = (id: string, content_type = 'image/png') =>
    ({ id, path: id, name: `${id}.png`, size: 5, content_type }) as unknown as StoredFile;
  const create = (attributes = {}) =>
    createUploader({ token: false, 'token-endpoint': '/token', 'fetch-previews': true, multiple: true, ...attributes });
  const drawn = (el: SvcUploader) => el.shadowRoot!.querySelectorAll('canvas.drawn').length;

  it('are requested together, and only of images', async () => {
    await respond(200, (ids) => ids.map(link));
    const el = await create();
    el.restore([stored('a'), stored('b'), stored('c', 'application/pdf'), stored('d', 'image/tiff')]);
    await until(() => drawn(el) === 2);
    expect(requests).to.deep.equal([{ files: [], reason: 'preview', ids: ['a', 'b'] }]);
    expect(downloads.sort()).to.deep.equal([
      ['https://blob.example.com/a', 'omit'],
      ['https://blob.example.com/b', 'omit'],
    ]);
    el.restore([stored('e')]);
    await until(() => drawn(el) === 3);
    expect(requests.map(({ ids }) => ids)).to.deep.equal([['a', 'b'], ['e']]);
  });

  it('are requested in batches of at most 50', async () => {
    await respond(200, () => []);
    const el = await create();
    el.restore(Array.from({ length: 120 }, (_, index) => stored(`f${index}`)));
    await until(() => requests.length > 0);
    for (let paint = 0; paint < 3; paint++) await waitForPaint(el);
    expect(Math.max(...requests.map(({ ids }) => ids.length))).to.be.at.most(50);
  });

  for (const [title, status, previews] of [
    ['refuses', 403, () => [link('a')]],
    ['states no link', 200, () => []],
    ['states an address that is none', 200, () => [{ id: 'a', url: 'nowhere' }]],
    ['states something else', 200, () => 'ok'],
    ['states a link that does not open', 200, () => [{ id: 'a', url: 'https://blob.example.com/broken' }]],
  ] as const)
    it(`leave the icon if the endpoint ${title}`, async () => {
      await respond(status, previews);
      const el = await create();
      el.restore([stored('a')]);
      await until(() => requests.length > 0);
      for (let paint = 0; paint < 5; paint++) await waitForPaint(el);
      expect([drawn(el), find(el, '[part=thumbnail]').textContent!.trim()]).to.deep.equal([0, 'PNG']);
    });

  it('are off by default, because a route may not support them', async () => {
    await respond(200, (ids) => ids.map(link));
    const el = await create({ 'fetch-previews': false });
    el.restore([stored('a')]);
    for (let paint = 0; paint < 5; paint++) await waitForPaint(el);
    expect(requests).to.deep.equal([]);
  });
});

describe('the queue of thumbnails', () => {
  const { createImageBitmap } = window;
  let current = 0;
  let maximum = 0;
  /** The decoded files, in order. */
  let decoded: Blob[] = [];
  beforeEach(() => {
    current = maximum = 0;
    decoded = [];
    window.createImageBitmap = (async (...given: Parameters<typeof createImageBitmap>) => {
      if (given[0] instanceof Blob) decoded.push(given[0]);
      maximum = Math.max(maximum, ++current);
      try {
        return await createImageBitmap(...given);
      } finally {
        current -= 1;
      }
    }) as typeof createImageBitmap;
  });
  afterEach(() => {
    window.createImageBitmap = createImageBitmap;
    document.body.replaceChildren();
  });

  const canvas = () => Object.assign(document.createElement('canvas'), { width: 8, height: 8 });
  const isDrawn = (one: HTMLCanvasElement) => one.classList.contains('drawn');
  const drawAll = async (files: readonly File[]) => {
    const entries = files.map((one) => [canvas(), one] as const);
    for (const [at, one] of entries) drawThumbnail(at, one, () => true);
    await until(() => entries.every(([at]) => isDrawn(at)));
    expect(entries.every(([at]) => isDrawn(at))).to.equal(true);
  };
  const pictures = async (count: number) => {
    const one = await createPicture('a.png');
    return Array.from({ length: count }, (_, at) => new File([one], `${at}.png`, { type: one.type }));
  };

  it('decodes two at a time, the newest first', async () => {
    const files = await pictures(6);
    await drawAll(files);
    expect(maximum).to.equal(2);
    // The first job starts before the others are added.
    expect(decoded.map((one) => files.indexOf(one as File))).to.deep.equal([0, 1, 5, 4, 3, 2]);
  });

  it('skips rows that were scrolled away', async () => {
    const files = await pictures(4);
    let wanted = true;
    for (const one of files) drawThumbnail(canvas(), one, () => wanted);
    wanted = false;
    await until(() => current === 0);
    // The next jobs start in the microtasks after the last decoding.
    await new Promise((resolve) => requestAnimationFrame(resolve));
    expect(decoded).to.deep.equal(files.slice(0, 2));
  });

  it('decodes large photos small where the browser can, and upright', async () => {
    const photo = await turnedPhoto(1600, 1200);
    // Decoders ignore what follows a photo.
    const large = new File([photo, new Uint8Array(300_000)], 'large.jpg', { type: photo.type });
    const corners = async (file: File) => {
      const drawn = Object.assign(document.createElement('canvas'), { width: 80, height: 80 });
      drawThumbnail(drawn, file, () => true);
      await until(() => isDrawn(drawn));
      const read = (x: number, y: number) =>
        [...drawn.getContext('2d')!.getImageData(x, y, 1, 1).data].map((one) => Math.round(one / 64));
      return [read(20, 20), read(60, 20), read(20, 60), read(60, 60)];
    };
    const expected = await corners(photo);
    expect(new Set(expected.map(String)).size, 'four colors').to.equal(4);
    expect(await corners(large)).to.deep.equal(expected);
    expect(decoded.includes(large)).to.equal(!('ImageDecoder' in globalThis));
  });

  it('caches the last two hundred', async () => {
    const files = await pictures(201);
    // One after the other, so that the oldest one is known.
    for (const one of files) await drawAll([one]);
    decoded = [];
    await drawAll([files[200]!, files[1]!]);
    expect(decoded).to.deep.equal([]);
    await drawAll([files[0]!]);
    expect(decoded).to.deep.equal([files[0]]);
  });
});
