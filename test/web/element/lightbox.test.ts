// Long because each way to move, close and load a picture is one test.
import axe from 'axe-core';
import { expect } from 'chai';
import type { StoredFile, SvcUploader } from '../../../src/element/index.js';
import type { Attributes } from './fixture.js';
import { createFile, createUploader, find, removeAll, until, waitForPaint } from './fixture.js';

async function createPicture(name: string, color = 'rgb(255, 0, 0)', width = 300, type = 'image/png'): Promise<File> {
  const canvas = new OffscreenCanvas(width, 200);
  const context = canvas.getContext('2d')!;
  context.fillStyle = color;
  context.fillRect(0, 0, width, 200);
  return new File([await canvas.convertToBlob({ type })], name, { type });
}

const SCRIPTED =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="parent.hacked = true"><script>parent.hacked = true; top.hacked = true</script><rect width="40" height="40" fill="lime"/></svg>';
const createDrawing = () => new File([SCRIPTED], 'drawing.svg', { type: 'image/svg+xml' });

const createPictures = () =>
  Promise.all([
    createPicture('red.png'),
    createPicture('green.png', 'rgb(0, 255, 0)'),
    createPicture('blue.png', 'rgb(0, 0, 255)'),
  ]);

async function create(files: readonly File[], attributes: Attributes = {}): Promise<SvcUploader> {
  const el = await createUploader({ appearance: 'grid', multiple: true, manual: true, ...attributes });
  await el.addFiles(files);
  await el.updateComplete;
  await waitForPaint(el);
  return el;
}

const dialogOf = (el: SvcUploader) => find<HTMLDialogElement>(el, '[part=lightbox]');
const thumbnails = (el: SvcUploader) => [...el.shadowRoot!.querySelectorAll<HTMLElement>('button[part=thumbnail]')];
const nameOf = (el: SvcUploader) => find(el, '.lightbox-name').textContent;
const positionOf = (el: SvcUploader) => find(el, '.lightbox-position')?.textContent;
const canvasOf = (el: SvcUploader) => find<HTMLCanvasElement>(el, '.lightbox-picture canvas');

/** Opens the picture of a file by its thumbnail. */
async function open(el: SvcUploader, index: number): Promise<HTMLDialogElement> {
  thumbnails(el)[index]!.focus();
  thumbnails(el)[index]!.click();
  await until(() => dialogOf(el)?.open);
  return dialogOf(el);
}

/** Waits for a picture of a color. */
async function waitForColor(el: SvcUploader, color: number[]): Promise<void> {
  const read = () => [...(canvasOf(el)?.getContext('2d')?.getImageData(20, 20, 1, 1).data ?? [])];
  await until(() => String(read()) === String(color));
  expect(read()).to.deep.equal(color);
}

async function press(el: SvcUploader, key: string): Promise<string | null> {
  el.shadowRoot!.activeElement!.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }),
  );
  await waitForPaint(el);
  return nameOf(el);
}

