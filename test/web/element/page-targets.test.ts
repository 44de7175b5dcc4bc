// Every browser: engines report dragged and pasted files differently.
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, find, waitForPaint, removeAll, until, createUploader } from './fixture.js';
import type { Attributes } from './fixture.js';

/** Fires a drag event with a file. @returns the drop effect, or `left to the page` */
function drag(type: string, target: EventTarget, types: readonly string[] = ['Files']): string {
  const event = new MouseEvent(type, { bubbles: true, cancelable: true, composed: true });
  const file = createFile('dropped.txt');
  const dataTransfer = { types, dropEffect: '', files: [file], items: [] };
  Object.defineProperty(event, 'dataTransfer', { value: dataTransfer });
  target.dispatchEvent(event);
  return event.defaultPrevented ? dataTransfer.dropEffect : 'left to the page';
}

/** Pastes a file. @returns whether an element took it */
function paste(target: EventTarget, types: readonly string[] = ['Files'], files = [createFile('pasted.txt')]): boolean {
  const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, composed: true });
  Object.defineProperty(event, 'clipboardData', { value: { types, files } });
  target.dispatchEvent(event);
  return event.defaultPrevented;
}

const names = (el: SvcUploader) => el.uploads.map(({ name }) => name);
const isHighlighted = (el: SvcUploader) => el.matches(':state(dragging)');

/** Waits until the code of the targets has loaded: a drag over a place is not left to the page. */
const untilReady = (place: EventTarget) => until(() => drag('dragover', place) !== 'left to the page');

const create = (attributes: Attributes, parent: Element = document.body) =>
  createUploader({ manual: true, multiple: true, ...attributes }, { parent });

describe('drop-target', () => {
  afterEach(() => {
    drag('drop', document, ['text/plain']);
    removeAll();
  });

  const createPanel = () => document.body.appendChild(Object.assign(document.createElement('section'), { id: 'panel' }));

  it('takes files that are dropped anywhere on the page, and highlights the element meanwhile', async () => {
    const panel = createPanel();
    const el = await create({ 'drop-target': 'page' });
    await untilReady(panel);
    drag('dragenter', panel);
    await waitForPaint(el);
    expect(isHighlighted(el)).to.equal(true);
    expect(find(el, '.root').classList.contains('dragging')).to.equal(true);
    drag('dragleave', panel);
    await waitForPaint(el);
    expect(isHighlighted(el), 'after the files left the window').to.equal(false);
    expect(drag('dragover', panel)).to.equal('copy');
    drag('drop', panel);
    await until(() => el.uploads.length > 0);
    await waitForPaint(el);
    expect([names(el), isHighlighted(el)]).to.deep.equal([['dropped.txt'], false]);
  });

  it('keeps the highlight while files move from the target over the element', async () => {
    const el = await create({ 'drop-target': 'page' });
    await untilReady(document.body);
    drag('dragenter', document.body);
    drag('dragenter', find(el, '.zone'));
    drag('dragleave', document.body);
    await waitForPaint(el);
    expect(isHighlighted(el)).to.equal(true);
    drag('dragenter', document.body);
    drag('dragleave', find(el, '.zone'));
    await waitForPaint(el);
    expect(isHighlighted(el)).to.equal(true);
    drag('dragleave', document.body);
    await waitForPaint(el);
    expect(isHighlighted(el)).to.equal(false);
  });

  it('takes a dropped file once if the file is dropped on the element', async () => {
    const el = await create({ 'drop-target': 'page' });
    await untilReady(document.body);
    drag('drop', find(el, '.zone'));
    await until(() => el.uploads.length > 0);
    await waitForPaint(el);
    expect(names(el)).to.deep.equal(['dropped.txt']);
  });

  it('gives the files to one of several elements: that with the innermost target, then the first', async () => {
    const panel = createPanel();
    const first = await create({ 'drop-target': 'page' });
    const second = await create({ 'drop-target': 'page' });
    const inner = await create({ 'drop-target': '#panel' });
    await untilReady(panel);
    await until(() => {
      drag('dragover', panel);
      return isHighlighted(inner);
    });
    drag('drop', panel);
    drag('drop', document.body);
    await until(() => first.uploads.length > 0 && inner.uploads.length > 0);
    expect([first, second, inner].map((el) => el.uploads.length)).to.deep.equal([1, 0, 1]);
    first.disabled = true;
    drag('drop', document.body);
    await until(() => second.uploads.length > 0);
    first.remove();
    second.remove();
    expect(drag('dragover', document.body), 'no element has this target any more').to.equal('left to the page');
  });

  it('gives the files to the first of equal elements in the document, and to the next one after it left', async () => {
    const first = await create({ 'drop-target': 'page' });
    const second = await create({ 'drop-target': 'page' });
    await untilReady(document.body);
    first.before(second);
    // Each element loads the code of its targets by itself.
    await until(() => {
      drag('dragover', document.body);
      return isHighlighted(second);
    });
    drag('drop', document.body);
    await until(() => first.uploads.length + second.uploads.length > 0);
    expect([first, second].map((el) => el.uploads.length)).to.deep.equal([0, 1]);
    drag('dragenter', document.body);
    await waitForPaint(second);
    expect(isHighlighted(second)).to.equal(true);
    second.remove();
    await second.updateComplete;
    expect(isHighlighted(second), 'it left the document').to.equal(false);
    expect(drag('dragover', document.body)).to.equal('copy');
    drag('drop', document.body);
    await until(() => first.uploads.length > 0);
    expect([first, second].map((el) => el.uploads.length)).to.deep.equal([1, 1]);
  });

  it('takes no files outside of the selector, no text, and none that the page handles', async () => {
    const panel = createPanel();
    const other = document.body.appendChild(document.createElement('div'));
    const input = panel.appendChild(Object.assign(document.createElement('input'), { type: 'file' }));
    const el = await create({ 'drop-target': '#panel' });
    await untilReady(panel);
    expect(drag('dragover', other)).to.equal('left to the page');
    expect(drag('dragover', input)).to.equal('left to the page');
    expect(drag('dragover', panel, ['text/plain'])).to.equal('left to the page');
    for (const place of [other, input]) drag('drop', place);
    for (const type of ['dragover', 'drop']) panel.addEventListener(type, (event) => event.preventDefault());
    expect(drag('dragover', panel), 'the page sets the effect').to.equal('');
    drag('drop', panel);
    await waitForPaint(el);
    expect([names(el), isHighlighted(el)]).to.deep.equal([[], false]);
  });

  it('keeps the browser from opening files that a disabled or hidden element does not take', async () => {
    const el = await create({ 'drop-target': 'page' });
    await untilReady(document.body);
    el.disabled = true;
    expect(drag('dragover', document.body)).to.equal('none');
    el.disabled = false;
    el.style.display = 'none';
    expect(drag('dragover', document.body)).to.equal('none');
    drag('drop', document.body);
    await waitForPaint(el);
    expect(names(el)).to.deep.equal([]);
  });

  it('reports once what is no selector', async () => {
    const { warn } = console;
    const warnings: unknown[] = [];
    console.warn = (text: unknown) => warnings.push(text);
    try {
      const el = await create({ 'drop-target': '..' });
      await until(() => {
        drag('dragover', document.body);
        return warnings.length > 0;
      });
      drag('dragover', document.body);
      expect(warnings).to.deep.equal(['<svc-uploader>: drop-target=".." cannot be used. Write "page" or a CSS selector.']);
      expect(isHighlighted(el)).to.equal(false);
    } finally {
      console.warn = warn;
    }
  });
});

