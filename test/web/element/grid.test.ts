import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { contrast } from '../../../src/element/colors/palette.js';
import { KIND_COLORS, fileKind } from '../../../src/element/grid/file-kinds.js';
import type { Attributes } from './fixture.js';
import { createFile, createUploader, find, findRows, once, readTexts, removeAll, until, waitForPaint } from './fixture.js';

/** Creates a grid of five columns. */
async function createGrid(files: readonly File[], attributes: Attributes = {}, storage = 'store'): Promise<SvcUploader> {
  const parent = document.body.appendChild(document.createElement('div'));
  parent.style.inlineSize = '860px';
  const el = await createUploader({ appearance: 'grid', multiple: true, manual: true, ...attributes }, { storage, parent });
  await el.addFiles(files);
  await el.updateComplete;
  await waitForPaint(el);
  return el;
}
const createFiles = (count: number) => Array.from({ length: count }, (_, index) => createFile(`${index}.txt`, 10));
const focused = (el: SvcUploader) => el.shadowRoot!.activeElement;
const focusedName = (el: SvcUploader) => focused(el)?.closest('li')?.querySelector('.whole')?.textContent;

async function press(el: SvcUploader, key: string): Promise<string | null | undefined> {
  focused(el)!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }));
  await waitForPaint(el);
  await waitForPaint(el);
  return focusedName(el);
}

async function createPicture(name: string, width = 600, height = 400): Promise<File> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d')!;
  context.fillStyle = 'rgb(255, 0, 0)';
  context.fillRect(0, 0, width, height);
  return new File([await canvas.convertToBlob({ type: 'image/png' })], name, { type: 'image/png' });
}

