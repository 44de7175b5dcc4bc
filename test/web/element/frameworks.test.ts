import { expect } from 'chai';
import { StrictMode, createElement, useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { flushSync, mount, unmount } from 'svelte';
import { KeepAlive, createApp, defineComponent, h, nextTick, ref } from 'vue';
import type { SvcUploader } from '../../../src/element/index.js';
import { SvcUploader as Uploader } from '../../../src/element/react.js';
import Fading from './transition.svelte';
import { createFile, waitForPaint, removeAll, findRows, readFormEntries, until } from './fixture.js';
import { watchListeners } from './watch-listeners.js';

const attributesFor = (storage: string) => ({
  name: 'doc',
  multiple: true,
  endpoint: `${location.origin}/storage/${storage}`,
  token: 'svcup_test',
});
const listStatuses = (el: SvcUploader): string[] => el.uploads.map(({ state }) => state.status);
const waitForAll = async (el: SvcUploader, status: string): Promise<void> => {
  await until(() => listStatuses(el).every((one) => one === status));
  expect(new Set(listStatuses(el))).to.deep.equal(new Set([status]));
};

describe('Vue keep-alive', () => {
  afterEach(removeAll);

  /** Renders a form in which a component with the element is shown or kept alive. */
  function mountKeptElement(storage: string) {
    const place = document.body.appendChild(document.createElement('form'));
    const isShown = ref(true);
    const page = defineComponent({ render: () => h('svc-uploader', attributesFor(storage)) });
    const app = createApp({ render: () => h(KeepAlive, null, () => (isShown.value ? h(page) : null)) });
    app.mount(place);
    const show = async (value: boolean): Promise<void> => {
      isShown.value = value;
      await nextTick();
    };
    return { place, app, show, el: place.querySelector('svc-uploader')! };
  }

  it('restores the element with its files, and finishes running uploads', async () => {
    const { place, app, show, el } = mountKeptElement('slow');
    await el.addFiles([createFile('a.bin', 400_000), createFile('b.bin', 400_000)]);
    await until(() => listStatuses(el).includes('uploading'));
    await show(false);
    expect(place.querySelector('svc-uploader')).to.equal(null);
    expect(readFormEntries(place, 'doc')).to.deep.equal([]);
    await waitForAll(el, 'paused');
    await show(true);
    expect(place.querySelector('svc-uploader')).to.equal(el);
    await waitForAll(el, 'done');
    expect(readFormEntries(place, 'doc')).to.deep.equal(['docs/a.bin', 'docs/b.bin']);
    await waitForPaint(el);
    expect(findRows(el)).to.have.length(2);
    app.unmount();
  });

  it('restores stored files with rows and value, however often', async () => {
    const { place, app, show, el } = mountKeptElement('store');
    await el.addFiles([createFile('a.bin', 400_000)]);
    await waitForAll(el, 'done');
    for (let turn = 0; turn < 3; turn++) {
      await show(false);
      await show(true);
    }
    await waitForPaint(el);
    expect(findRows(el)).to.have.length(1);
    expect(readFormEntries(place, 'doc')).to.deep.equal(['docs/a.bin']);
    app.unmount();
  });

  it('leaves no listener while the element is kept', async () => {
    const listeners = watchListeners();
    try {
      const { app, show, el } = mountKeptElement('hang');
      await el.addFiles([createFile('a.bin', 400_000)]);
      await until(() => listStatuses(el).includes('uploading'));
      await show(false);
      await until(() => listeners.left().length === 0);
      expect(listeners.left()).to.deep.equal([]);
      app.unmount();
    } finally {
      listeners.stop();
    }
  });
});

describe('a Svelte transition', () => {
  afterEach(removeAll);

  function mountFadingElement(storage: string, duration: number) {
    const form = document.body.appendChild(document.createElement('form'));
    const app = mount(Fading, { target: form, props: { attributes: attributesFor(storage), duration } }) as {
      show(value: boolean): void;
    };
    const show = (value: boolean): void => flushSync(() => app.show(value));
    return { form, app, show, el: form.querySelector('svc-uploader')! };
  }

  it('lets the element continue while it fades out, and then releases it', async () => {
    const listeners = watchListeners();
    try {
      const { form, app, show, el } = mountFadingElement('hang', 300);
      await el.addFiles([createFile('a.bin', 400_000)]);
      await until(() => listStatuses(el).includes('uploading'));
      show(false);
      await waitForPaint(el);
      expect(el.isConnected, 'while it fades').to.equal(true);
      expect(listStatuses(el)).to.deep.equal(['uploading']);
      await until(() => !el.isConnected);
      expect(form.querySelector('svc-uploader')).to.equal(null);
      await waitForAll(el, 'paused');
      await until(() => listeners.left().length === 0);
      expect(listeners.left()).to.deep.equal([]);
      await unmount(app);
    } finally {
      listeners.stop();
    }
  });

  it('that is reversed keeps the element and its files', async () => {
    const { form, app, show, el } = mountFadingElement('slow', 2000);
    await el.addFiles([createFile('a.bin', 400_000)]);
    await until(() => listStatuses(el).includes('uploading'));
    show(false);
    await waitForPaint(el);
    show(true);
    expect(form.querySelector('svc-uploader')).to.equal(el);
    await waitForAll(el, 'done');
    expect(readFormEntries(form, 'doc')).to.deep.equal(['docs/a.bin']);
    await unmount(app);
  });
});

describe('React in strict mode', () => {
  afterEach(removeAll);

  it('mounts twice, but uploads a file of an effect once and reports it once', async () => {
    const place = document.body.appendChild(document.createElement('form'));
    const events: string[] = [];
    let effects = 0;
    const Page = () => {
      const el = useRef<SvcUploader>(null);
      useEffect(() => {
        effects += 1;
        void el.current!.addFiles([createFile('a.bin', 400_000)]);
        const current = el.current!;
        return () => current.clear();
      }, []);
      const onSvcUploadSuccess = ({ detail }: HTMLElementEventMap['svc-upload-success']) => void events.push(detail.record.path);
      return createElement(Uploader, { ...attributesFor('store'), ref: el, onSvcUploadSuccess });
    };
    const root = createRoot(place);
    root.render(createElement(StrictMode, null, createElement(Page)));
    await until(() => events.length > 0);
    const el = place.querySelector('svc-uploader')!;
    await waitForPaint(el);
    expect(effects).to.equal(2);
    expect(events).to.deep.equal(['docs/a.bin']);
    expect(findRows(el)).to.have.length(1);
    expect(readFormEntries(place, 'doc')).to.deep.equal(['docs/a.bin']);
    root.unmount();
  });
});