describe('the lightbox', () => {
  const { createObjectURL, revokeObjectURL } = URL;
  afterEach(() => {
    Object.assign(URL, { createObjectURL, revokeObjectURL });
    removeAll();
  });

  for (const appearance of ['grid', 'dropzone'])
    it(`shows the picture of a pressed thumbnail, with its name and position: ${appearance}`, async () => {
      const el = await create([createFile('a.pdf'), ...(await createPictures())], { appearance });
      expect(thumbnails(el).map((one) => one.getAttribute('aria-label'))).to.deep.equal([
        'View red.png',
        'View green.png',
        'View blue.png',
      ]);
      const dialog = await open(el, 1);
      expect([nameOf(el), positionOf(el), dialog.getAttribute('aria-label')]).to.deep.equal(['green.png', '2 of 3', 'green.png']);
      expect(dialog.matches(':modal')).to.equal(true);
      const { width, height } = dialog.getBoundingClientRect();
      expect([Math.round(width), Math.round(height)]).to.deep.equal([document.documentElement.clientWidth, innerHeight]);
      await waitForColor(el, [0, 255, 0, 255]);
      expect([canvasOf(el).getAttribute('role'), canvasOf(el).getAttribute('aria-label')]).to.deep.equal(['img', 'green.png']);
      expect(canvasOf(el).width, 'not enlarged').to.equal(300);
    });

  it('draws a large picture as small as the window, and frees the decoded one', async () => {
    const el = await create([await createPicture('large.png', 'rgb(255, 0, 0)', 6000)]);
    await until(() => find(el, 'canvas.drawn') !== null);
    const { close } = ImageBitmap.prototype;
    let closed = 0;
    ImageBitmap.prototype.close = function () {
      closed++;
      close.call(this);
    };
    try {
      await open(el, 0);
      await waitForColor(el, [255, 0, 0, 255]);
      expect([canvasOf(el).width, closed]).to.deep.equal([Math.round(innerWidth * devicePixelRatio), 1]);
    } finally {
      ImageBitmap.prototype.close = close;
    }
  });

  it('never holds all pixels of a large photo if the browser can decode it smaller', async function () {
    if (!('ImageDecoder' in window)) this.skip();
    const el = await create([await createPicture('large.jpg', 'rgb(255, 0, 0)', 8000, 'image/jpeg')]);
    await until(() => find(el, 'canvas.drawn') !== null);
    const { createImageBitmap } = window;
    window.createImageBitmap = () => Promise.reject(new DOMException('', 'InvalidStateError'));
    try {
      await open(el, 0);
      await until(() => canvasOf(el) !== null);
      expect(canvasOf(el)?.width).to.equal(Math.round(innerWidth * devicePixelRatio));
    } finally {
      window.createImageBitmap = createImageBitmap;
    }
  });

  it('moves to other pictures by keys and buttons, and from the last to the first', async () => {
    const el = await create(await createPictures());
    await open(el, 0);
    expect(await press(el, 'ArrowRight')).to.equal('green.png');
    await waitForColor(el, [0, 255, 0, 255]);
    expect(await press(el, 'End')).to.equal('blue.png');
    expect(await press(el, 'ArrowRight')).to.equal('red.png');
    expect(await press(el, 'ArrowLeft')).to.equal('blue.png');
    expect(await press(el, 'Home')).to.equal('red.png');
    find(el, '.lightbox-next').click();
    await waitForPaint(el);
    expect([nameOf(el), positionOf(el)]).to.deep.equal(['green.png', '2 of 3']);
    find(el, '.lightbox-previous').click();
    await waitForPaint(el);
    expect(nameOf(el)).to.equal('red.png');
  });

  it('swaps the arrow keys from right to left', async () => {
    const el = await create(await createPictures(), { locale: 'ar' });
    await until(() => find(el, '.root').dir === 'rtl');
    await open(el, 0);
    expect(await press(el, 'ArrowLeft')).to.equal('green.png');
    const stage = find(el, '.lightbox-stage');
    for (const [type, clientX] of [
      ['pointerdown', 200],
      ['pointerup', 280],
    ] as const)
      stage.dispatchEvent(
        new PointerEvent(type, { pointerId: 1, isPrimary: true, pointerType: 'touch', clientX, bubbles: true }),
      );
    await waitForPaint(el);
    expect(nameOf(el)).to.equal('blue.png');
  });

  it('moves by swiping', async () => {
    const el = await create(await createPictures());
    await open(el, 0);
    const stage = find(el, '.lightbox-stage');
    const shiftNow = () => stage.style.getPropertyValue('--_shift');
    const swipe = async (distance: number, pointerType = 'touch') => {
      const send = (type: string, clientX: number) =>
        stage.dispatchEvent(new PointerEvent(type, { pointerId: 1, isPrimary: true, pointerType, clientX, bubbles: true }));
      send('pointerdown', 200);
      send('pointermove', 200 + distance);
      const shift = shiftNow();
      send('pointerup', 200 + distance);
      await waitForPaint(el);
      return [shift, nameOf(el)];
    };
    expect(await swipe(-80)).to.deep.equal(['-80px', 'green.png']);
    expect(await swipe(80)).to.deep.equal(['80px', 'red.png']);
    expect(await swipe(-20), 'too short').to.deep.equal(['-20px', 'red.png']);
    stage.click();
    await waitForPaint(el);
    expect(dialogOf(el)?.open, 'the end of a swipe is no press').to.equal(true);
    expect(await swipe(-5), 'not even a movement').to.deep.equal(['0px', 'red.png']);
    expect(await swipe(-80, 'mouse'), 'a mouse selects').to.deep.equal(['0px', 'red.png']);
    expect(shiftNow()).to.equal('0px');
    const finger = { pointerType: 'touch', bubbles: true };
    const send = (type: string, pointerId: number, clientX: number) =>
      stage.dispatchEvent(new PointerEvent(type, { ...finger, pointerId, isPrimary: pointerId === 1, clientX }));
    send('pointerdown', 1, 200);
    send('pointermove', 1, 150);
    expect(shiftNow()).to.equal('-50px');
    send('pointerdown', 2, 300);
    send('pointermove', 1, 50);
    expect(shiftNow(), 'two fingers zoom').to.equal('0px');
    send('pointerdown', 1, 200);
    send('pointermove', 1, 100);
    send('pointercancel', 1, 100);
    send('pointerup', 1, 100);
    await waitForPaint(el);
    expect([shiftNow(), nameOf(el)], 'canceled by the browser').to.deep.equal(['0px', 'red.png']);
  });

  it('closes by its button and by a press beside the picture, and the focus returns to the picture', async () => {
    const el = await create(await createPictures());
    await open(el, 0);
    await press(el, 'ArrowRight');
    find(el, '.lightbox-close').click();
    await until(() => dialogOf(el) === null);
    await until(() => el.shadowRoot!.activeElement === thumbnails(el)[1]);
    expect(el.shadowRoot!.activeElement).to.equal(thumbnails(el)[1]);
    await open(el, 2);
    await waitForColor(el, [0, 0, 255, 255]);
    const canvas = canvasOf(el);
    canvas.click();
    await waitForPaint(el);
    expect(dialogOf(el).open, 'the picture itself').to.equal(true);
    find(el, '.lightbox-stage').click();
    await until(() => dialogOf(el) === null);
    expect(canvas.width, 'its memory is free').to.equal(0);
    await until(() => el.shadowRoot!.activeElement === thumbnails(el)[2]);
    expect(el.shadowRoot!.activeElement).to.equal(thumbnails(el)[2]);
  });

  it('closes as the browser closes a dialog with Escape', async () => {
    const el = await create(await createPictures());
    const dialog = await open(el, 0);
    dialog.close();
    await until(() => dialogOf(el) === null);
    expect(dialogOf(el)).to.equal(null);
  });

  it('keeps keys from the page behind it', async () => {
    const el = await create(await createPictures());
    await open(el, 0);
    const keys: string[] = [];
    const listen = ({ key }: KeyboardEvent) => void keys.push(key);
    document.body.addEventListener('keydown', listen);
    const send = (init: KeyboardEventInit) =>
      el.shadowRoot!.activeElement!.dispatchEvent(
        new KeyboardEvent('keydown', { bubbles: true, composed: true, cancelable: true, ...init }),
      );
    expect([send({ key: 'ArrowRight' }), send({ key: 'Delete' })]).to.deep.equal([false, true]);
    expect(send({ key: 'ArrowLeft', altKey: true }), 'Back of the browser').to.equal(true);
    await waitForPaint(el);
    document.body.removeEventListener('keydown', listen);
    expect([keys, el.uploads.length, nameOf(el)]).to.deep.equal([[], 3, 'green.png']);
  });

  it('shows a drawing without running its script, and revokes its address', async () => {
    const el = await create([createDrawing()]);
    const open_: string[] = [];
    URL.createObjectURL = (blob) => {
      const url = createObjectURL(blob);
      open_.push(url);
      return url;
    };
    const revoked: string[] = [];
    URL.revokeObjectURL = (url) => {
      revoked.push(url);
      revokeObjectURL(url);
    };
    await open(el, 0);
    await until(() => find(el, '.lightbox-picture img') !== null);
    const image = find<HTMLImageElement>(el, '.lightbox-picture img');
    expect([image.alt, image.naturalWidth > 0]).to.deep.equal(['drawing.svg', true]);
    expect([open_.length, revoked]).to.deep.equal([1, open_]);
    expect((window as { hacked?: boolean }).hacked).to.equal(undefined);
    expect(positionOf(el), 'of a single picture').to.equal(undefined);
    expect(find(el, '.lightbox-next')).to.equal(null);
  });

  it('revokes the address of a drawing that is closed while it loads', async () => {
    const el = await create([createDrawing()]);
    const { decode } = HTMLImageElement.prototype;
    const addresses = new Set<string>();
    URL.createObjectURL = (blob) => {
      const url = createObjectURL(blob);
      addresses.add(url);
      return url;
    };
    URL.revokeObjectURL = (url) => {
      addresses.delete(url);
      revokeObjectURL(url);
    };
    HTMLImageElement.prototype.decode = () => new Promise(() => {});
    try {
      await open(el, 0);
      await until(() => addresses.size === 1);
      expect(addresses.size).to.equal(1);
      find(el, '.lightbox-close').click();
      await until(() => dialogOf(el) === null);
      expect(addresses.size).to.equal(0);
    } finally {
      HTMLImageElement.prototype.decode = decode;
    }
  });

  it('says that a damaged picture cannot be shown', async () => {
    const el = await create([createFile('no.png', 10, 'image/png')]);
    await open(el, 0);
    await until(() => find(el, '.lightbox-picture').textContent !== '');
    expect(find(el, '.lightbox-picture').textContent).to.equal('This picture can’t be shown.');
  });

  it('shows the next picture if the shown one is removed, and closes after the last', async () => {
    const el = await create(await createPictures());
    await open(el, 1);
    el.cancel(el.uploads[1]!.id);
    await waitForPaint(el);
    expect([nameOf(el), positionOf(el)]).to.deep.equal(['blue.png', '2 of 2']);
    el.cancel(el.uploads[1]!.id);
    await waitForPaint(el);
    expect([nameOf(el), positionOf(el)], 'the one before the last').to.deep.equal(['red.png', undefined]);
    await waitForColor(el, [255, 0, 0, 255]);
    const canvas = canvasOf(el);
    el.clear();
    await waitForPaint(el);
    expect([dialogOf(el), canvas.width]).to.deep.equal([null, 0]);
    await el.addFiles([await createPicture('new.png')]);
    await waitForPaint(el);
    expect([thumbnails(el).length, dialogOf(el)], 'a new picture does not open it').to.deep.equal([1, null]);
  });

  it('is gone when the element returns to the page', async () => {
    const el = await create(await createPictures());
    await open(el, 1);
    el.remove();
    document.body.append(el);
    await waitForPaint(el);
    expect(dialogOf(el)).to.equal(null);
  });

  it('has no violations of accessibility rules', async () => {
    const el = await create(await createPictures());
    const dialog = await open(el, 1);
    await waitForColor(el, [0, 255, 0, 255]);
    await Promise.all(dialog.getAnimations().map(({ finished }) => finished));
    const rules = {
      region: { enabled: false },
      'page-has-heading-one': { enabled: false },
      'landmark-one-main': { enabled: false },
    };
    const { violations } = await axe.run(document.body, { rules });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).to.deep.equal([]);
  });
});

