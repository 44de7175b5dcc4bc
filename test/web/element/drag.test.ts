// Every browser: engines report dragged files differently.
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { createFile, find, once, waitForPaint, removeAll, readTexts, createUploader } from './fixture.js';

/** One of a drag's events, where it happens. @returns what the drop would be, where files may be dropped. */
function drag(type: string, target: Element, holds = 'Files', relatedTarget: Element | null = null): string {
  // Events as browsers fire them: moves inside the element stay inside its shadow tree.
  const event = new MouseEvent(type, { bubbles: true, cancelable: true, composed: true, relatedTarget });
  // In Chromium, a DataTransfer created by a script ignores `dropEffect`.
  const dataTransfer = { types: [holds], dropEffect: '' };
  Object.defineProperty(event, 'dataTransfer', { value: dataTransfer });
  target.dispatchEvent(event);
  return event.defaultPrevented ? dataTransfer.dropEffect : 'left to the page';
}

const isDragging = async (el: SvcUploader): Promise<boolean> => {
  await waitForPaint(el);
  return el.matches(':state(dragging)');
};

describe('dragged files', () => {
  afterEach(removeAll);

  it('set no state after they leave, if they cross several parts of the element', async () => {
    const el = await createUploader();
    const [zone, button] = [find(el, '.zone'), find(el, '.pick')];
    drag('dragenter', zone);
    drag('dragenter', button);
    drag('dragleave', zone);
    expect(await isDragging(el)).to.equal(true);
    drag('dragenter', document.body);
    drag('dragleave', button);
    expect(await isDragging(el)).to.equal(false);
  });

  it('set no state after they leave, if they move between parts inside the shadow tree', async () => {
    const el = await createUploader();
    const [zone, button, words] = ['.zone', '.pick', '.drop-words'].map((one) => find(el, one));
    drag('dragenter', zone!, 'Files', document.body);
    drag('dragenter', button!, 'Files', zone);
    drag('dragleave', zone!, 'Files', button);
    drag('dragenter', words!, 'Files', button);
    drag('dragleave', button!, 'Files', words);
    expect(await isDragging(el)).to.equal(true);
    drag('dragenter', document.body, 'Files', words);
    drag('dragleave', words!, 'Files', document.body);
    expect(await isDragging(el)).to.equal(false);
  });

  it('set no state on an element that is removed and comes back', async () => {
    const el = await createUploader();
    drag('dragenter', find(el, '.zone'));
    expect(await isDragging(el)).to.equal(true);
    el.remove();
    document.body.append(el);
    expect(await isDragging(el)).to.equal(false);
  });

  it('keep the single file beside the button visible after they leave', async () => {
    const el = await createUploader({ appearance: 'inline' });
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('there.txt')]);
    await complete;
    await waitForPaint(el);
    const name = find(el, '[part=name]');
    drag('dragenter', name);
    expect(await isDragging(el)).to.equal(true);
    expect(readTexts(el, 'dropzone')[0]).to.include('Drop to add');
    expect(find(el, '[part=file]').checkVisibility()).to.equal(false);
    drag('dragenter', document.body);
    drag('dragleave', name);
    expect(await isDragging(el)).to.equal(false);
    expect(find(el, '[part=file]').checkVisibility()).to.equal(true);
  });

  it('are copied, and refused by a disabled element, while text is ignored', async () => {
    const el = await createUploader();
    expect(drag('dragover', el)).to.equal('copy');
    expect(drag('dragover', el, 'text/plain')).to.equal('left to the page');
    drag('dragenter', el, 'text/plain');
    expect(await isDragging(el)).to.equal(false);
    el.disabled = true;
    expect(drag('dragover', el)).to.equal('none');
    drag('dragenter', el);
    expect(await isDragging(el)).to.equal(false);
  });
});
