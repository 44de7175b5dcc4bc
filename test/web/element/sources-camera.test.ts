// Long because each way to turn the camera off is one test.
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import {
  DeviceWatch,
  emptyStream,
  hasDevices,
  pictureStream,
  renderWarnings,
  setPermissionsPolicy,
  untilSourcesLoaded,
} from './fake-devices.js';
import { createUploader, find, removeAll, until, waitForPaint } from './fixture.js';
import type { Attributes } from './fixture.js';
import { watchListeners } from './watch-listeners.js';

const dialogOf = (el: SvcUploader) => find<HTMLDialogElement>(el, '.source-dialog');
const buttons = (el: SvcUploader) => [...(dialogOf(el)?.querySelectorAll<HTMLElement>('.act') ?? [])];
const buttonTexts = (el: SvcUploader) => buttons(el).map(({ textContent }) => textContent!.trim());
const press = (el: SvcUploader, text: string) =>
  buttons(el)
    .find(({ textContent }) => textContent!.trim() === text)!
    .click();
const problemOf = (el: SvcUploader) => dialogOf(el).querySelector('[role=alert]')!.textContent!.trim();
const video = (el: SvcUploader) => dialogOf(el)?.querySelector('video');
const isInactive = (el: SvcUploader) => buttons(el)[0]?.getAttribute('aria-disabled') === 'true';
/** Waits for the first picture of a camera. */
const untilPicture = (el: SvcUploader) => until(() => buttons(el).length === 1 && !isInactive(el) && video(el) !== null);

