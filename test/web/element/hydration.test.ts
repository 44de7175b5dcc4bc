import { expect } from 'chai';
import { Suspense, createElement } from 'react';
import type { ReactElement } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { SvcUploader } from '../../../src/element/react.js';
import { until, waitForPaint } from './fixture.js';

/** The element that React has hydrated or rendered; null before. */
let hydrated: Element | null = null;
const PROPS = { name: 'doc', label: 'Documents', className: 'wide', ref: (el: Element | null) => void (hydrated = el) };
const STORAGE = { endpoint: `${location.origin}/storage/store`, token: 'svcup_test' };

/** Markup of a server, upgraded before React comes, and then hydrated. @returns what React reports */
async function collectReports(app: ReactElement): Promise<unknown[]> {
  const reports: unknown[] = [];
  const { error } = console;
  console.error = (...words) => reports.push(words);
  const place = document.body.appendChild(document.createElement('div'));
  try {
    // Not streamed, because React uses byte streams, which WebKitGTK lacks. The markup is the same.
    place.innerHTML = renderToString(app);
    const el = place.querySelector('svc-uploader')!;
    await el.updateComplete;
    const root = hydrateRoot(place, app, { onRecoverableError: (cause) => reports.push(cause) });
    // React hydrates later, and a part of its own later than the rest. An update before that would be reported.
    await until(() => hydrated !== null);
    await waitForPaint(el);
    await waitForPaint(el);
    expect(place.querySelector('svc-uploader'), 'the element of the server').to.equal(el);
    expect([el.name, el.label]).to.deep.equal(['doc', 'Documents']);
    root.unmount();
    return reports;
  } finally {
    console.error = error;
    place.remove();
  }
}

describe('server markup that React hydrates', () => {
  for (const [title, app] of [
    ['the tag', createElement('svc-uploader', { ...PROPS, ...STORAGE })],
    ['the tag with its default appearance', createElement('svc-uploader', { ...PROPS, ...STORAGE, appearance: 'dropzone' })],
    ['the tag as a button', createElement('svc-uploader', { ...PROPS, ...STORAGE, appearance: 'button', multiple: true })],
    ['the component', createElement(SvcUploader, { ...PROPS, ...STORAGE })],
    ['the component in a part of its own', createElement(Suspense, null, createElement(SvcUploader, { ...PROPS, ...STORAGE }))],
    [
      'the component with an input that serves without JavaScript',
      createElement(
        SvcUploader,
        { ...PROPS, ...STORAGE },
        createElement('input', { type: 'file', name: 'doc', required: true }),
        createElement('span', { slot: 'hint' }, 'A hint'),
      ),
    ],
  ] as const)
    it(`matches the element: ${title}`, async () => {
      expect(await collectReports(app)).to.deep.equal([]);
    });
});

describe('the appearance', () => {
  it('is reflected if it is not the default', async () => {
    const el = document.body.appendChild(document.createElement('svc-uploader'));
    await el.updateComplete;
    expect(el.hasAttribute('appearance')).to.equal(false);
    for (const appearance of ['button', 'dropzone', 'inline'] as const) {
      el.appearance = appearance;
      await el.updateComplete;
      expect(el.getAttribute('appearance')).to.equal(appearance);
    }
    el.removeAttribute('appearance');
    await el.updateComplete;
    expect([el.appearance, el.hasAttribute('appearance')]).to.deep.equal(['dropzone', false]);
    el.remove();
  });
});