describe('paste-target', () => {
  afterEach(removeAll);

  it('takes files that are pasted on the page, except text for a field', async () => {
    const el = await create({ 'paste-target': 'page' });
    const second = await create({ 'paste-target': 'page' });
    const field = document.body.appendChild(document.createElement('textarea'));
    const editor = document.body.appendChild(Object.assign(document.createElement('div'), { contentEditable: 'true' }));
    await until(() => paste(document.body));
    expect(paste(field, ['Files', 'text/plain'])).to.equal(false);
    expect(paste(editor)).to.equal(false);
    expect([names(el), names(second)]).to.deep.equal([['pasted.txt'], []]);
    expect(drag('dragover', document.body), 'it is no drop target').to.equal('left to the page');
    el.clear();
    expect(paste(field), 'a field does nothing with a file').to.equal(true);
    expect(names(el)).to.deep.equal(['pasted.txt']);
  });

  it('takes no text, and no files that the page or another control handles', async () => {
    const panel = document.body.appendChild(document.createElement('section'));
    const input = document.body.appendChild(Object.assign(document.createElement('input'), { type: 'file' }));
    const el = await create({ 'paste-target': 'page' });
    await until(() => paste(document.body));
    el.clear();
    expect(paste(document.body, ['text/plain'], []), 'nothing but text').to.equal(false);
    expect(paste(input), 'a file input').to.equal(false);
    panel.addEventListener('paste', (event) => event.preventDefault());
    paste(panel);
    expect(names(el)).to.deep.equal([]);
  });

  it('takes no files by default', async () => {
    const el = await create({});
    for (let paint = 0; paint < 5; paint++) await waitForPaint(el);
    expect([paste(document.body), drag('dragover', document.body)]).to.deep.equal([false, 'left to the page']);
  });
});
