import axe from 'axe-core';
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { canRecord, DeviceWatch, hasDevices, untilSourcesLoaded } from './fake-devices.js';
import { createUploader, find, removeAll, until } from './fixture.js';

const buttonWith = (el: SvcUploader, text: string) =>
  [...el.shadowRoot!.querySelectorAll<HTMLElement>('.act')].find((one) => one.textContent!.trim() === text);

/** Returns whether the first picture is there, and a running recording has lasted a second. */
const hasContent = (el: SvcUploader) =>
  find<HTMLVideoElement>(el, '.stage video')?.videoWidth !== 0 && find(el, '.source-timer')?.textContent !== '0:00';

/** Presses a button as soon as it is there. */
async function press(el: SvcUploader, text: string): Promise<void> {
  await until(() => buttonWith(el, text) !== undefined && hasContent(el));
  buttonWith(el, text)!.click();
}

/** Each state: the entry of the menu, the buttons that are pressed, and a text or an element that the state shows. */
const STATES: Record<string, { entry?: string; buttons?: string[]; shows: string; refuse?: string }> = {
  menu: { shows: '.source-menu:popover-open' },
  'live picture': { entry: 'Take a photo', shows: '.stage video' },
  photo: { entry: 'Take a photo', buttons: ['Take photo'], shows: '.stage canvas' },
  'refused camera': { entry: 'Take a photo', refuse: 'NotAllowedError', shows: '.source-problem:not([hidden])' },
  'running video': { entry: 'Record a video', buttons: ['Record'], shows: '.source-timer' },
  'level of a microphone': { entry: 'Record sound', shows: '.stage canvas' },
  'recorded sound': { entry: 'Record sound', buttons: ['Record', 'Stop'], shows: '.stage audio' },
  'screen before it is chosen': { entry: 'Record the screen', shows: '.source-check' },
  'bar of a screen': { entry: 'Record the screen', buttons: ['Choose what to record'], shows: '.source-bar' },
};

describe('the accessibility of the sources', () => {
  let devices: DeviceWatch;
  before(async function () {
    if (!canRecord || !(await hasDevices('videoinput')) || !(await hasDevices('audioinput'))) this.skip();
  });
  beforeEach(() => {
    document.documentElement.lang = 'en';
    devices = new DeviceWatch();
  });
  afterEach(() => {
    removeAll();
    devices.restore();
  });

  for (const [name, { entry, buttons = [], shows, refuse }] of Object.entries(STATES))
    it(`has no violation: ${name}`, async () => {
      if (refuse) devices.refuse(refuse);
      const el = await createUploader({ sources: 'device camera screen microphone', multiple: true, label: 'Files' });
      await untilSourcesLoaded(el);
      find(el, '.pick').click();
      const items = [...el.shadowRoot!.querySelectorAll<HTMLElement>('[role=menuitem]')];
      items.find((one) => one.textContent!.trim() === entry)?.click();
      for (const button of buttons) await press(el, button);
      await until(() => find(el, shows) !== null);
      const rules = {
        region: { enabled: false },
        'landmark-one-main': { enabled: false },
        'page-has-heading-one': { enabled: false },
      };
      const { violations } = await axe.run(document.body, { rules });
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).to.deep.equal([]);
    });
});
