import { expect } from 'chai';
import type { StoredFile, SvcUploader } from '../../../src/element/index.js';
import type { Attributes } from './fixture.js';
import { addLink, createWithLinks, linkTo } from './link-page.js';
import { createFile, createUploader, find, findRows, once, removeAll, until, waitForPaint } from './fixture.js';

async function create(attributes: Attributes = {}, storage = 'store'): Promise<SvcUploader> {
  const el = await createUploader({ appearance: 'avatar', label: 'Your picture', ...attributes }, { storage });
  await until(() => find(el, '.portrait') !== null);
  return el;
}

async function createPicture(name = 'red.png'): Promise<File> {
  const canvas = new OffscreenCanvas(30, 20);
  canvas.getContext('2d')!.fillRect(0, 0, 30, 20);
  return new File([await canvas.convertToBlob({ type: 'image/png' })], name, { type: 'image/png' });
}

async function upload(el: SvcUploader): Promise<void> {
  const complete = once(el, 'svc-complete');
  await el.addFiles([await createPicture()]);
  await complete;
  await waitForPaint(el);
}

const buttonTexts = (el: SvcUploader) =>
  Array.from(el.shadowRoot!.querySelectorAll('.avatar-actions .plain'), ({ textContent }) => textContent!.trim());
const ring = (el: SvcUploader) => find(el, '.ring');
const frameOf = (el: SvcUploader) => getComputedStyle(find(el, '.portrait'), '::after').borderTopWidth;

describe('the avatar without a picture', () => {
  afterEach(removeAll);

  it('shows a person in a circle and a picture in a square', async () => {
    const el = await create();
    const frame = find(el, '.picture');
    expect(frame.getAttribute('aria-hidden')).to.equal('true');
    const person = frame.querySelector('svg')!.innerHTML;
    el.shape = 'square';
    await waitForPaint(el);
    expect(find(el, '.picture svg').innerHTML).not.to.equal(person);
    el.shape = 'circle';
    await waitForPaint(el);
    expect(find(el, '.picture svg').innerHTML).to.equal(person);
  });

  it('stays empty if the first choice is refused', async () => {
    const el = await create();
    await el.addFiles([createFile('a.pdf')]);
    await waitForPaint(el);
    expect([find(el, '.picture').getAttribute('role'), findRows(el).length]).to.deep.equal([null, 1]);
    expect(find(el, '.pick').textContent!.trim()).to.equal('Choose a picture');
  });

  it('says that files can be dropped while they are dragged over it', async () => {
    const el = await create();
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(createFile('a.png'));
    el.dispatchEvent(new DragEvent('dragenter', { dataTransfer, bubbles: true, composed: true }));
    await waitForPaint(el);
    expect(find(el, '.pick').textContent!.trim()).to.equal('Drop to add');
  });
});

describe('the picture of an avatar', () => {
  afterEach(removeAll);

  it('invites a press only while it can be changed', async () => {
    const el = await create();
    await upload(el);
    const invites = () => [find(el, '.veil') !== null, getComputedStyle(find(el, '.portrait')).cursor];
    expect(invites()).to.deep.equal([true, 'pointer']);
    el.disabled = true;
    await waitForPaint(el);
    expect(invites()).to.deep.equal([false, 'not-allowed']);
    el.disabled = false;
    el.readOnly = true;
    await waitForPaint(el);
    expect(invites()).to.deep.equal([false, 'auto']);
  });

  it('has a ring only while it is sent, and is pale until it is stored', async () => {
    const el = await create({ manual: true });
    await el.addFiles([await createPicture()]);
    await until(() => find(el, '.portrait canvas.drawn') !== null);
    const opacity = () => getComputedStyle(find(el, '.portrait canvas')).opacity;
    await until(() => opacity() === '0.6');
    expect([ring(el), opacity()]).to.deep.equal([null, '0.6']);
    let finish: (() => void) | undefined;
    el.transport = {
      send: () => new Promise((resolve) => (finish = () => resolve({ id: '1', path: 'a', name: 'a', size: 1 } as never))),
    };
    el.upload();
    // The ring appears before the transport has the file.
    await until(() => ring(el) !== null && finish !== undefined);
    expect(ring(el)).not.to.equal(null);
    finish!();
    await until(() => ring(el) === null && opacity() === '1');
    expect([ring(el), opacity()]).to.deep.equal([null, '1']);
  });

  for (const [shape, outline] of [
    ['circle', 'circle'],
    ['square', 'rect'],
  ])
    it(`has a ring that turns without a value while its size is unknown: ${shape}`, async () => {
      const el = await createWithLinks({ appearance: 'avatar', shape: shape!, multiple: false });
      await addLink(el, linkTo('a.jpg', 'hang'));
      await until(() => ring(el) !== null);
      const length = find(el, '.ring-value').getAttribute('stroke-dasharray');
      expect([ring(el).matches('.ring-unknown'), ring(el).hasAttribute('aria-valuenow'), length]).to.deep.equal([
        true,
        false,
        '0.25 1',
      ]);
      expect(find(el, '.ring-value').localName).to.equal(outline);
    });

  it('has a red frame if its upload failed', async () => {
    const el = await create({}, 'refuse/CHECKSUM_MISMATCH/422');
    expect(frameOf(el)).to.equal('0px');
    await upload(el);
    expect(frameOf(el)).to.equal('2px');
    expect(getComputedStyle(find(el, '.portrait-status .status')).flexWrap, 'the icon stays beside the text').to.equal('nowrap');
  });

  it('is requested from its public address once, however often it is rendered', async () => {
    const picture = await createPicture();
    const { fetch } = window;
    let requests = 0;
    window.fetch = async () => {
      requests++;
      return new Response(picture);
    };
    try {
      const el = await create();
      const url = 'https://blob.example.com/once.png';
      el.restore([
        { id: 'once', path: 'once.png', name: 'once.png', size: 5, content_type: 'image/png', url } as unknown as StoredFile,
      ]);
      for (let render = 0; render < 3; render++) {
        el.requestUpdate();
        await waitForPaint(el);
      }
      await until(() => find(el, '.portrait canvas.drawn') !== null);
      expect([find(el, '.portrait canvas.drawn') !== null, requests]).to.deep.equal([true, 1]);
    } finally {
      window.fetch = fetch;
    }
  });
});

describe('the buttons of an avatar', () => {
  afterEach(removeAll);

  it('start a manual upload, and not while it is disabled', async () => {
    const el = await create({ manual: true });
    expect(buttonTexts(el)).to.deep.equal([]);
    await el.addFiles([await createPicture()]);
    await waitForPaint(el);
    expect(buttonTexts(el)).to.deep.equal(['Upload']);
    el.disabled = true;
    await waitForPaint(el);
    expect(buttonTexts(el)).to.deep.equal([]);
    el.disabled = false;
    await waitForPaint(el);
    const complete = once(el, 'svc-complete');
    find(el, '.avatar-actions .plain').click();
    await complete;
  });

  it('pause only a large picture', async () => {
    const el = await create();
    el.transport = { send: () => new Promise(() => {}) };
    await el.addFiles([await createPicture()]);
    await until(() => ring(el) !== null);
    expect(buttonTexts(el)).to.deep.equal([]);
    await el.addFiles([createFile('large.png', 20_000_000, 'image/png')]);
    await until(() => buttonTexts(el).length > 0);
    expect(buttonTexts(el)).to.deep.equal(['Pause']);
  });
});
