import { expect } from 'chai';
import { StrictMode, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import type { Root } from 'react-dom/client';
import { SvcUploader } from '../../../src/element/react.js';
import type { SvcUploaderProps } from '../../../src/element/react.js';
import type { SvcUploader as UploaderElement } from '../../../src/element/svc-uploader.js';
import { createFile, once, waitForPaint } from './fixture.js';

describe('the React wrapper', () => {
  let place: HTMLElement;
  let root: Root;
  beforeEach(() => {
    place = document.body.appendChild(document.createElement('div'));
    root = createRoot(place);
  });
  afterEach(() => {
    root.unmount();
    place.remove();
  });

  async function renderProps(props: SvcUploaderProps): Promise<UploaderElement> {
    const storage = { endpoint: `${location.origin}/storage/store`, token: 'svcup_test' };
    const element = await new Promise<UploaderElement>((resolve) => {
      const ref = (found: UploaderElement | null) => void (found && resolve(found));
      root.render(createElement(StrictMode, null, createElement(SvcUploader, { ...storage, ...props, ref })));
    });
    await waitForPaint(element);
    return element;
  }

  it('passes props to properties, and the rest to the element', async () => {
    const tokenProvider = async () => 'svcup_test';
    const el = await renderProps({ name: 'doc', multiple: true, maxSize: 2000, tokenProvider, className: 'wide', id: 'here' });
    expect(el).to.be.instanceOf(customElements.get('svc-uploader'));
    expect([el.name, el.multiple, el.maxSize, el.tokenProvider]).to.deep.equal(['doc', true, 2000, tokenProvider]);
    expect([el.className, el.id]).to.deep.equal(['wide', 'here']);
  });

  it('resets props that are no longer set', async () => {
    const el = await renderProps({ label: 'Photos', maxSize: '1kB', appearance: 'inline', required: true, name: 'photo' });
    await renderProps({ label: undefined, required: undefined, name: undefined });
    expect([el.label, el.maxSize, el.appearance, el.required, el.name]).to.deep.equal(['', null, 'dropzone', false, '']);
    expect(el.checkValidity()).to.equal(true);
  });

  it('calls only the newest listener', async () => {
    const paths: string[] = [];
    const stale: string[] = [];
    let changes = 0;
    await renderProps({ onSvcUploadSuccess: ({ detail }) => stale.push(detail.record.path) });
    const el = await renderProps({
      onSvcUploadSuccess: ({ detail, currentTarget }) => paths.push(detail.record.path, currentTarget.value),
      onChange: () => (changes += 1),
    });
    const complete = once(el, 'svc-complete');
    await el.addFiles([createFile('a.pdf')]);
    await complete;
    expect(paths).to.deep.equal(['docs/a.pdf', 'docs/a.pdf']);
    expect(stale).to.deep.equal([]);
    expect(changes).to.be.greaterThan(0);
  });
});
