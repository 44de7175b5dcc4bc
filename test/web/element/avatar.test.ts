import axe from 'axe-core';
import { expect } from 'chai';
import type { StoredFile, SvcUploader } from '../../../src/element/index.js';
import type { Attributes } from './fixture.js';
import {
  createFile,
  createUploader,
  find,
  findRows,
  once,
  readFormEntries,
  readTexts,
  removeAll,
  until,
  waitForPaint,
} from './fixture.js';

async function createPicture(name: string, type = 'image/png', color = 'rgb(255, 0, 0)'): Promise<File> {
  const canvas = new OffscreenCanvas(300, 200);
  const context = canvas.getContext('2d')!;
  context.fillStyle = color;
  context.fillRect(0, 0, 300, 200);
  return new File([await canvas.convertToBlob({ type })], name, { type, lastModified: name.length });
}

async function create(attributes: Attributes = {}, storage = 'store'): Promise<{ el: SvcUploader; form: HTMLFormElement }> {
  const form = document.body.appendChild(document.createElement('form'));
  const el = await createUploader(
    { appearance: 'avatar', name: 'picture', label: 'Your picture', ...attributes },
    { storage, parent: form },
  );
  await until(() => find(el, '.portrait') !== null);
  return { el, form };
}

async function upload(el: SvcUploader, file: File): Promise<void> {
  const complete = once(el, 'svc-complete');
  await el.addFiles([file]);
  await complete;
  await waitForPaint(el);
}

const canvasOf = (el: SvcUploader) => find<HTMLCanvasElement>(el, '.portrait canvas');
const buttonText = (el: SvcUploader) => find(el, '[part=file-selector-button]').textContent!.trim();
const readColor = (el: SvcUploader) => [...(canvasOf(el)?.getContext('2d')!.getImageData(50, 50, 1, 1).data ?? [])];

