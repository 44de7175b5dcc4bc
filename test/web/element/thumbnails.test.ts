// Every browser: engines decode and encode images differently.
import { expect } from 'chai';
import { drawThumbnail } from '../../../src/element/view/draw-thumbnail.js';
import { file, inside, painted, removeAll, until, uploader } from './fixture.js';

/** A picture of one colour, wider than high. */
async function picture(name: string): Promise<File> {
  const canvas = new OffscreenCanvas(300, 200);
  const context = canvas.getContext('2d')!;
  context.fillStyle = 'rgb(255, 0, 0)';
  context.fillRect(0, 0, 300, 200);
  return new File([await canvas.convertToBlob({ type: 'image/png' })], name, { type: 'image/png' });
}

describe('pictures', () => {
  afterEach(removeAll);

  it('are drawn small beside their file, in the place of its ending', async () => {
    const el = await uploader({ multiple: true, manual: true });
    await el.addFiles([await picture('red.png'), file('b.pdf')]);
    await painted(el);
    const drawn = inside<HTMLCanvasElement>(el, '[part="thumbnail"] canvas');
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

  it('are not made of what only calls itself one: its ending stays', async () => {
    const el = await uploader({ manual: true });
    await el.addFiles([file('no.png', 10, 'image/png')]);
    await painted(el);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(getComputedStyle(inside(el, 'canvas')).visibility).to.equal('hidden');
    expect(getComputedStyle(inside(el, '[part=thumbnail]')).color).not.to.equal('rgba(0, 0, 0, 0)');
    expect(inside(el, '[part=thumbnail]').textContent!.trim()).to.equal('PNG');
  });
});

describe('the making of pictures', () => {
  const { createImageBitmap } = window;
  let now = 0;
  let most = 0;
  /** What was decoded, by its size. */
  let decoded: Blob[] = [];
  beforeEach(() => {
    now = most = 0;
    decoded = [];
    window.createImageBitmap = (async (...given: Parameters<typeof createImageBitmap>) => {
      if (given[0] instanceof Blob) decoded.push(given[0]);
      most = Math.max(most, ++now);
      try {
        return await createImageBitmap(...given);
      } finally {
        now -= 1;
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
    const all = files.map((one) => [canvas(), one] as const);
    for (const [at, one] of all) drawThumbnail(at, one, () => true);
    await until(() => all.every(([at]) => isDrawn(at)));
    expect(all.every(([at]) => isDrawn(at))).to.equal(true);
  };
  const pictures = async (count: number) => {
    const one = await picture('a.png');
    return Array.from({ length: count }, (_, at) => new File([one], `${at}.png`, { type: one.type }));
  };

  it('goes two at a time, the newest first, as those are in sight', async () => {
    const files = await pictures(6);
    await drawAll(files);
    expect(most).to.equal(2);
    // The first one began before there were others.
    expect(decoded.map((one) => files.indexOf(one as File))).to.deep.equal([0, 1, 5, 4, 3, 2]);
  });

  it('leaves out what scrolled away before its turn came', async () => {
    const files = await pictures(4);
    let wanted = true;
    for (const one of files) drawThumbnail(canvas(), one, () => wanted);
    wanted = false;
    await until(() => now === 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(decoded).to.deep.equal(files.slice(0, 2));
  });

  it('is spared for the last two hundred, and not for all there ever were', async () => {
    const files = await pictures(201);
    // One after the other, so that it is certain which is the oldest.
    for (const one of files) await drawAll([one]);
    decoded = [];
    await drawAll([files[200]!, files[1]!]);
    expect(decoded).to.deep.equal([]);
    await drawAll([files[0]!]);
    expect(decoded).to.deep.equal([files[0]]);
  });
});
