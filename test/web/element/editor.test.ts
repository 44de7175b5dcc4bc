// Long because it follows a person through the whole editor.
import axe from 'axe-core';
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createUploader, find, once, readTexts, removeAll, until, waitForPaint } from './fixture.js';
import type { Attributes } from './fixture.js';
import { createAnimation, createJpegHeader, createPicture, delayWriting, hasText, pixelsOf, turnedPhoto } from './pictures.js';

const EDIT = '[part=edit-button]';
const RED = [255, 0, 0];
const GREEN = [0, 255, 0];
const BLUE = [0, 0, 255];
const WHITE = [255, 255, 255];

describe('the picture editor', () => {
  beforeEach(() => sessionStorage.clear());
  afterEach(removeAll);

  async function createElement(file: File | File[], attributes: Attributes = {}, storage = 'store'): Promise<SvcUploader> {
    const el = await createUploader({ editable: true, multiple: true, manual: true, ...attributes }, { storage });
    await el.addFiles([file].flat());
    await waitForPaint(el);
    return el;
  }

  const dialogOf = (el: SvcUploader) => find<HTMLDialogElement>(el, 'dialog');
  const isReady = (el: SvcUploader) => find<HTMLButtonElement>(el, 'dialog .primary')?.disabled === false;
  const press = (el: SvcUploader, label: string) =>
    [...dialogOf(el).querySelectorAll<HTMLElement>('button')]
      .find((button) => (button.getAttribute('aria-label') ?? button.textContent!.trim()) === label)!
      .click();

  async function open(el: SvcUploader): Promise<void> {
    await until(() => find(el, EDIT) !== null);
    find(el, EDIT).click();
    await until(() => isReady(el));
    expect(isReady(el), readTexts(el, 'editor').join()).to.equal(true);
  }

  async function finish(el: SvcUploader): Promise<File> {
    press(el, 'Done');
    await until(() => dialogOf(el) === null);
    expect(dialogOf(el), 'closed').to.equal(null);
    await waitForPaint(el);
    return el.files[0]!;
  }

  const key = (el: SvcUploader, name: string, shiftKey = false) =>
    find(el, 'canvas.crop').dispatchEvent(new KeyboardEvent('keydown', { key: name, shiftKey, bubbles: true, cancelable: true }));
  const cropSize = (el: SvcUploader) => find(el, '.crop-size').textContent!.trim();

  /** Drags from one point of the stage to another, both as shares of its size. */
  function drag(el: SvcUploader, from: [number, number], by: [number, number], pointerType = 'mouse'): void {
    const canvas = find(el, 'canvas.crop');
    const { left, top, width, height } = canvas.getBoundingClientRect();
    canvas.setPointerCapture = () => {};
    const at = (type: string, x: number, y: number) =>
      canvas.dispatchEvent(
        new PointerEvent(type, {
          clientX: left + x,
          clientY: top + y,
          pointerId: 7,
          pointerType,
          bubbles: true,
          cancelable: true,
        }),
      );
    const [x, y] = [from[0] * width, from[1] * height];
    at('pointerdown', x, y);
    at('pointermove', x + by[0] / 2, y + by[1] / 2);
    at('pointermove', x + by[0], y + by[1]);
    at('pointerup', x + by[0], y + by[1]);
  }

  it('is offered for pictures only, and only with editable', async () => {
    const png = await createPicture('image/png');
    const others = [
      new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'drawing.svg', { type: 'image/svg+xml' }),
      new File(['GIF89a'], 'moving.gif', { type: 'image/gif' }),
      new File(['text'], 'a.txt', { type: 'text/plain' }),
    ];
    const el = await createElement([png, ...others]);
    await until(() => find(el, EDIT) !== null);
    const labels = [...el.shadowRoot!.querySelectorAll(EDIT)].map((button) => button.getAttribute('aria-label'));
    expect(labels).to.deep.equal(['Edit picture.png']);
    el.readOnly = true;
    await waitForPaint(el);
    expect(find(el, EDIT)).to.equal(null);
    const plain = await createElement(png, { editable: false });
    await waitForPaint(plain);
    expect(find(plain, EDIT)).to.equal(null);
    const refused = await createElement(png, { 'max-size': 1 });
    await waitForPaint(refused);
    expect([refused.uploads[0]!.state.status, find(refused, EDIT)]).to.deep.equal(['rejected', null]);
  });

  it('turns and mirrors the picture', async () => {
    const el = await createElement(await createPicture('image/png', 40, 20));
    await open(el);
    press(el, 'Rotate right');
    const turned = await finish(el);
    expect([turned.name, turned.type]).to.deep.equal(['picture.png', 'image/png']);
    expect(await pixelsOf(turned)).to.deep.equal({ width: 20, height: 40, corners: [BLUE, RED, WHITE, GREEN] });
    await open(el);
    press(el, 'Mirror');
    expect(await pixelsOf(await finish(el))).to.deep.equal({ width: 20, height: 40, corners: [RED, BLUE, GREEN, WHITE] });
    await open(el);
    press(el, 'Reset');
    press(el, 'Rotate left');
    expect(await pixelsOf(await finish(el))).to.deep.equal({ width: 20, height: 40, corners: [GREEN, WHITE, RED, BLUE] });
  });

  it('crops with the keyboard alone, to the pixel', async () => {
    const el = await createElement(await createPicture('image/png', 400, 200), { 'crop-ratio': '1' });
    await until(() => find(el, EDIT) !== null);
    find(el, EDIT).focus();
    find(el, EDIT).click();
    await until(() => isReady(el));
    expect(el.shadowRoot!.activeElement, 'the focus is on the crop area').to.equal(find(el, 'canvas.crop'));
    expect(cropSize(el)).to.equal('200 × 200 pixels');
    for (let count = 0; count < 60; count++) key(el, 'ArrowRight');
    key(el, '+');
    key(el, '-');
    await until(() => /from the left/.test(find(el, 'dialog [role=status]').textContent!));
    expect(find(el, 'dialog [role=status]').textContent).to.match(
      /^200 × 200 pixels, 1\d\d|200 from the left and 0 from the top\.$/,
    );
    const cropped = await finish(el);
    const { width, height, corners } = await pixelsOf(cropped);
    expect([width, height]).to.deep.equal([200, 200]);
    expect(corners[1], 'the right half').to.deep.equal(GREEN);
    await waitForPaint(el);
    expect(el.shadowRoot!.activeElement?.getAttribute('aria-label'), 'the focus returns').to.equal('Edit picture.png');
    await open(el);
    key(el, 'ArrowDown', true);
    expect(cropSize(el), 'Shift resizes').to.equal('200 × 200 pixels');
    key(el, 'ArrowUp', true);
    expect(cropSize(el)).to.not.equal('200 × 200 pixels');
  });

  it('crops by dragging a corner, and moves the picture below the area', async () => {
    const el = await createElement(await createPicture('image/png', 400, 200));
    await open(el);
    const stage = find(el, 'canvas.crop').getBoundingClientRect();
    const scale = Math.min((stage.width - 56) / 400, (stage.height - 56) / 200);
    const corner: [number, number] = [0.5 + (200 * scale) / stage.width, 0.5 + (100 * scale) / stage.height];
    drag(el, corner, [-200 * scale, -100 * scale]);
    expect(cropSize(el)).to.equal('200 × 100 pixels');
    expect(await pixelsOf(await finish(el))).to.deep.equal({ width: 200, height: 100, corners: [RED, RED, RED, RED] });
    await open(el);
    await until(() => cropSize(el) === '200 × 100 pixels');
    expect(cropSize(el), 'the earlier area').to.equal('200 × 100 pixels');
    drag(el, [0.5, 0.5], [-2000, -2000], 'touch');
    expect(await pixelsOf(await finish(el))).to.deep.equal({ width: 200, height: 100, corners: [WHITE, WHITE, WHITE, WHITE] });
  });

  it('zooms by wheel and by two fingers, and leaves other buttons and the keys of the browser alone', async () => {
    const el = await createElement(await createPicture('image/png', 400, 200));
    await open(el);
    const canvas = find(el, 'canvas.crop');
    const wheel = (deltaY: number, deltaMode: number = WheelEvent.DOM_DELTA_PIXEL) =>
      canvas.dispatchEvent(new WheelEvent('wheel', { deltaY, deltaMode, bubbles: true, cancelable: true }));
    expect([wheel(-500 * Math.LN2), cropSize(el)]).to.deep.equal([false, '200 × 100 pixels']);
    wheel((500 * Math.LN2) / 16, WheelEvent.DOM_DELTA_LINE);
    expect(cropSize(el)).to.equal('400 × 200 pixels');
    canvas.setPointerCapture = () => {};
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const point = (type: string, pointerId: number, x: number, y: number, button = 0) => {
      const place = { clientX: left + width / 2 + x, clientY: top + height / 2 + y };
      canvas.dispatchEvent(
        new PointerEvent(type, { ...place, pointerId, pointerType: 'mouse', button, bubbles: true, cancelable: true }),
      );
    };
    point('pointerdown', 1, -50, 0);
    point('pointerdown', 2, 50, 0);
    point('pointermove', 2, 150, 0);
    for (const finger of [1, 2]) point('pointerup', finger, 0, 0);
    expect(cropSize(el), 'twice the distance').to.equal('200 × 100 pixels');
    press(el, 'Reset');
    await waitForPaint(el);
    const scale = Math.min((width - 56) / 400, (height - 56) / 200);
    point('pointerdown', 3, 200 * scale, 100 * scale, 2);
    point('pointermove', 3, 0, 0);
    expect([cropSize(el), canvas.style.cursor]).to.deep.equal(['400 × 200 pixels', 'move']);
    point('pointermove', 3, 200 * scale, 100 * scale);
    expect(canvas.style.cursor).to.equal('nwse-resize');
    const zoomKey = new KeyboardEvent('keydown', { key: '+', ctrlKey: true, bubbles: true, cancelable: true });
    expect([canvas.dispatchEvent(zoomKey), cropSize(el)]).to.deep.equal([true, '400 × 200 pixels']);
  });

  it('has no zoom for a tiny picture', async () => {
    const el = await createElement(await createPicture('image/png', 10, 10));
    await open(el);
    const [zoom] = dialogOf(el).querySelectorAll<HTMLInputElement>('input[type=range]');
    expect([zoom!.disabled, zoom!.value]).to.deep.equal([true, '0']);
  });

  it('offers the proportions of the page', async () => {
    const el = await createElement(await createPicture('image/png', 400, 200), { 'crop-ratio': 'free, 1:1, 4:3' });
    await open(el);
    const radios = [...dialogOf(el).querySelectorAll<HTMLInputElement>('input[type=radio]')];
    expect(radios.map((radio) => [radio.parentElement!.textContent!.trim(), radio.checked])).to.deep.equal([
      ['Free', true],
      ['1:1', false],
      ['4:3', false],
    ]);
    radios[1]!.click();
    await until(() => cropSize(el) === '200 × 200 pixels');
    expect(cropSize(el)).to.equal('200 × 200 pixels');
    const { width, height } = await pixelsOf(await finish(el));
    expect([width, height]).to.deep.equal([200, 200]);
    await open(el);
    expect(dialogOf(el).querySelectorAll<HTMLInputElement>('input[type=radio]')[1]!.checked, 'again').to.equal(true);
    // The picture moves gradually. It must not be drawn after it was freed.
    dialogOf(el).querySelectorAll<HTMLInputElement>('input[type=radio]')[2]!.click();
    press(el, 'Cancel');
    await until(() => dialogOf(el) === null);
    for (let paint = 0; paint < 3; paint++) await waitForPaint(el);
  });

  it('straightens without empty corners, and the way back restores the area', async () => {
    const el = await createElement(await createPicture('image/png', 400, 200));
    await open(el);
    const slider = dialogOf(el).querySelectorAll<HTMLInputElement>('input[type=range]')[1]!;
    const turn = (degrees: number) => {
      slider.value = String(degrees);
      slider.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    };
    turn(30);
    expect(slider.getAttribute('aria-valuetext')).to.match(/^30°/);
    turn(0);
    expect(cropSize(el)).to.equal('400 × 200 pixels');
    turn(10);
    const straightened = await finish(el);
    const bitmap = await createImageBitmap(straightened);
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const clear = data.filter((value, index) => index % 4 === 3 && value < 200).length;
    expect([bitmap.width < 400, clear]).to.deep.equal([true, 0]);
  });

  it('shows and crops a photo upright, and the result has no location', async () => {
    const photo = await turnedPhoto(64, 32);
    expect(await hasText(photo, 'PLACE')).to.equal(true);
    const el = await createElement(photo);
    await open(el);
    expect(cropSize(el)).to.equal('32 × 64 pixels');
    press(el, 'Mirror');
    const edited = await finish(el);
    const upright = await pixelsOf(photo);
    const { width, height, corners } = await pixelsOf(edited);
    expect([width, height, edited.type]).to.deep.equal([32, 64, 'image/jpeg']);
    const [topLeft, topRight, bottomLeft, bottomRight] = upright.corners;
    const near = (one: number[], other: number[]) => one.every((value, index) => Math.abs(value - other[index]!) < 12);
    const expected = [topRight!, topLeft!, bottomRight!, bottomLeft!];
    expect(
      corners.every((corner, index) => near(corner, expected[index]!)),
      JSON.stringify([corners, expected]),
    ).to.equal(true);
    expect(await hasText(edited, 'PLACE')).to.equal(false);
    expect(await hasText(edited, 'Exif')).to.equal(false);
  });

  it('keeps the colors of a photo with more of them than sRGB', async function () {
    const canvas = new OffscreenCanvas(64, 32);
    const context = canvas.getContext('2d', { colorSpace: 'display-p3' })!;
    context.fillStyle = 'color(display-p3 1 0 0)';
    context.fillRect(0, 0, 64, 32);
    const jpeg = await canvas.convertToBlob({ type: 'image/jpeg', quality: 1 });
    if (!(await hasText(jpeg, 'ICC_PROFILE'))) return this.skip();
    const el = await createElement(new File([jpeg], 'wide.jpg', { type: 'image/jpeg' }));
    await open(el);
    press(el, 'Rotate right');
    const edited = await finish(el);
    const { corners } = await pixelsOf(edited, 'display-p3');
    expect(corners[0]![0]).to.be.greaterThan(248);
    expect(Math.max(corners[0]![1]!, corners[0]![2]!), JSON.stringify(corners)).to.be.lessThan(12);
    return undefined;
  });

  it('makes the result fit, and keeps the type or writes JPEG', async () => {
    const el = await createElement(await createPicture('image/png', 400, 200), { 'resize-max-width': 100, 'crop-ratio': '1' });
    await open(el);
    expect(cropSize(el), 'the chosen file has all pixels').to.equal('200 × 200 pixels');
    const { width, height } = await pixelsOf(await finish(el));
    expect([width, height]).to.deep.equal([100, 100]);
  });

  it('writes the format of the page, also of pictures that are only resized', async () => {
    const el = await createElement(await createPicture('image/png', 400, 200), { 'resize-format': 'jpeg' });
    expect(el.files[0]!.type, 'not resized').to.equal('image/png');
    await open(el);
    press(el, 'Mirror');
    const edited = await finish(el);
    expect([edited.name, edited.type]).to.deep.equal(['picture.jpg', 'image/jpeg']);
    const noise = await createPicture('image/png', 400, 200);
    const padded = new File([noise, new Uint8Array(100_000)], 'large.png', { type: 'image/png' });
    const resizing = await createElement(padded, { 'resize-format': 'jpeg', 'resize-max-width': 100, 'resize-quality': 1 });
    const [resized] = resizing.files as [File];
    expect([resized.name, resized.type, (await pixelsOf(resized)).width]).to.deep.equal(['large.jpg', 'image/jpeg', 100]);
    const broken = await createElement([], { 'resize-format': 'gif' });
    expect(broken.validationMessage).to.include('resize-format="gif"');
  });

  it('leaves the file alone if it is canceled, closed with Escape, or nothing changes', async () => {
    const picture = await createPicture('image/png', 40, 20);
    const el = await createElement(picture);
    const { id } = el.uploads[0]!;
    let events = 0;
    for (const type of ['input', 'change', 'cancel', 'svc-file-add'] as const) el.addEventListener(type, () => events++);
    for (const leave of [
      () => press(el, 'Cancel'),
      () => {
        const dialog = dialogOf(el);
        if (dialog.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close();
      },
    ]) {
      await open(el);
      press(el, 'Rotate right');
      leave();
      await until(() => dialogOf(el) === null);
      expect([el.files[0], el.uploads[0]!.id]).to.deep.equal([picture, id]);
      expect(el.shadowRoot!.activeElement?.getAttribute('part')).to.equal('edit-button');
    }
    await open(el);
    await finish(el);
    expect([el.files[0], el.uploads[0]!.id, events]).to.deep.equal([picture, id, 0]);
  });

  for (const next of ['', ', also if it is edited again'])
    it(`leaves the file alone if it is canceled while the edited picture is written${next}`, async () => {
      const picture = await createPicture('image/png', 40, 20);
      const el = await createElement(picture);
      const writing = delayWriting();
      try {
        await open(el);
        press(el, 'Rotate right');
        press(el, 'Done');
        await until(() => writing.finish !== undefined);
        key(el, 'ArrowUp', true);
        expect(cropSize(el), 'nothing changes any more').to.equal('20 × 40 pixels');
        press(el, 'Cancel');
        if (next !== '') {
          await until(() => dialogOf(el) === null);
          await open(el);
        }
        // Without another dialog, the browser fires `close` later.
        writing.finish!();
        await until(() => next !== '' || dialogOf(el) === null);
        for (let paint = 0; paint < 3; paint++) await waitForPaint(el);
        expect([el.files, el.uploads.length, dialogOf(el)?.open ?? false]).to.deep.equal([[picture], 1, next !== '']);
      } finally {
        writing.restore();
      }
    });

  it('says that the edited picture could not be written, and tries again', async () => {
    const el = await createElement(await createPicture('image/png', 40, 20));
    await open(el);
    press(el, 'Rotate right');
    const { toBlob } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.toBlob = (callback) => callback(null);
    try {
      press(el, 'Done');
      await until(() => find(el, 'dialog [role=alert]').textContent !== '');
    } finally {
      HTMLCanvasElement.prototype.toBlob = toBlob;
    }
    expect(find(el, 'dialog [role=alert]').textContent).to.equal('Your changes could not be applied. Try again or cancel.');
    expect((await pixelsOf(await finish(el))).width).to.equal(20);
  });

  it('frees a picture that is decoded after the dialog was closed', async () => {
    const el = await createElement(await createPicture('image/png', 40, 20));
    await until(() => find(el, EDIT) !== null && find(el, 'canvas.drawn') !== null);
    const { createImageBitmap } = window;
    const bitmaps: ImageBitmap[] = [];
    let decode: (() => void) | undefined;
    window.createImageBitmap = async (...options: unknown[]) => {
      await new Promise<void>((resolve) => (decode = resolve));
      const bitmap = await (createImageBitmap as (...all: unknown[]) => Promise<ImageBitmap>)(...options);
      bitmaps.push(bitmap);
      return bitmap;
    };
    try {
      find(el, EDIT).click();
      await until(() => decode !== undefined);
      press(el, 'Cancel');
      await until(() => dialogOf(el) === null);
      decode!();
      await until(() => bitmaps[0]?.width === 0);
      expect(bitmaps.map(({ width }) => width)).to.deep.equal([0]);
    } finally {
      window.createImageBitmap = createImageBitmap;
    }
  });

  it('starts from the chosen file again, and Reset brings it back', async () => {
    const picture = await createPicture('image/png', 400, 200);
    const el = await createElement(picture, { 'resize-max-width': 300 });
    const prepared = el.files[0]!;
    await open(el);
    press(el, 'Rotate right');
    await finish(el);
    await open(el);
    expect(cropSize(el)).to.equal('200 × 400 pixels');
    press(el, 'Reset');
    const again = await finish(el);
    expect([again.name, again.size]).to.deep.equal([prepared.name, prepared.size]);
    expect(el.files).to.have.length(1);
  });

  it('refuses an edited picture that breaks a limit, says why, and keeps the earlier one', async () => {
    const picture = await createPicture('image/png', 40, 20);
    const el = await createElement(picture, { 'max-size': picture.size });
    await open(el);
    const slider = dialogOf(el).querySelectorAll<HTMLInputElement>('input[type=range]')[1]!;
    slider.value = '7';
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    press(el, 'Done');
    await until(() => find(el, 'dialog [role=alert]').textContent !== '');
    expect(find(el, 'dialog [role=alert]').textContent).to.include('This file is larger than');
    expect(el.files[0]).to.equal(picture);
    press(el, 'Cancel');
    expect(el.files[0]).to.equal(picture);
  });

  it('asks the page, which may keep the earlier file', async () => {
    const picture = await createPicture('image/png', 40, 20);
    const el = await createElement(picture);
    const names: string[] = [];
    el.addEventListener('svc-file-add', (event) => {
      names.push(event.detail.file.name);
      event.preventDefault();
    });
    await open(el);
    press(el, 'Mirror');
    await finish(el);
    expect([names, el.files[0]]).to.deep.equal([['picture.png'], picture]);
  });

  describe('with a file that cannot be edited', () => {
    const cases: [name: string, text: RegExp, create: () => Promise<File>][] = [
      [
        'a broken JPEG',
        /can’t be opened/,
        async () => new File([createJpegHeader(100, 100), 'rest'], 'a.jpg', { type: 'image/jpeg' }),
      ],
      ['text named as a photo', /can’t be opened/, async () => new File(['no picture'], 'a.jpg', { type: 'image/jpeg' })],
      [
        'an SVG named as a photo',
        /can’t be opened/,
        async () => new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'a.png', { type: 'image/png' }),
      ],
      ['a GIF named as a photo', /can’t be opened/, async () => new File(['GIF89a\x01\0\x01\0'], 'a.png', { type: 'image/png' })],
      ['an animation', /animated/, async () => createAnimation(await createPicture('image/png', 400, 200))],
      [
        '30,000 by 30,000 pixels',
        /too many pixels/,
        async () => new File([createJpegHeader(30_000, 30_000)], 'a.jpg', { type: 'image/jpeg' }),
      ],
    ];
    for (const [name, text, create] of cases)
      it(`says so and keeps it: ${name}`, async () => {
        const file = await create();
        const el = await createElement(file);
        await until(() => find(el, EDIT) !== null);
        find(el, EDIT).click();
        await until(() => find(el, 'dialog [role=alert]').textContent !== '');
        expect(find(el, 'dialog [role=alert]').textContent)
          .to.match(text)
          .and.match(/Your file stays as it is\.$/);
        expect(el.shadowRoot!.activeElement?.textContent!.trim()).to.equal('Cancel');
        press(el, 'Cancel');
        await until(() => dialogOf(el) === null);
        expect(el.files[0]).to.equal(file);
      });
  });

  it('opens once, and closes if the page removes the file or the element, or makes it read-only or disabled', async () => {
    for (const act of [
      (el: SvcUploader) => el.clear(),
      (el: SvcUploader) => el.remove(),
      (el: SvcUploader) => (el.readOnly = true),
      (el: SvcUploader) => (el.disabled = true),
    ]) {
      const el = await createElement(await createPicture('image/png'));
      await open(el);
      find(el, EDIT).click();
      expect(el.shadowRoot!.querySelectorAll('dialog')).to.have.length(1);
      act(el);
      await until(() => dialogOf(el) === null);
      expect(dialogOf(el)).to.equal(null);
    }
  });

  it('ignores a wrong crop-ratio, and says so in the console', async () => {
    const warn = console.warn;
    const messages: string[] = [];
    console.warn = (text: string) => messages.push(text);
    try {
      const el = await createElement(await createPicture('image/png', 40, 20), { 'crop-ratio': 'wide' });
      await open(el);
      expect([cropSize(el), el.validationMessage]).to.deep.equal(['40 × 20 pixels', 'Upload your files first.']);
      expect(messages.join()).to.include('crop-ratio="wide"').and.include('free, 1:1, 16:9');
    } finally {
      console.warn = warn;
    }
  });

  for (const dir of ['ltr', 'rtl'])
    it(`has no accessibility problem (${dir})`, async () => {
      document.documentElement.lang = dir === 'rtl' ? 'ar' : 'en';
      try {
        const el = await createElement(await createPicture('image/png', 400, 200), {
          'crop-ratio': 'free, 1:1',
          label: 'Photos',
        });
        await open(el);
        await until(() => getComputedStyle(dialogOf(el)).direction === dir);
        expect(getComputedStyle(dialogOf(el)).direction).to.equal(dir);
        const { violations } = await axe.run(el, { rules: { region: { enabled: false } } });
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).to.deep.equal([]);
      } finally {
        document.documentElement.lang = 'en';
      }
    });

  it('has a button in the inline appearance', async () => {
    const el = await createElement(await createPicture('image/png', 40, 20), { multiple: false, appearance: 'inline' });
    await open(el);
    press(el, 'Rotate right');
    const complete = once(el, 'svc-complete');
    expect((await pixelsOf(await finish(el))).width).to.equal(20);
    el.upload();
    await complete;
    expect(el.uploads).to.have.length(1);
  });
});
