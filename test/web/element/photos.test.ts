import { expect } from 'chai';
import { crc32 } from '../../../src/protocol/checksums/crc32.js';
import { find, once, waitForPaint, removeAll, readTexts, createUploader } from './fixture.js';

/** Creates an image of noise, whose file gets smaller when it is scaled down. */
async function createPicture(type: string, width = 400, height = 200): Promise<Blob> {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d')!;
  const pixels = context.createImageData(width, height);
  for (let index = 0; index < pixels.data.length; index++) pixels.data[index] = index % 4 === 3 ? 255 : (index * 7919) % 251;
  context.putImageData(pixels, 0, 0);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), type));
}

/** Creates a JPEG with a location and an orientation of a quarter turn. */
async function createPhotoWithPlace(): Promise<File> {
  const exif = [
    [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0, 2, 0],
    [0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0],
    [0x25, 0x88, 4, 0, 1, 0, 0, 0, 38, 0, 0, 0],
    [0, 0, 0, 0],
    [1, 0, 2, 0, 5, 0, 3, 0, 0, 0, 56, 0, 0, 0, 0, 0, 0, 0],
    Array.from({ length: 24 }, () => 0xab),
  ].flat();
  const segment = [...new TextEncoder().encode('Exif\0\0'), ...exif];
  const jpeg = await createPicture('image/jpeg');
  const head = new Uint8Array([0xff, 0xd8, 0xff, 0xe1, 0, segment.length + 2, ...segment]);
  return new File([head, jpeg.slice(2)], 'photo.jpg', { type: 'image/jpeg', lastModified: 5 });
}

/** Turns a PNG into an animation of one frame, with a chunk before its pixels. */
async function createAnimation(png: File): Promise<File> {
  const bytes = new Uint8Array(await png.arrayBuffer());
  const numbers = (...all: number[]) => all.flatMap((one) => [one >>> 24, (one >>> 16) & 255, (one >>> 8) & 255, one & 255]);
  const chunk = (type: string, data: number[]) => {
    const content = Uint8Array.from([...new TextEncoder().encode(type), ...data]);
    return Uint8Array.from([...numbers(data.length), ...content, ...numbers(crc32(content))]);
  };
  const header = 33;
  const animation = chunk('acTL', numbers(1, 0));
  const frame = chunk('fcTL', [...numbers(0, 400, 200, 0, 0), 0, 1, 0, 1, 0, 0]);
  return new File([bytes.slice(0, header), animation, frame, bytes.slice(header)], 'moving.png', { type: png.type });
}

const hasPlace = async (file: File) => new TextDecoder('latin1').decode(await file.arrayBuffer()).includes('\xab'.repeat(24));
const sizeOf = async (file: File) => {
  const { width, height } = await createImageBitmap(file);
  return [width, height];
};