describe('the camera of a desktop', () => {
  let devices: DeviceWatch;

  before(async function () {
    if (!(await hasDevices('videoinput'))) this.skip();
  });
  beforeEach(() => (devices = new DeviceWatch()));
  afterEach(() => {
    removeAll();
    devices.restore();
  });

  async function openDialog(attributes: Attributes = {}): Promise<SvcUploader> {
    const el = await createUploader({ sources: 'camera', accept: 'image/*', multiple: true, ...attributes });
    await untilSourcesLoaded(el);
    find(el, '.pick').focus();
    find(el, '.pick').click();
    await until(() => dialogOf(el)?.open);
    return el;
  }

  async function openCamera(attributes: Attributes = {}): Promise<SvcUploader> {
    const el = await openDialog(attributes);
    await untilPicture(el);
    expect(video(el)!.videoWidth).to.be.greaterThan(0);
    return el;
  }

  /** Presses "Use photo" for a photo that is written when the test says so. */
  async function useHeldPhoto(): Promise<{ el: SvcUploader; write: () => void }> {
    const el = await openCamera();
    press(el, 'Take photo');
    await waitForPaint(el);
    let write = () => {};
    const canvas = dialogOf(el).querySelector('canvas')!;
    canvas.toBlob = (callback) => (write = () => callback(new Blob(['x'], { type: 'image/jpeg' })));
    press(el, 'Use photo');
    return { el, write: () => write() };
  }

  it('asks only after a press, takes a photo, and adds it like a chosen file', async () => {
    const el = await createUploader({ sources: 'device camera', accept: 'image/*', multiple: true });
    await untilSourcesLoaded(el);
    expect(devices.constraints).to.deep.equal([]);
    removeAll();
    const opened = await openCamera();
    expect([buttonTexts(opened), devices.live]).to.deep.equal([['Take photo'], 1]);
    press(opened, 'Take photo');
    devices.lose(devices.tracks[0]!);
    await waitForPaint(opened);
    expect([buttonTexts(opened), devices.live], 'the camera is off').to.deep.equal([['Take another', 'Use photo'], 0]);
    const added: File[] = [];
    opened.addEventListener('svc-file-add', ({ detail }) => added.push(detail.file));
    press(opened, 'Use photo');
    await until(() => opened.uploads[0]?.state.status === 'done');
    expect(dialogOf(opened)).to.equal(null);
    expect(opened.shadowRoot!.activeElement, 'the focus returns').to.equal(find(opened, '.pick'));
    const [file] = added;
    expect(file!.name).to.match(/^Photo \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.jpg$/);
    expect(file!.type).to.equal('image/jpeg');
    const bitmap = await createImageBitmap(file!);
    expect(bitmap.width).to.be.greaterThan(100);
    expect(opened.values.length).to.equal(1);
  });

  it('writes a format that the element accepts, with a name in its language', async () => {
    const el = await openCamera({ accept: '.png', locale: 'de' });
    await until(() => buttonTexts(el).includes('Foto aufnehmen'));
    press(el, 'Foto aufnehmen');
    await waitForPaint(el);
    const canvas = dialogOf(el).querySelector('canvas')!;
    const { toBlob } = canvas;
    let writes = 0;
    canvas.toBlob = (...options) => {
      writes++;
      toBlob.apply(canvas, options);
    };
    el.maxSize = 10;
    await el.updateComplete;
    press(el, 'Foto verwenden');
    await until(() => el.uploads.length > 0);
    expect(writes, 'no quality makes a PNG smaller').to.equal(1);
    expect(el.uploads[0]!.name).to.match(/^Foto .+\.png$/);
    expect(el.uploads[0]!.type).to.equal('image/png');
  });

  it('can be taken once the first picture has arrived', async () => {
    // A stream without a picture.
    const { stream, show } = emptyStream();
    devices.answers.push(async () => stream);
    const el = await openDialog();
    await until(() => buttonTexts(el).includes('Take photo'));
    const [button] = buttons(el);
    expect([isInactive(el), el.shadowRoot!.activeElement]).to.deep.equal([true, button]);
    press(el, 'Take photo');
    await waitForPaint(el);
    expect([buttonTexts(el), devices.live]).to.deep.equal([['Take photo'], 1]);
    show();
    await untilPicture(el);
    press(el, 'Take photo');
    await waitForPaint(el);
    expect([buttonTexts(el), devices.live]).to.deep.equal([['Take another', 'Use photo'], 0]);
    const next = emptyStream();
    devices.answers.push(async () => next.stream);
    press(el, 'Take another');
    await until(() => buttonTexts(el).includes('Take photo'));
    expect(isInactive(el), 'the next picture is missing again').to.equal(true);
    next.show();
    await untilPicture(el);
  });

  it('adds a photo once, however often the button is pressed', async () => {
    const el = await openCamera();
    press(el, 'Take photo');
    await waitForPaint(el);
    const button = buttons(el)[1]!;
    button.click();
    button.click();
    await until(() => dialogOf(el) === null);
    await waitForPaint(el);
    expect(el.uploads).to.have.lengthOf(1);
  });

  it('adds nothing if the dialog is closed while the photo is written', async () => {
    const { el, write } = await useHeldPhoto();
    find(el, '.source-close').click();
    write();
    await waitForPaint(el);
    expect([dialogOf(el), el.uploads.length]).to.deep.equal([null, 0]);
  });

  it('adds nothing if another photo is taken while the first one is written', async () => {
    const { el, write } = await useHeldPhoto();
    press(el, 'Take another');
    write();
    await untilPicture(el);
    expect([dialogOf(el)?.open, el.uploads.length, devices.live]).to.deep.equal([true, 0, 1]);
  });

  it('can be repeated if the photo cannot be written', async () => {
    const el = await openCamera();
    press(el, 'Take photo');
    await waitForPaint(el);
    dialogOf(el).querySelector('canvas')!.toBlob = (callback) => callback(null);
    press(el, 'Use photo');
    await until(() => problemOf(el) !== '');
    expect(problemOf(el)).to.equal('The recording failed. Try again.');
    press(el, 'Try again');
    await untilPicture(el);
    expect([problemOf(el), video(el)!.videoWidth > 0]).to.deep.equal(['', true]);
  });

  it('faces the side that the page asks for, and is a mirror unless it faces away', async () => {
    // The fake camera of Firefox faces away.
    const answerWith = (settings: MediaTrackSettings) => {
      const stream = pictureStream();
      stream.getVideoTracks()[0]!.getSettings = () => settings;
      devices.answers.push(async () => stream);
    };
    answerWith({ facingMode: 'environment' });
    const away = await openCamera({ capture: 'environment' });
    const facingMode = () => (devices.constraints.at(-1)!.video as MediaTrackConstraints).facingMode;
    expect([facingMode(), video(away)!.className]).to.deep.equal([{ ideal: 'environment' }, '']);
    removeAll();
    answerWith({});
    const webcam = await openCamera();
    expect([facingMode(), video(webcam)!.className]).to.deep.equal([undefined, 'mirrored']);
  });

  it('stays off if the element is removed or disabled while its code loads, and opens once after two presses', async () => {
    for (const [act, requests] of [
      [(el: SvcUploader) => el.remove(), 0],
      [(el: SvcUploader) => (el.disabled = true), 0],
      [(el: SvcUploader) => find(el, '.pick').click(), 1],
    ] as const) {
      devices.constraints.length = 0;
      const el = await createUploader({ sources: 'camera', accept: 'image/*', multiple: true });
      await untilSourcesLoaded(el);
      find(el, '.pick').click();
      act(el);
      for (let paint = 0; paint < 5; paint++) await waitForPaint(el);
      expect(devices.constraints).to.have.lengthOf(requests);
      removeAll();
    }
  });

  it('works if the browser does not list its devices', async () => {
    const { enumerateDevices } = navigator.mediaDevices;
    navigator.mediaDevices.enumerateDevices = () => Promise.reject(new DOMException('', 'NotAllowedError'));
    try {
      const el = await openCamera();
      expect(dialogOf(el).querySelector('select')).to.equal(null);
    } finally {
      navigator.mediaDevices.enumerateDevices = enumerateDevices;
    }
  });

  it('turns off when the element is disabled or full, and when the page takes its sources back', async () => {
    for (const change of [
      (el: SvcUploader) => (el.disabled = true),
      (el: SvcUploader) => (el.sources = ''),
      (el: SvcUploader) => void el.addFiles([new File(['x'], 'a.png', { type: 'image/png' })]),
    ]) {
      const el = await openCamera({ 'max-files': 1, manual: true });
      change(el);
      await until(() => devices.live === 0);
      expect([devices.live, dialogOf(el)]).to.deep.equal([0, null]);
    }
    expect(renderWarnings()).to.deep.equal([]);
  });

  for (const appearance of ['grid', 'avatar'])
    it(`adds its photo in the appearance ${appearance}`, async () => {
      const el = await openCamera({ appearance, multiple: appearance === 'grid' });
      press(el, 'Take photo');
      await waitForPaint(el);
      press(el, 'Use photo');
      await until(() => el.uploads[0]?.state.status === 'done' && find(el, '[part=thumbnail] canvas') !== null);
      const canvas = find<HTMLCanvasElement>(el, '[part=thumbnail] canvas');
      expect([el.uploads.length, canvas.isConnected, el.shadowRoot!.activeElement]).to.deep.equal([1, true, find(el, '.pick')]);
    });

  it('keeps its picture while the element renders', async () => {
    const el = await openCamera();
    const picture = video(el);
    let starts = 0;
    picture!.addEventListener('loadstart', () => starts++);
    el.label = 'Other';
    navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
    await el.addFiles([new File(['x'], 'a.png', { type: 'image/png' })]);
    await waitForPaint(el);
    await waitForPaint(el);
    expect([video(el) === picture, starts, devices.constraints.length]).to.deep.equal([true, 0, 1]);
  });

  it('takes another photo', async () => {
    const el = await openCamera();
    press(el, 'Take photo');
    await waitForPaint(el);
    press(el, 'Take another');
    await until(() => buttonTexts(el).includes('Take photo'));
    expect(devices.live).to.equal(1);
  });

  it('turns off when the dialog is closed, adds nothing, and listens to nothing any more', async () => {
    const { enumerateDevices } = navigator.mediaDevices;
    const listeners = watchListeners();
    try {
      const el = await openCamera();
      find(el, '.source-close').click();
      await waitForPaint(el);
      expect([devices.live, dialogOf(el), el.uploads.length]).to.deep.equal([0, null, 0]);
      let lists = 0;
      navigator.mediaDevices.enumerateDevices = async () => {
        lists++;
        return [];
      };
      navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
      expect([lists, listeners.left().filter((text) => text.startsWith('pagehide'))]).to.deep.equal([0, []]);
    } finally {
      listeners.stop();
      navigator.mediaDevices.enumerateDevices = enumerateDevices;
    }
  });

  it('turns off when Escape closes the dialog', async () => {
    const el = await openCamera();
    dialogOf(el).dispatchEvent(new Event('cancel', { cancelable: true }));
    await waitForPaint(el);
    expect([devices.live, dialogOf(el)]).to.deep.equal([0, null]);
  });

  it('turns off when the browser closes the dialog', async () => {
    const el = await openCamera();
    dialogOf(el).dispatchEvent(new Event('close'));
    expect(devices.live, 'an event of an earlier time').to.equal(1);
    dialogOf(el).close();
    await until(() => devices.live === 0);
    expect([devices.live, dialogOf(el)]).to.deep.equal([0, null]);
  });

  it('turns off when the element is removed', async () => {
    const el = await openCamera();
    el.remove();
    expect(devices.live).to.equal(0);
  });

  it('turns off when the page is left', async () => {
    const el = await openCamera();
    dispatchEvent(new Event('pagehide'));
    await waitForPaint(el);
    expect([devices.live, dialogOf(el)]).to.deep.equal([0, null]);
  });

  it('turns off at once if it opens after the dialog was closed', async () => {
    let open = () => {};
    const opening = new Promise<void>((resolve) => (open = resolve));
    const { getUserMedia } = MediaDevices.prototype;
    devices.answers.push(async () => {
      await opening;
      return getUserMedia.call(navigator.mediaDevices, { video: true });
    });
    const el = await openDialog();
    expect(dialogOf(el).querySelector('.stage-text')!.textContent).to.equal('Allow access when your browser asks.');
    find(el, '.source-close').click();
    open();
    await until(() => devices.tracks.length > 0 && devices.live === 0);
    expect([devices.tracks.length, devices.live]).to.deep.equal([1, 0]);
  });

  for (const [name, message] of [
    ['NotAllowedError', 'This site can’t use your camera. Allow it in the settings of your browser, then try again.'],
    ['NotFoundError', 'No camera was found. Connect one, then try again.'],
    ['NotReadableError', 'Your camera doesn’t respond. Close other programs that use it, then try again.'],
  ] as const)
    it(`says what to do after ${name}, and tries again`, async () => {
      devices.refuse(name);
      const el = await openDialog();
      await until(() => problemOf(el) !== '');
      expect([problemOf(el), dialogOf(el).querySelector('.stage-text')]).to.deep.equal([message, null]);
      expect(buttonTexts(el)).to.deep.equal(['Choose from this device', 'Try again']);
      press(el, 'Try again');
      await until(() => buttonTexts(el).includes('Take photo'));
      expect([problemOf(el), devices.live]).to.deep.equal(['', 1]);
    });

  it('opens once after a double press', async () => {
    devices.refuse('NotReadableError');
    const el = await openDialog();
    await until(() => problemOf(el) !== '');
    for (let count = 0; count < 2; count++) press(el, 'Try again');
    await untilPicture(el);
    expect([devices.tracks.length, devices.live, problemOf(el)]).to.deep.equal([2, 1, '']);
  });

  it('says that the page forbids it, and offers the files of the device instead of another try', async () => {
    const policy = setPermissionsPolicy(() => false);
    try {
      devices.refuse('NotAllowedError');
      const el = await openDialog();
      await until(() => problemOf(el) !== '');
      expect(problemOf(el)).to.equal('This page doesn’t allow recordings. Choose a file from your device.');
      expect(buttonTexts(el)).to.deep.equal(['Choose from this device']);
      let picks = 0;
      find(el, 'input[type=file]').addEventListener('click', (event) => {
        event.preventDefault();
        picks++;
      });
      press(el, 'Choose from this device');
      await waitForPaint(el);
      expect([dialogOf(el), picks]).to.deep.equal([null, 1]);
    } finally {
      policy.restore();
    }
  });

  it('says that it was disconnected', async () => {
    const el = await openCamera();
    devices.lose(devices.tracks[0]!);
    await until(() => problemOf(el) !== '');
    expect(problemOf(el)).to.equal('Your camera was disconnected. Check its connection, then try again.');
    expect(devices.live).to.equal(0);
  });

  it('can be chosen if there are several', async () => {
    const { enumerateDevices } = navigator.mediaDevices;
    const camera = (deviceId: string, label: string) => ({ deviceId, label, kind: 'videoinput', groupId: '' }) as MediaDeviceInfo;
    navigator.mediaDevices.enumerateDevices = async () => [camera('a', 'Front'), camera('b', '')];
    try {
      const el = await openCamera();
      await until(() => dialogOf(el).querySelector('select') !== null);
      const select = dialogOf(el).querySelector('select')!;
      expect([...select.options].map(({ text }) => text)).to.deep.equal(['Front', 'Camera 2']);
      let inputs = 0;
      el.addEventListener('input', () => inputs++);
      devices.answers.push(() => MediaDevices.prototype.getUserMedia.call(navigator.mediaDevices, { video: true }));
      select.value = 'b';
      for (const type of ['input', 'change']) select.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
      await until(() => devices.constraints.length === 2 && devices.live === 1);
      expect((devices.constraints[1]!.video as MediaTrackConstraints).deviceId).to.deep.equal({ exact: 'b' });
      expect([devices.live, inputs], 'the first one is off').to.deep.equal([1, 0]);
      await until(() => dialogOf(el).querySelector('select') !== null);
      devices.refuse('OverconstrainedError');
      dialogOf(el)
        .querySelector('select')!
        .dispatchEvent(new Event('change', { bubbles: true }));
      await until(() => problemOf(el) !== '');
      press(el, 'Try again');
      await untilPicture(el);
      expect((devices.constraints[3]!.video as MediaTrackConstraints).deviceId, 'any camera').to.equal(undefined);
      press(el, 'Take photo');
      await waitForPaint(el);
      expect(dialogOf(el).querySelector('select'), 'during the review').to.equal(null);
    } finally {
      navigator.mediaDevices.enumerateDevices = enumerateDevices;
    }
  });

  it('lowers the quality of a photo that would be too large', async () => {
    const el = await openCamera();
    press(el, 'Take photo');
    await waitForPaint(el);
    const canvas = dialogOf(el).querySelector('canvas')!;
    const context = canvas.getContext('2d')!;
    const noise = context.createImageData(canvas.width, canvas.height);
    for (let index = 0; index < noise.data.length; index++)
      noise.data[index] = ((index * 7919) % 251) | (index % 4 === 3 ? 255 : 0);
    context.putImageData(noise, 0, 0);
    const sizeAt = (quality: number) =>
      new Promise<number>((resolve) => canvas.toBlob((blob) => resolve(blob!.size), 'image/jpeg', quality));
    const [best, lower] = [await sizeAt(0.92), await sizeAt(0.6)];
    expect(lower).to.be.lessThan(best);
    el.maxSize = lower + 100;
    await el.updateComplete;
    press(el, 'Use photo');
    await until(() => el.uploads.length > 0);
    expect(el.uploads[0]!.state.status).not.to.equal('rejected');
    expect(el.uploads[0]!.size).to.be.at.most(lower + 100);
  });
});

