import { expect } from 'chai';
import type { ReactiveControllerHost } from 'lit';
import { Preloader } from '../../../src/element/preloader.js';
import { removeAll, until, createUploader } from './fixture.js';

const loadedModules = () => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
const LAZY_MODULES = ['/src/queue/upload-engine.ts', '/src/element/view/file-area.ts'];

describe('the code that only chosen files need', () => {
  const { requestIdleCallback } = window;
  let idleCallbacks: IdleRequestCallback[] = [];
  beforeEach(() => {
    idleCallbacks = [];
    Object.assign(window, { requestIdleCallback: (callback: IdleRequestCallback) => idleCallbacks.push(callback) });
  });
  afterEach(() => {
    Object.assign(window, { requestIdleCallback });
    delete (navigator as { onLine?: boolean }).onLine;
    delete (navigator as { connection?: unknown }).connection;
    removeAll();
  });

  /** Creates a preloader for an element of the page. */
  function createPreloader() {
    const host = document.body.appendChild(document.createElement('button'));
    let loads = 0;
    const preloader = new Preloader(host as unknown as ReactiveControllerHost & HTMLElement, () => (loads += 1));
    preloader.hostConnected();
    return { host, preloader, countLoads: () => loads };
  }

  it('loads when the person approaches the element', async () => {
    const el = await createUploader();
    expect(loadedModules()).not.to.include.members(LAZY_MODULES);
    el.dispatchEvent(new Event('pointerenter'));
    await until(() => LAZY_MODULES.every((path) => loadedModules().includes(path)));
    expect(loadedModules()).to.include.members(LAZY_MODULES);
  });

  it('includes the tiles of a grid', async () => {
    const tiles = '/src/element/grid/grid-layout.ts';
    const el = await createUploader({ appearance: 'grid' });
    expect(loadedModules()).not.to.include(tiles);
    el.dispatchEvent(new Event('pointerenter'));
    await until(() => loadedModules().includes(tiles));
    expect(loadedModules()).to.include(tiles);
  });

  for (const type of ['pointerenter', 'focusin', 'dragenter', 'click'])
    it(`loads once after ${type}`, () => {
      const { host, countLoads } = createPreloader();
      for (let times = 0; times < 3; times += 1) host.dispatchEvent(new Event(type));
      expect(countLoads()).to.equal(1);
    });

  it('loads when the browser is idle, however often the element is rendered', () => {
    const { preloader, countLoads } = createPreloader();
    for (let times = 0; times < 3; times += 1) preloader.hostUpdated();
    expect([idleCallbacks.length, countLoads()]).to.deep.equal([1, 0]);
    idleCallbacks[0]!({ didTimeout: false, timeRemaining: () => 50 });
    expect(countLoads()).to.equal(1);
  });

  it('loads only when the person approaches if the person asks to save data', () => {
    Object.defineProperty(navigator, 'connection', { configurable: true, value: { saveData: true } });
    const { host, preloader, countLoads } = createPreloader();
    preloader.hostUpdated();
    expect([idleCallbacks.length, countLoads()]).to.deep.equal([0, 0]);
    host.dispatchEvent(new Event('pointerenter'));
    expect(countLoads()).to.equal(1);
  });

  it('loads online only', () => {
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
    const { host, countLoads } = createPreloader();
    host.dispatchEvent(new Event('pointerenter'));
    expect(countLoads()).to.equal(0);
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: true });
    host.dispatchEvent(new Event('pointerenter'));
    expect(countLoads()).to.equal(1);
  });
});