describe('the grid', () => {
  afterEach(removeAll);

  it('shows files as square tiles in columns, with name, size and state', async () => {
    const el = await createGrid([await createPicture('red.png'), createFile('b.pdf', 3000)], { manual: false });
    await until(() => el.matches(':state(complete)'));
    await waitForPaint(el);
    expect(readTexts(el, 'name').map((name) => name.trim())).to.deep.equal(['red.png', 'b.pdf']);
    expect(readTexts(el, 'status')).to.deep.equal(['Uploaded', 'Uploaded']);
    expect(readTexts(el, 'size')[1]).to.equal('3 kB');
    const [first, second] = findRows(el).map((tile) => tile.getBoundingClientRect());
    expect(second!.left, 'beside the first').to.be.greaterThan(first!.right);
    expect(second!.top).to.equal(first!.top);
    const thumbnail = find(el, '[part=thumbnail]').getBoundingClientRect();
    expect(thumbnail.width).to.be.within(140, 220);
    expect(Math.abs(thumbnail.width - thumbnail.height)).to.be.lessThan(1);
  });

  it('draws large thumbnails, and the extension in a color of its kind', async () => {
    const el = await createGrid([await createPicture('red.png'), createFile('b.pdf')]);
    const canvas = find<HTMLCanvasElement>(el, 'canvas');
    await until(() => canvas.classList.contains('drawn'));
    expect(canvas.width).to.be.at.least(240);
    expect([...canvas.getContext('2d')!.getImageData(200, 200, 1, 1).data]).to.deep.equal([255, 0, 0, 255]);
    const [picture, pdf] = [...el.shadowRoot!.querySelectorAll<HTMLElement>('.paper')].map((paper) => getComputedStyle(paper));
    expect(picture!.visibility, 'behind a see-through picture').to.equal('hidden');
    expect([pdf!.visibility, pdf!.backgroundColor]).to.deep.equal(['visible', 'rgb(196, 41, 29)']);
  });

  it('draws a symbol for files without a short extension', async () => {
    const el = await createGrid([createFile('LICENSE'), createFile('notes.markdown'), createFile('a.json')]);
    const papers = [...el.shadowRoot!.querySelectorAll('.paper')];
    expect(papers.map((paper) => [paper.textContent!.trim(), paper.querySelector('svg') !== null])).to.deep.equal([
      ['', true],
      ['', true],
      ['JSON', false],
    ]);
  });

  it('draws thumbnails with more pixels on a fine screen', async () => {
    const widths: number[] = [];
    const original = Object.getOwnPropertyDescriptor(window, 'devicePixelRatio')!;
    try {
      for (const value of [1, 2]) {
        Object.defineProperty(window, 'devicePixelRatio', { configurable: true, value });
        const el = await createGrid([await createPicture('red.png')]);
        widths.push(find<HTMLCanvasElement>(el, 'canvas').width);
      }
    } finally {
      Object.defineProperty(window, 'devicePixelRatio', original);
    }
    expect(widths).to.deep.equal([240, 360]);
  });

  it('has the actions of rows', async () => {
    const el = await createGrid([createFile('a.pdf')], { manual: false }, 'refuse/CHECKSUM_MISMATCH/422');
    await until(() => el.matches(':state(error)'));
    await waitForPaint(el);
    expect(readTexts(el, 'error')).to.deep.equal(['This file was damaged during the upload. Try again.']);
    const retry = find(el, '[part=retry-button]');
    expect(retry.getAttribute('aria-label')).to.equal('Try a.pdf again');
    const retried = once(el, 'svc-upload-start');
    retry.click();
    await retried;
    find(el, '[part=remove-button]').click();
    await waitForPaint(el);
    expect(el.uploads.length).to.equal(0);
  });

  it('lists refused files with their error and a button to dismiss them', async () => {
    const el = await createGrid([createFile('a.jpg', 200)], { 'max-size': 100 });
    expect(readTexts(el, 'error')).to.deep.equal(['This file is larger than 100 bytes. Choose a smaller file.']);
    const frames = ['.picture', '.paper'].map((part) => getComputedStyle(find(el, part), '::after').borderTopWidth);
    expect(frames, 'around the tile only').to.deep.equal(['2px', '0px']);
    find(el, '[part=dismiss-button]').click();
    await waitForPaint(el);
    expect(findRows(el).length).to.equal(0);
  });

  it('keeps only the visible tiles of many in the document', async () => {
    const el = await createGrid(createFiles(1000));
    const list = find(el, '[part=list]');
    // Until it is measured, the list has estimated sizes.
    await until(() => list.scrollHeight < 200 * 260);
    expect(findRows(el).length).to.be.within(15, 45);
    expect(list.clientHeight, 'the list scrolls').to.be.lessThan(600);
    // 200 rows of tiles over 150 pixels high.
    expect(list.scrollHeight).to.be.within(200 * 200, 200 * 320);
    const total = list.scrollHeight;
    list.scrollTop = total;
    await until(() => findRows(el).at(-1)!.getAttribute('aria-posinset') === '1000');
    expect(findRows(el).at(-1)!.getAttribute('aria-posinset')).to.equal('1000');
    expect(findRows(el).length).to.be.within(10, 45);
    expect(list.scrollHeight, 'does not change while scrolling').to.equal(total);
    expect(findRows(el)[0]!.getBoundingClientRect().top).to.be.lessThan(list.getBoundingClientRect().bottom);
  });

  it('keeps the element of a file that stays in view, and reuses the elements after a jump', async () => {
    const el = await createGrid(createFiles(1000));
    const list = find(el, '[part=list]');
    await until(() => list.scrollHeight < 200 * 260);
    const elementOf = (name: string) => findRows(el).find((tile) => tile.querySelector('.whole')!.textContent === name);
    const scrollTo = async (top: number, name: string) => {
      list.scrollTop = top;
      await until(() => elementOf(name) !== undefined);
    };
    const kept = elementOf('10.txt');
    await scrollTo(250, '20.txt');
    expect(elementOf('10.txt')).to.equal(kept);
    const before = new Set(findRows(el));
    await scrollTo(list.scrollHeight, '999.txt');
    expect(findRows(el).some((tile) => before.has(tile))).to.equal(true);
    expect(findRows(el).map((tile) => Number(tile.getAttribute('aria-posinset')) - 1)).to.deep.equal(
      findRows(el).map((tile) => Number.parseInt(tile.querySelector('.whole')!.textContent!)),
    );
  });

  it('keeps its tiles while it is hidden, and measures them again in another width', async () => {
    const el = await createGrid(createFiles(1000));
    const list = find(el, '[part=list]');
    await until(() => list.scrollHeight < 200 * 260);
    const tiles = findRows(el).length;
    const height = list.scrollHeight;
    el.style.display = 'none';
    await waitForPaint(el);
    await waitForPaint(el);
    expect(findRows(el).length).to.equal(tiles);
    el.style.display = '';
    await waitForPaint(el);
    expect(list.scrollHeight).to.equal(height);
    el.parentElement!.style.inlineSize = '430px';
    // Two columns instead of five.
    await until(() => list.scrollHeight > 2 * height);
    expect(list.scrollHeight).to.be.within(2 * height, 3.5 * height);
  });

  it('is one Tab stop with many files, and arrow keys move in both directions', async () => {
    const el = await createGrid(createFiles(302));
    await until(() => findRows(el).length < 50);
    const stops = () =>
      [...el.shadowRoot!.querySelectorAll<HTMLElement>('.tile button')].filter(({ tabIndex }) => tabIndex === 0);
    expect(stops().length).to.equal(1);
    stops()[0]!.focus();
    expect(await press(el, 'ArrowRight')).to.equal('1.txt');
    expect(await press(el, 'ArrowDown')).to.equal('6.txt');
    expect(await press(el, 'ArrowLeft')).to.equal('5.txt');
    expect(await press(el, 'ArrowUp')).to.equal('0.txt');
    expect(await press(el, 'ArrowUp'), 'the first row').to.equal('0.txt');
    expect(await press(el, 'ArrowLeft'), 'the first file').to.equal('0.txt');
    expect(await press(el, 'End')).to.equal('301.txt');
    expect(await press(el, 'ArrowRight'), 'the last file').to.equal('301.txt');
    expect(await press(el, 'ArrowUp')).to.equal('296.txt');
    for (let step = 0; step < 3; step++) await press(el, 'ArrowRight');
    expect(await press(el, 'ArrowDown'), 'the last row has only two').to.equal('301.txt');
    expect(stops().length).to.equal(1);
    expect(await press(el, 'Home')).to.equal('0.txt');
    expect(await press(el, 'Delete'), 'the next one').to.equal('1.txt');
    expect(el.uploads.length).to.equal(301);
  });

  it('swaps the arrow keys from right to left', async () => {
    const el = await createGrid(createFiles(6), { locale: 'ar' });
    await until(() => find(el, '.root').dir === 'rtl');
    find(el, '.tile button').focus();
    expect(await press(el, 'ArrowLeft')).to.equal('1.txt');
    expect(await press(el, 'ArrowRight')).to.equal('0.txt');
  });

  it('moves the focus to tiles without a button', async () => {
    const el = await createGrid(createFiles(6));
    el.readOnly = true;
    await waitForPaint(el);
    findRows(el)[0]!.focus();
    expect(await press(el, 'ArrowRight')).to.equal('1.txt');
    expect(focused(el)).to.equal(findRows(el)[1]);
  });

  it('reorders with the arrow keys in both directions', async () => {
    const el = await createGrid(createFiles(7), { reorderable: true });
    await until(() => find(el, '[part=move-button]') !== null);
    find(el, '[part=move-button]').focus();
    await press(el, 'ArrowRight');
    expect(el.uploads.map(({ name }) => name).slice(0, 3)).to.deep.equal(['1.txt', '0.txt', '2.txt']);
    await press(el, 'ArrowDown');
    expect(el.uploads.findIndex(({ name }) => name === '0.txt')).to.equal(6);
    expect(focused(el)!.getAttribute('aria-label')).to.equal('Move 0.txt');
  });

  it('reorders by dragging a move button', async () => {
    const el = await createGrid(createFiles(7), { reorderable: true });
    await until(() => find(el, '[part=move-button]') !== null);
    const at = (index: number) => {
      const { left, top } = findRows(el)[index]!.getBoundingClientRect();
      return { clientX: left + 60, clientY: top + 60, bubbles: true, composed: true, pointerId: 1, buttons: 1 };
    };
    // A pointer created by a test cannot be captured.
    find(el, '[part=list]').setPointerCapture = () => {};
    find(el, '[part=move-button]').dispatchEvent(new PointerEvent('pointerdown', { ...at(0), button: 0 }));
    find(el, '[part=list]').dispatchEvent(new PointerEvent('pointermove', at(2)));
    find(el, '[part=list]').dispatchEvent(new PointerEvent('pointerup', at(2)));
    expect(el.uploads.map(({ name }) => name).slice(0, 3)).to.deep.equal(['1.txt', '2.txt', '0.txt']);
  });

  it('changes into a list and back', async () => {
    const el = await createGrid(createFiles(200));
    await until(() => findRows(el).length < 50);
    el.appearance = 'dropzone';
    await waitForPaint(el);
    expect([find(el, '.tile'), findRows(el).length < 30]).to.deep.equal([null, true]);
    el.appearance = 'grid';
    await until(() => find(el, '.tile') !== null);
    expect(find(el, '.row')).to.equal(null);
  });

  it('works in a width of 280 pixels', async () => {
    const el = await createGrid([createFile('a-very-long-name-that-does-not-fit-anywhere.pdf'), createFile('b.pdf')]);
    el.parentElement!.style.inlineSize = '280px';
    await waitForPaint(el);
    const { right } = el.getBoundingClientRect();
    for (const part of [...findRows(el), ...el.shadowRoot!.querySelectorAll('.words, .actions')])
      expect(part.getBoundingClientRect().right).to.be.at.most(right);
    expect(find(el, '[part=list]').scrollWidth).to.be.at.most(find(el, '[part=list]').clientWidth);
  });
});

describe('the kinds of files', () => {
  it('follow from the extension', () => {
    expect(['a.PDF', 'a.tar.gz', 'a.docx', 'a.csv', 'LICENSE', 'a.unknown'].map(fileKind)).to.deep.equal([
      'pdf',
      'archive',
      'document',
      'sheet',
      'other',
      'other',
    ]);
  });

  it('have colors on which white text can be read', () => {
    for (const [kind, color] of Object.entries(KIND_COLORS)) {
      const rgb = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number];
      expect(contrast(rgb, [255, 255, 255]), kind).to.be.at.least(4.5);
    }
  });
});