describe('the camera of a phone', () => {
  afterEach(removeAll);

  it('is the program of the phone', async () => {
    const { matchMedia } = window;
    window.matchMedia = (query) => ({
      ...matchMedia(query),
      matches: query.includes('hover: none') || matchMedia(query).matches,
    });
    const hadCapture = 'capture' in HTMLInputElement.prototype;
    if (!hadCapture)
      Object.defineProperty(HTMLInputElement.prototype, 'capture', { value: '', writable: true, configurable: true });
    try {
      const el = await createUploader({ sources: 'device camera', multiple: true });
      await untilSourcesLoaded(el);
      const input = find<HTMLInputElement>(el, '.camera-input');
      const requests: string[] = [];
      input.addEventListener('click', (event) => {
        event.preventDefault();
        requests.push(`${input.accept} ${input.capture}`);
      });
      for (const entry of ['Take a photo', 'Record a video']) {
        find(el, '.pick').click();
        const items = [...el.shadowRoot!.querySelectorAll<HTMLElement>('[role=menuitem]')];
        items.find(({ textContent }) => textContent!.trim() === entry)!.click();
      }
      expect(requests).to.deep.equal(['image/* environment', 'video/* environment']);
      const transfer = new DataTransfer();
      transfer.items.add(new File(['x'], 'image.jpg', { type: 'image/jpeg' }));
      input.files = transfer.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
      await until(() => el.uploads[0]?.state.status === 'done');
      expect([el.uploads.map(({ name }) => name), input.files!.length]).to.deep.equal([['image.jpg'], 0]);
      el.accept = '.pdf';
      await el.updateComplete;
      expect(find(el, '[role=menuitem]'), 'no photos').to.equal(null);
    } finally {
      window.matchMedia = matchMedia;
      if (!hadCapture) delete (HTMLInputElement.prototype as { capture?: unknown }).capture;
    }
  });
});
