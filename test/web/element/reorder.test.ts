import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import {
  createFile,
  find,
  once,
  waitForPaint,
  removeAll,
  findRows,
  readFormEntries,
  readTexts,
  until,
  createUploader,
} from './fixture.js';

const NAMES = ['a.pdf', 'b.pdf', 'c.pdf'];
const findMoveButtons = (el: SvcUploader) => [...el.shadowRoot!.querySelectorAll<HTMLElement>('[part="move-button"]')];
const readAnnouncement = (el: SvcUploader) => find(el, '[role=status]').textContent;

async function createList(attributes = {}): Promise<{ el: SvcUploader; form: HTMLFormElement }> {
  const form = document.body.appendChild(document.createElement('form'));
  const el = await createUploader({ name: 'doc', multiple: true, reorderable: true, ...attributes }, { parent: form });
  const complete = once(el, 'svc-complete');
  await el.addFiles(NAMES.map((name) => createFile(name)));
  await complete;
  while (findMoveButtons(el).length < 3) await waitForPaint(el);
  return { el, form };
}

function press(el: SvcUploader, key: string): void {
  el.shadowRoot!.activeElement!.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }),
  );
}

describe('reordering files', () => {
  afterEach(removeAll);

  it('works with arrow keys, keeps the focus on the file, and announces its position', async () => {
    const { el, form } = await createList();
    let changes = 0;
    el.addEventListener('change', () => (changes += 1));
    findMoveButtons(el)[0]!.focus();
    press(el, 'ArrowDown');
    await waitForPaint(el);
    expect(readTexts(el, 'name')).to.deep.equal(['b.pdf', 'a.pdf', 'c.pdf']);
    expect(el.shadowRoot!.activeElement).to.equal(findMoveButtons(el)[1]);
    press(el, 'End');
    await waitForPaint(el);
    expect(readFormEntries(form, 'doc')).to.deep.equal(['docs/b.pdf', 'docs/c.pdf', 'docs/a.pdf']);
    expect(changes).to.equal(2);
    // On a slow machine the added files are announced separately first.
    while (!readAnnouncement(el).includes('moved to position')) await waitForPaint(el);
    expect(readAnnouncement(el)).to.include('a.pdf moved to position 3 of 3.');
    press(el, 'ArrowDown');
    expect(changes, 'there is no further').to.equal(2);
  });

  it('works without dragging, with a click on the file and one on its target', async () => {
    const { el } = await createList();
    findMoveButtons(el)[2]!.click();
    await waitForPaint(el);
    expect(findMoveButtons(el)[2]!.getAttribute('aria-pressed')).to.equal('true');
    findMoveButtons(el)[0]!.click();
    await waitForPaint(el);
    expect(readTexts(el, 'name')).to.deep.equal(['c.pdf', 'a.pdf', 'b.pdf']);
    expect(findMoveButtons(el).every((grip) => grip.getAttribute('aria-pressed') === 'false')).to.equal(true);
  });

  it('works by dragging a move button', async () => {
    const { el } = await createList();
    const at = (row: number) => {
      const { left, top, height } = findRows(el)[row]!.getBoundingClientRect();
      return { clientX: left + 30, clientY: top + height / 2, bubbles: true, composed: true, pointerId: 1, buttons: 1 };
    };
    // A pointer created by a test cannot be captured.
    find(el, '[part=list]').setPointerCapture = () => {};
    findMoveButtons(el)[0]!.dispatchEvent(new PointerEvent('pointerdown', { ...at(0), button: 0 }));
    for (const row of [1, 2]) {
      find(el, '[part=list]').dispatchEvent(new PointerEvent('pointermove', at(row)));
      await waitForPaint(el);
    }
    find(el, '[part=list]').dispatchEvent(new PointerEvent('pointerup', at(2)));
    await waitForPaint(el);
    expect(readTexts(el, 'name')).to.deep.equal(['b.pdf', 'c.pdf', 'a.pdf']);
    expect(findRows(el).some((row) => row.hasAttribute('data-lifted'))).to.equal(false);
  });

  it('ignores a pointer that was released outside', async () => {
    const { el } = await createList();
    const { left, top } = findRows(el)[0]!.getBoundingClientRect();
    const at = { clientX: left + 30, clientY: top + 5, bubbles: true, composed: true, pointerId: 1 };
    findMoveButtons(el)[0]!.dispatchEvent(new PointerEvent('pointerdown', { ...at, button: 0, buttons: 1 }));
    const over = findRows(el)[2]!.getBoundingClientRect();
    find(el, '[part=list]').dispatchEvent(new PointerEvent('pointermove', { ...at, clientY: over.top + 5, buttons: 0 }));
    await waitForPaint(el);
    expect(readTexts(el, 'name')).to.deep.equal(['a.pdf', 'b.pdf', 'c.pdf']);
  });

  it('is not offered without the attribute, or in a disabled or read-only element', async () => {
    const { el } = await createList();
    el.disabled = true;
    await waitForPaint(el);
    expect(findMoveButtons(el)).to.deep.equal([]);
    el.disabled = false;
    el.reorderable = false;
    await waitForPaint(el);
    expect(findMoveButtons(el)).to.deep.equal([]);
    // A single file cannot be reordered, even beside a refused one.
    el.reorderable = true;
    await waitForPaint(el);
    expect(findMoveButtons(el)).to.have.length(3);
    el.multiple = false;
    await waitForPaint(el);
    expect(findMoveButtons(el)).to.deep.equal([]);
  });

  it('stops at the ends of the list, and announces the position', async () => {
    const el = await createUploader({ multiple: true, manual: true });
    await el.addFiles([createFile('a.txt'), createFile('b.txt'), createFile('c.txt')]);
    const order = () => el.uploads.map(({ name }) => name.at(0)).join('');
    const announcement = () => find(el, '[role=status]').textContent!.trim();
    for (const [to, expected, place] of [
      [99, 'bca', 3],
      [-1, 'abc', 1],
      [Number.NaN, 'abc', 1],
      [1.7, 'bac', 2],
    ] as const) {
      el.move(el.uploads.find(({ name }) => name === 'a.txt')!.id, to);
      expect(order()).to.equal(expected);
      const text = `a.txt moved to position ${place} of 3.`;
      await until(() => announcement().endsWith(text));
      expect(announcement().endsWith(text), announcement()).to.equal(true);
    }
  });
});
