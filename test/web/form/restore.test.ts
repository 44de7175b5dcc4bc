import { expect } from 'chai';
import type { SvcUploader } from '../../../src/uploader/index.js';
import { file } from '../uploader/fixture.js';

const PAGE = '/test/web/form/restore.html';

/** A page of its own, which can be left and come back to. */
async function frame(): Promise<HTMLIFrameElement> {
  const frame = document.createElement('iframe');
  frame.src = PAGE;
  document.body.append(frame);
  await loaded(frame);
  return frame;
}

const loaded = (frame: HTMLIFrameElement) => new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));

async function element(frame: HTMLIFrameElement): Promise<SvcUploader> {
  const page = frame.contentWindow as Window & typeof globalThis;
  await page.customElements.whenDefined('svc-uploader');
  const el = page.document.querySelector('svc-uploader')!;
  el.endpoint = `${location.origin}/storage/store`;
  await el.updateComplete;
  return el;
}

const sent = (frame: HTMLIFrameElement) => new FormData(frame.contentDocument!.querySelector('form')!).getAll('doc');

async function filled(frame: HTMLIFrameElement): Promise<void> {
  const el = await element(frame);
  const complete = new Promise((resolve) => el.addEventListener('svc-complete', resolve, { once: true }));
  await el.addFiles([file('a.pdf', 300_000), file('b.pdf', 300_000)]);
  await complete;
  expect(sent(frame)).to.deep.equal(['docs/a.pdf', 'docs/b.pdf']);
}

/** Custom elements get their state back a moment after they are defined. */
async function restored(frame: HTMLIFrameElement): Promise<FormDataEntryValue[]> {
  const el = await element(frame);
  for (let turn = 0; turn < 50 && el.uploads.length === 0; turn += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  return sent(frame);
}

describe('leaving the page', () => {
  afterEach(() => document.body.replaceChildren());

  it('keeps finished uploads over a reload', async () => {
    const page = await frame();
    await filled(page);
    const again = loaded(page);
    page.contentWindow!.location.reload();
    await again;
    expect(await restored(page)).to.deep.equal(['docs/a.pdf', 'docs/b.pdf']);
    expect((await element(page)).uploads.map(({ name, state }) => [name, state.status])).to.deep.equal([
      ['a.pdf', 'done'],
      ['b.pdf', 'done'],
    ]);
  });

  it('gives finished uploads back after Back', async () => {
    const page = await frame();
    await filled(page);
    let there = loaded(page);
    page.contentWindow!.location.href = '/test/web/form/restore.html?elsewhere';
    await there;
    there = loaded(page);
    page.contentWindow!.history.back();
    await there;
    expect(page.contentWindow!.location.search).to.equal('');
    expect(await restored(page)).to.deep.equal(['docs/a.pdf', 'docs/b.pdf']);
  });
});
