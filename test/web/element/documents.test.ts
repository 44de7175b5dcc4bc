// Every browser: engines adopt custom elements into documents differently.
import { expect } from 'chai';
import { createFile, find, waitForPaint, removeAll, findRows, until, createUploader } from './fixture.js';

describe('another document', () => {
  afterEach(removeAll);

  it('and back keep the look of the element and its move buttons', async () => {
    const el = await createUploader({ multiple: true, manual: true, reorderable: true });
    await el.addFiles([createFile('a.pdf'), createFile('b.pdf')]);
    await until(() => find(el, '[part=move-button]') !== null);
    const look = () => {
      const { fontSize, borderTopStyle } = getComputedStyle(find(el, '.zone'));
      return [fontSize, borderTopStyle, getComputedStyle(find(el, '[part=move-button]')).touchAction];
    };
    const before = look();
    expect(before[1]).to.equal('dashed');
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.width = '600';
    const otherDocument = frame.contentDocument!;
    otherDocument.body.append(el);
    await waitForPaint(el);
    expect(look(), 'there').to.deep.equal(before);
    document.body.append(el);
    await waitForPaint(el);
    expect(look(), 'back').to.deep.equal(before);
    // A document without a window has no computed styles.
    document.implementation.createHTMLDocument().body.append(el);
  });

  it('can show an element that was created in it, and load move buttons', async () => {
    const before = getComputedStyle(find(await createUploader(), '.zone')).borderTopStyle;
    expect(before).to.equal('dashed');
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.width = '600';
    const otherDocument = frame.contentDocument!;
    const el = await createUploader({ multiple: true, manual: true, reorderable: true }, { parent: otherDocument.body });
    expect(getComputedStyle(find(el, '.zone')).borderTopStyle).to.equal(before);
    await el.addFiles([createFile('a.pdf'), createFile('b.pdf')]);
    await until(() => find(el, '[part=move-button]') !== null);
    expect(getComputedStyle(find(el, '[part=move-button]')).touchAction).to.equal('none');
    document.body.append(el);
    await waitForPaint(el);
    expect(getComputedStyle(find(el, '[part=move-button]')).touchAction, 'back').to.equal('none');
  });
});

describe('the frames of a window', () => {
  const { requestAnimationFrame } = window;
  afterEach(() => {
    window.requestAnimationFrame = requestAnimationFrame;
    removeAll();
  });

  it('are those of the window that shows the element, because the first one may be hidden', async () => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.width = '600';
    const otherBody = frame.contentDocument!.body;
    window.requestAnimationFrame = () => 0;
    otherBody.style.accentColor = 'rgb(1, 2, 3)';
    const el = await createUploader({ multiple: true, manual: true }, { parent: otherBody });
    await el.addFiles([createFile('a.pdf')]);
    await until(() => findRows(el).length === 1);
    expect(findRows(el)).to.have.length(1);
    const accent = () => find(el, '.root').style.getPropertyValue('--_page-accent');
    await until(() => accent() !== '');
    expect(accent()).to.equal('rgb(1, 2, 3)');
    // A render that was scheduled in the other window happens in this one.
    window.requestAnimationFrame = requestAnimationFrame;
    frame.contentWindow!.requestAnimationFrame = () => 0;
    void el.addFiles([createFile('b.pdf')]);
    document.body.append(el);
    await waitForPaint(el);
    expect(findRows(el)).to.have.length(2);
    void el.addFiles([createFile('c.pdf')]);
    await until(() => findRows(el).length === 3);
    expect(findRows(el)).to.have.length(3);
  });
});

describe('an unsupported browser', () => {
  afterEach(() => document.body.replaceChildren());

  it('keeps the native input inside the element, and logs why', async () => {
    const frame = document.createElement('iframe');
    frame.src = '/test/web/element/unsupported-browser.html';
    document.body.append(frame);
    await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    const page = frame.contentWindow as Window & typeof globalThis & { loaded: Promise<unknown>; warnings: string[] };
    await page.loaded;
    expect(page.customElements.get('svc-uploader')).to.equal(undefined);
    expect(page.warnings).to.deep.equal(['<svc-uploader>: this browser is too old. It lacks the CSS selector :state().']);
    const input = page.document.querySelector('input')!;
    expect(input.disabled || input.hidden).to.equal(false);
    const transfer = new page.DataTransfer();
    transfer.items.add(new page.File(['x'], 'a.pdf'));
    input.files = transfer.files;
    expect((new page.FormData(page.document.forms[0]!).get('doc') as File).name).to.equal('a.pdf');
  });
});
