// Every browser: engines decode and encode images differently.
import { expect } from 'chai';
import { drawThumbnail } from '../../../src/element/view/draw-thumbnail.js';
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