describe('images before the upload', () => {
  afterEach(removeAll);

  it('lose only their location with strip-location', async () => {
    const el = await createUploader({ 'strip-location': true, multiple: true });
    const photo = await createPhotoWithPlace();
    expect(await hasPlace(photo)).to.equal(true);
    const complete = once(el, 'svc-complete');
    await el.addFiles([photo, new File(['text'], 'a.txt')]);
    await complete;
    const [sent, text] = el.files as [File, File];
    expect(await hasPlace(sent)).to.equal(false);
    expect([sent.name, sent.size, sent.type, sent.lastModified]).to.deep.equal(['photo.jpg', photo.size, 'image/jpeg', 5]);
    expect(await sizeOf(sent), 'still turned').to.deep.equal([200, 400]);
    expect(await text.text()).to.equal('text');
  });

  it('lose their location whatever their type and name are', async () => {
    const el = await createUploader({ 'strip-location': true, multiple: true });
    const photo = await createPhotoWithPlace();
    const named = (name: string, type: string) => new File([photo], name, { type });
    await el.addFiles([named('p.jpg', ''), named('p.jpeg', 'application/octet-stream'), named('from the share menu', '')]);
    for (const one of el.files) expect(await hasPlace(one), `${one.name} ${one.type}`).to.equal(false);
    expect(el.files).to.have.length(3);
  });

  it('fail if they cannot be read for the removal of their location, and can be retried', async () => {
    const el = await createUploader({ 'strip-location': true, multiple: true });
    const photo = await createPhotoWithPlace();
    const unnamed = new File([photo], 'shared');
    const fails = () => Promise.reject(new DOMException('No memory.', 'NotReadableError'));
    photo.arrayBuffer = fails;
    unnamed.slice = () => Object.assign(new Blob(), { arrayBuffer: fails });
    const ended = once(el, 'svc-complete');
    await el.addFiles([photo, unnamed, new File(['text'], 'a.txt')]);
    await ended;
    const states = () => el.uploads.map(({ name, state }) => `${name} ${state.status}`);
    expect(states()).to.deep.equal(['photo.jpg failed', 'shared failed', 'a.txt done']);
    for (const { state } of el.uploads.slice(0, 2)) expect(state).to.have.nested.property('error.code', 'FILE_UNREADABLE');
    for (const [one, method] of [
      [photo, 'arrayBuffer'],
      [unnamed, 'slice'],
    ] as const)
      Reflect.deleteProperty(one, method);
    const again = once(el, 'svc-complete');
    el.retry();
    await again;
    expect(states()).to.deep.equal(['a.txt done', 'photo.jpg done', 'shared done']);
    for (const one of el.files) expect(await hasPlace(one), one.name).to.equal(false);
  });

  it('are in memory two at a time', async () => {
    const el = await createUploader({ 'strip-location': true, multiple: true, manual: true });
    let current = 0;
    let maximum = 0;
    const photo = await createPhotoWithPlace();
    const photos = Array.from({ length: 6 }, (_, at) => {
      const one = new File([photo], `${at}.jpg`, { type: 'image/jpeg' });
      const arrayBuffer = async () => {
        maximum = Math.max(maximum, ++current);
        await new Promise((resolve) => setTimeout(resolve, 5));
        current--;
        return photo.arrayBuffer();
      };
      return Object.assign(one, { arrayBuffer });
    });
    await el.addFiles(photos);
    expect(el.files.map(({ name }) => name)).to.deep.equal(photos.map(({ name }) => name));
    expect(maximum).to.equal(2);
  });

  it('keep their location without strip-location', async () => {
    const el = await createUploader();
    await el.addFiles([await createPhotoWithPlace()]);
    expect(await hasPlace(el.files[0]!)).to.equal(true);
  });

  it('are made to fit, upright and without metadata, and limits apply to the result', async () => {
    const photo = await createPhotoWithPlace();
    const el = await createUploader({
      'resize-max-width': 100,
      'resize-max-height': 100,
      'max-size': photo.size - 1,
      multiple: true,
    });
    await el.addFiles([photo, new File([await createPicture('image/png')], 'b.png', { type: 'image/png' })]);
    expect(el.files.map(({ name }) => name)).to.deep.equal(['photo.jpg', 'b.png']);
    expect(await Promise.all(el.files.map(sizeOf))).to.deep.equal([
      [50, 100],
      [100, 50],
    ]);
    expect(await hasPlace(el.files[0]!)).to.equal(false);
  });

  it('stay unchanged if they fit or are no images', async () => {
    const el = await createUploader({ 'resize-max-width': 4000, multiple: true });
    const files = [await createPhotoWithPlace(), new File(['no picture'], 'broken.jpg', { type: 'image/jpeg' })];
    await el.addFiles(files);
    expect(el.files[0]).to.equal(files[0]);
    expect(el.files[1]).to.equal(files[1]);
  });

  it('stay unchanged if they are animated', async () => {
    const el = await createUploader({ 'resize-max-width': 100, multiple: true });
    const still = new File([await createPicture('image/png')], 'still.png', { type: 'image/png' });
    const moving = await createAnimation(still);
    expect(await sizeOf(moving), 'a picture that can be read').to.deep.equal([400, 200]);
    await el.addFiles([still, moving]);
    expect(await sizeOf(el.files[0]!)).to.deep.equal([100, 50]);
    expect(el.files[1]).to.equal(moving);
  });

  it('make the form wait while they are prepared', async () => {
    const el = await createUploader({ 'strip-location': true });
    const added = el.addFiles([await createPhotoWithPlace()]);
    expect(el.validity.valid).to.equal(false);
    await el.updateComplete;
    expect(readTexts(el, 'note')).to.deep.equal(['Preparing']);
    const complete = once(el, 'svc-complete');
    await added;
    await complete;
    await waitForPaint(el);
    expect(el.validity.valid).to.equal(true);
    expect(find(el, '[part=note]')).to.equal(null);
  });

  it('stay unchanged if the attribute is invalid', async () => {
    const el = await createUploader({ 'resize-max-width': 'wide', 'resize-quality': 2 });
    expect(el.validationMessage).to.include('resize-max-width="wide"').and.include('from 0 to 1');
    const photo = await createPhotoWithPlace();
    await el.addFiles([photo]);
    expect(el.files[0]).to.equal(photo);
  });
});