describe('the avatar', () => {
  const { fetch } = window;
  afterEach(() => {
    window.fetch = fetch;
    removeAll();
  });

  it('offers a picture to choose, and is not higher with one', async () => {
    const { el, form } = await create();
    expect(buttonText(el)).to.equal('Choose a picture');
    expect(find<HTMLInputElement>(el, 'input').accept).to.equal('image/*');
    const height = el.offsetHeight;
    await upload(el, await createPicture('red.png'));
    await until(() => canvasOf(el).classList.contains('drawn'));
    expect(readColor(el)).to.deep.equal([255, 0, 0, 255]);
    expect([buttonText(el), readTexts(el, 'status')]).to.deep.equal(['Change picture', ['Uploaded']]);
    expect(find(el, '[part=thumbnail]').getAttribute('aria-label')).to.equal('red.png');
    expect(readFormEntries(form, 'picture').length).to.equal(1);
    expect(el.offsetHeight).to.equal(height);
    expect(find(el, '[part=list]'), 'nothing below it').to.equal(null);
  });

  it('has the shape of a circle or a square', async () => {
    const { el } = await create();
    const radius = () => getComputedStyle(find(el, '.portrait .picture')).borderTopLeftRadius;
    expect(radius()).to.equal('50%');
    el.shape = 'square';
    await waitForPaint(el);
    expect(radius()).to.equal('14%');
  });

  it('keeps its place while its code loads', async () => {
    const loaded = await create();
    const el = await createUploader({ appearance: 'avatar', label: 'Your picture' });
    const height = el.offsetHeight;
    await until(() => find(el, '.portrait') !== null);
    expect(el.offsetHeight).to.be.within(height - 1, height + 1);
    expect(loaded.el.offsetHeight).to.equal(el.offsetHeight);
  });

  it('replaces its picture, and sends only the new one', async () => {
    const { el, form } = await create();
    await upload(el, await createPicture('first.png'));
    await upload(el, await createPicture('second.png', 'image/png', 'rgb(0, 0, 255)'));
    await until(() => String(readColor(el)) === '0,0,255,255');
    expect(readColor(el)).to.deep.equal([0, 0, 255, 255]);
    expect([el.uploads.map(({ name }) => name), readFormEntries(form, 'picture').length]).to.deep.equal([['second.png'], 1]);
  });

  it('opens the picker by a press on the picture', async () => {
    const { el } = await create();
    let opened = 0;
    find(el, 'input').addEventListener('click', (event) => {
      event.preventDefault();
      opened += 1;
    });
    find(el, '.portrait').click();
    expect(opened).to.equal(1);
    el.disabled = true;
    await waitForPaint(el);
    find(el, '.portrait').click();
    expect(opened).to.equal(1);
  });

  it('removes its picture, and the focus goes to the button', async () => {
    const { el, form } = await create({ required: true });
    await upload(el, await createPicture('red.png'));
    expect(el.checkValidity()).to.equal(true);
    find(el, '[part=remove-button]').focus();
    find(el, '[part=remove-button]').click();
    await waitForPaint(el);
    await until(() => el.shadowRoot!.activeElement === find(el, '.pick'));
    expect(el.shadowRoot!.activeElement).to.equal(find(el, '.pick'));
    expect([readFormEntries(form, 'picture'), el.validity.valueMissing]).to.deep.equal([[], true]);
  });

  for (const shape of ['circle', 'square'])
    it(`shows the progress in a ring: ${shape}`, async () => {
      const { el } = await create({ shape });
      el.transport = {
        send: (_file, { progress }) => {
          progress(Math.ceil(el.files[0]!.size * 0.4));
          return new Promise(() => {});
        },
      };
      await el.addFiles([await createPicture('red.png')]);
      await until(() => find(el, '.ring')?.getAttribute('aria-valuenow') === '40');
      const ring = find(el, '.ring');
      expect([ring.getAttribute('role'), ring.getAttribute('aria-label')]).to.deep.equal(['progressbar', 'red.png']);
      expect(find(el, '.ring-value').getAttribute('stroke-dasharray')).to.match(/^0\.4\d* 1$/);
      expect(ring.getBoundingClientRect().width).to.be.greaterThan(find(el, '.portrait').getBoundingClientRect().width);
    });

  it('shows a failed upload with a button to retry', async () => {
    const { el } = await create({}, 'refuse/CHECKSUM_MISMATCH/422');
    await upload(el, await createPicture('red.png'));
    expect(readTexts(el, 'error')).to.deep.equal(['This file was damaged during the upload. Try again.']);
    const started = once(el, 'svc-upload-start');
    find(el, '[part=retry-button]').click();
    await started;
  });

  it('keeps its picture if the next choice is refused, and says so below', async () => {
    const { el } = await create({ 'max-size': 100_000 });
    await upload(el, await createPicture('red.png'));
    await el.addFiles([createFile('large.png', 200_000, 'image/png'), createFile('a.pdf')]);
    await waitForPaint(el);
    expect(find(el, '[part=thumbnail]').getAttribute('aria-label')).to.equal('red.png');
    const [large, pdf] = findRows(el).map((row) => row.querySelector('[part~=error]')!.textContent!.trim());
    expect(large).to.match(/^This file is larger than 100 kB/);
    expect(pdf, 'only pictures by default').to.match(/^This type of file is not accepted/);
    expect(findRows(el)[0]!.getBoundingClientRect().top).to.be.greaterThan(find(el, '.portrait').getBoundingClientRect().bottom);
  });

  it('accepts one picture, even with `multiple`', async () => {
    const { el } = await create({ multiple: true });
    expect(find<HTMLInputElement>(el, 'input').multiple).to.equal(false);
    await upload(el, await createPicture('first.png'));
    await upload(el, await createPicture('second.png'));
    expect(el.uploads.map(({ name }) => name)).to.deep.equal(['second.png']);
  });

  it('shows a stored picture at its public address, or by a preview', async () => {
    const picture = await createPicture('a.png');
    const requests: string[] = [];
    window.fetch = async (address, init) => {
      requests.push(init?.method === 'POST' ? String(init.body) : String(address));
      if (init?.method !== 'POST') return new Response(picture);
      return Response.json({ previews: [{ id: 'b', url: 'https://blob.example.com/preview' }] });
    };
    const stored = (id: string, url: string | null) =>
      ({ id, path: `portraits/${id}.png`, name: `${id}.png`, size: 5, content_type: 'image/png', url }) as unknown as StoredFile;
    const { el, form } = await create();
    el.restore([stored('a', 'https://blob.example.com/a.png')]);
    await until(() => canvasOf(el)?.classList.contains('drawn'));
    expect(readFormEntries(form, 'picture')).to.deep.equal(['portraits/a.png']);
    const previewed = await create({ 'fetch-previews': true, 'token-endpoint': '/token', token: false });
    previewed.el.restore([stored('b', null)]);
    await until(() => canvasOf(previewed.el)?.classList.contains('drawn'));
    for (const url of [null, 'no address']) {
      const { el: privateOne } = await create();
      privateOne.restore([stored('c', url)]);
      for (let paint = 0; paint < 3; paint++) await waitForPaint(privateOne);
      expect(canvasOf(privateOne).classList.contains('drawn')).to.equal(false);
    }
    expect(requests).to.deep.equal([
      'https://blob.example.com/a.png',
      '{"files":[],"reason":"preview","ids":["b"],"size":"tile"}',
      'https://blob.example.com/preview',
    ]);
  });

  it('only shows the picture if it is read-only', async () => {
    const { el } = await create();
    await upload(el, await createPicture('red.png'));
    el.readOnly = true;
    await waitForPaint(el);
    expect([...el.shadowRoot!.querySelectorAll('button')]).to.deep.equal([]);
    expect(find(el, '[part=thumbnail]').getAttribute('aria-label')).to.equal('red.png');
  });

  it('changes from and to another appearance with its picture', async () => {
    const { el } = await create();
    await upload(el, await createPicture('red.png'));
    el.appearance = 'dropzone';
    await waitForPaint(el);
    expect([find(el, '.portrait'), findRows(el).length]).to.deep.equal([null, 1]);
    el.appearance = 'avatar';
    await waitForPaint(el);
    expect([find(el, '.portrait') !== null, findRows(el).length]).to.deep.equal([true, 0]);
  });

  const STATES: Record<string, (el: SvcUploader) => unknown> = {
    empty: () => {},
    stored: async (el) => upload(el, await createPicture('red.png')),
    invalid: (el) => el.reportValidity(),
    refused: (el) => el.addFiles([createFile('a.pdf')]),
    disabled: (el) => (el.disabled = true),
    uploading: async (el) => {
      el.transport = { send: () => new Promise(() => {}) };
      await el.addFiles([await createPicture('red.png')]);
      await until(() => find(el, '.ring') !== null);
    },
    failed: async (el) => {
      el.setAttribute('endpoint', `${location.origin}/storage/refuse/FILE_EXISTS/409`);
      await upload(el, await createPicture('red.png'));
    },
    'read-only': async (el) => {
      await upload(el, await createPicture('red.png'));
      el.readOnly = true;
    },
  };
  for (const [state, act] of Object.entries(STATES))
    it(`has no violations of accessibility rules: ${state}`, async () => {
      const { el } = await create({ required: true });
      await act(el);
      await waitForPaint(el);
      const rules = {
        region: { enabled: false },
        'page-has-heading-one': { enabled: false },
        'landmark-one-main': { enabled: false },
      };
      const { violations } = await axe.run(document.body, { rules });
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).to.deep.equal([]);
    });
});