describe('the lightbox with stored pictures', () => {
  const { fetch } = window;
  afterEach(() => {
    window.fetch = fetch;
    removeAll();
  });

  const stored = (id: string, url: string | null = null) =>
    ({ id, path: id, name: `${id}.png`, size: 5, content_type: 'image/png', url }) as unknown as StoredFile;

  it('requests one of the size of a screen', async () => {
    const picture = await createPicture('a.png');
    const sizes: unknown[] = [];
    window.fetch = async (_address, init) => {
      if (init?.method !== 'POST') return new Response(picture);
      const { ids, size } = JSON.parse(String(init.body)) as { ids: string[]; size?: string };
      sizes.push(size);
      return Response.json({ previews: ids.map((id) => ({ id, url: `https://blob.example.com/${id}` })) });
    };
    const el = await createUploader({
      appearance: 'grid',
      multiple: true,
      token: false,
      'token-endpoint': '/token',
      'fetch-previews': true,
    });
    el.restore([stored('a'), stored('b')]);
    await until(() => el.shadowRoot!.querySelectorAll('canvas.drawn').length === 2);
    expect(sizes).to.deep.equal(['tile']);
    await open(el, 1);
    await waitForColor(el, [255, 0, 0, 255]);
    expect(sizes).to.deep.equal(['tile', 'screen']);
  });

  it('ignores a picture that arrives after another one was chosen', async () => {
    const [late, next] = [await createPicture('a.png'), await createPicture('b.png', 'rgb(0, 0, 255)')];
    let respond = () => {};
    window.fetch = async (address) => {
      if (String(address).endsWith('next.png')) return new Response(next);
      await new Promise<void>((resolve) => (respond = resolve));
      return new Response(late);
    };
    const el = await createUploader({ multiple: true });
    el.restore([stored('late', 'https://blob.example.com/late.png'), stored('next', 'https://blob.example.com/next.png')]);
    await waitForPaint(el);
    await open(el, 0);
    expect(await press(el, 'ArrowRight')).to.equal('next.png');
    await waitForColor(el, [0, 0, 255, 255]);
    const { createImageBitmap } = window;
    let decoded = 0;
    window.createImageBitmap = (...options: unknown[]) => {
      decoded++;
      return (createImageBitmap as (...all: unknown[]) => Promise<ImageBitmap>)(...options);
    };
    try {
      respond();
      for (let paint = 0; paint < 3; paint++) await waitForPaint(el);
      expect(decoded).to.equal(0);
      await waitForColor(el, [0, 0, 255, 255]);
    } finally {
      window.createImageBitmap = createImageBitmap;
    }
  });

  it('reads public ones from their address, and offers no others', async () => {
    const picture = await createPicture('a.png');
    const addresses: string[] = [];
    window.fetch = async (address) => {
      addresses.push(String(address));
      return new Response(picture);
    };
    const el = await createUploader({ multiple: true });
    el.restore([stored('private'), stored('public', 'https://blob.example.com/f/main/public.png')]);
    await waitForPaint(el);
    expect(thumbnails(el).map((one) => one.getAttribute('aria-label'))).to.deep.equal(['View public.png']);
    await open(el, 0);
    await waitForColor(el, [255, 0, 0, 255]);
    expect(addresses).to.deep.equal(['https://blob.example.com/f/main/public.png']);
  });
});
