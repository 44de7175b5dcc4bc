// Long because each way in which a recording can end is one test.
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import {
  DeviceWatch,
  canRecord,
  hasDevices,
  pictureStream,
  setPermissionsPolicy,
  untilSourcesLoaded,
  watchResources,
} from './fake-devices.js';
import { createFile, createUploader, find, removeAll, until, waitForPaint } from './fixture.js';
import type { Attributes } from './fixture.js';

const dialogOf = (el: SvcUploader) => find<HTMLDialogElement>(el, '.source-dialog');
const visibleButtons = (el: SvcUploader) =>
  [...el.shadowRoot!.querySelectorAll<HTMLElement>('.act')].filter((button) => button.checkVisibility());
const buttonTexts = (el: SvcUploader) => visibleButtons(el).map(({ textContent }) => textContent!.trim());
const has = (el: SvcUploader, text: string) => buttonTexts(el).includes(text);
const noteOf = (el: SvcUploader) => dialogOf(el)?.querySelector('.source-note')?.textContent ?? '';
const problemOf = (el: SvcUploader) => dialogOf(el).querySelector('[role=alert]')!.textContent!.trim();
const timerOf = (el: SvcUploader) => find(el, '.source-timer')?.textContent ?? '';

async function press(el: SvcUploader, text: string): Promise<void> {
  await until(() => has(el, text));
  const button = visibleButtons(el).find(({ textContent }) => textContent!.trim() === text);
  expect(button, `${text} of ${buttonTexts(el).join(', ')}`).not.to.equal(undefined);
  button!.click();
}

describe('a recording', () => {
  let devices: DeviceWatch;

  before(async function () {
    if (!canRecord || !(await hasDevices('audioinput'))) this.skip();
  });
  beforeEach(() => (devices = new DeviceWatch()));
  afterEach(() => {
    removeAll();
    devices.restore();
  });

  async function openDialog(entry: string, attributes: Attributes = {}): Promise<SvcUploader> {
    const el = await createUploader({ sources: 'device camera screen microphone', multiple: true, manual: true, ...attributes });
    await untilSourcesLoaded(el);
    find(el, '.pick').click();
    const entries = [...el.shadowRoot!.querySelectorAll<HTMLElement>('[role=menuitem]')];
    entries.find(({ textContent }) => textContent!.trim() === entry)!.click();
    await until(() => dialogOf(el)?.open);
    return el;
  }

  /** Records until the timer shows a second. */
  async function record(el: SvcUploader): Promise<void> {
    await press(el, 'Record');
    await until(() => timerOf(el) === '0:01');
  }

  it('of a video is played, used and added with picture and sound', async () => {
    const el = await openDialog('Record a video');
    await until(() => has(el, 'Record'));
    expect(devices.live).to.equal(2);
    await record(el);
    expect([timerOf(el), buttonTexts(el)]).to.deep.equal(['0:01', ['Stop']]);
    await press(el, 'Stop');
    await until(() => has(el, 'Use recording'));
    expect([buttonTexts(el), devices.live], 'the devices are off').to.deep.equal([['Record again', 'Use recording'], 0]);
    const player = dialogOf(el).querySelector('video')!;
    await until(() => Number.isFinite(player.duration) && player.currentTime === 0);
    expect(player.duration).to.be.within(0.5, 60);
    expect([player.controls, player.currentTime]).to.deep.equal([true, 0]);
    await press(el, 'Use recording');
    await until(() => el.uploads.length > 0);
    const { name, type, size } = el.uploads[0]!;
    expect(name).to.match(/^Video \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.(mp4|webm)$/);
    expect(type).to.equal(`video/${name.split('.').at(-1)}`);
    expect(size).to.be.greaterThan(1000);
    expect(dialogOf(el)).to.equal(null);
  });

  it('of sound shows the level and is added as a file of sound', async () => {
    const el = await openDialog('Record sound', { sniff: true });
    await record(el);
    expect(dialogOf(el).querySelector('canvas')!.checkVisibility()).to.equal(true);
    await press(el, 'Stop');
    await until(() => has(el, 'Use recording'));
    expect([dialogOf(el).querySelector('audio')?.controls, devices.live]).to.deep.equal([true, 0]);
    await press(el, 'Use recording');
    await until(() => el.uploads.length > 0);
    expect(el.uploads[0]!.name).to.match(/^Sound recording .+\.(m4a|webm|ogg)$/);
    expect(el.uploads[0]!.type).to.match(/^audio\/(mp4|webm|ogg)$/);
  });

  it('of the screen leaves the page usable, and ends with the button of the bar', async () => {
    const el = await openDialog('Record the screen');
    expect(buttonTexts(el), 'nothing is asked yet').to.deep.equal(['Choose what to record']);
    await press(el, 'Choose what to record');
    await until(() => timerOf(el) === '0:01');
    const bar = find(el, '.source-bar');
    expect([dialogOf(el).open, bar.matches(':popover-open'), devices.live]).to.deep.equal([false, true, 1]);
    expect(el.shadowRoot!.activeElement!.textContent!.trim(), 'the focus is in the bar').to.equal('Stop');
    await press(el, 'Stop');
    await until(() => has(el, 'Use recording'));
    expect([dialogOf(el).open, find(el, '.source-bar'), devices.live]).to.deep.equal([true, null, 0]);
    await press(el, 'Use recording');
    await until(() => el.uploads.length > 0);
    expect(el.uploads[0]!.name).to.match(/^Screen recording .+\.(mp4|webm)$/);
  });

  it('of the screen ends when the person ends it in the browser', async () => {
    const el = await openDialog('Record the screen');
    await press(el, 'Choose what to record');
    await until(() => timerOf(el) === '0:01');
    devices.lose(devices.tracks[0]!);
    await until(() => has(el, 'Use recording'));
    expect([has(el, 'Use recording'), noteOf(el), devices.live]).to.deep.equal([true, '', 0]);
  });

  it('of the screen has the microphone too if the person wants it', async () => {
    const el = await openDialog('Record the screen');
    const checkbox = dialogOf(el).querySelector<HTMLInputElement>('[type=checkbox]')!;
    checkbox.click();
    await press(el, 'Choose what to record');
    await until(() => timerOf(el) === '0:01');
    expect(devices.tracks.map(({ kind }) => kind)).to.deep.equal(['video', 'audio']);
    await press(el, 'Stop');
    await until(() => has(el, 'Use recording'));
    expect(devices.live).to.equal(0);
  });

  it('of the screen starts over if the person closes the question of the browser', async () => {
    devices.refuse('NotAllowedError');
    const el = await openDialog('Record the screen');
    await press(el, 'Choose what to record');
    await waitForPaint(el);
    await until(() => has(el, 'Choose what to record'));
    expect([buttonTexts(el), problemOf(el)]).to.deep.equal([['Choose what to record'], '']);
  });

  it('of the screen stops the screen if the microphone is refused', async () => {
    devices.answers.push(async () => pictureStream());
    devices.refuse('NotAllowedError');
    const el = await openDialog('Record the screen');
    dialogOf(el).querySelector<HTMLInputElement>('[type=checkbox]')!.click();
    await press(el, 'Choose what to record');
    await until(() => problemOf(el) !== '');
    expect(problemOf(el)).to.match(/^This site can’t use your microphone\./);
    expect(devices.live).to.equal(0);
    await press(el, 'Try again');
    await until(() => has(el, 'Choose what to record'));
    expect(problemOf(el)).to.equal('');
  });

  for (const answer of ['refuses', 'allows'])
    it(`of the screen stops all devices if the browser ${answer} the microphone after the dialog was closed`, async () => {
      let respond = () => {};
      const { getUserMedia } = MediaDevices.prototype;
      const microphone = new Promise<void>((resolve, reject) => {
        respond = answer === 'allows' ? resolve : () => reject(new DOMException('', 'NotAllowedError'));
      });
      devices.answers.push(
        async () => pictureStream(),
        () => microphone.then(() => getUserMedia.call(navigator.mediaDevices, { audio: true })),
      );
      const el = await openDialog('Record the screen');
      dialogOf(el).querySelector<HTMLInputElement>('[type=checkbox]')!.click();
      await press(el, 'Choose what to record');
      await until(() => devices.answers.length === 0);
      expect(devices.live).to.equal(1);
      find(el, '.source-close').click();
      expect([devices.live, devices.tracks.length]).to.deep.equal([0, 1]);
      respond();
      if (answer === 'allows') await until(() => devices.tracks.length === 2 && devices.live === 0);
      await waitForPaint(el);
      expect([dialogOf(el), devices.live]).to.deep.equal([null, 0]);
    });

  it('of the screen asks for no microphone if the dialog was closed before the screen is chosen', async () => {
    let choose = (_screen: MediaStream) => {};
    devices.answers.push(() => new Promise((resolve) => (choose = resolve)));
    const el = await openDialog('Record the screen');
    dialogOf(el).querySelector<HTMLInputElement>('[type=checkbox]')!.click();
    await press(el, 'Choose what to record');
    find(el, '.source-close').click();
    choose(pictureStream());
    await until(() => devices.tracks.length > 0 && devices.live === 0);
    expect([devices.constraints, devices.tracks.length, devices.live]).to.deep.equal([[], 1, 0]);
  });

  for (const [reason, isAllowed, name, message] of [
    ['the page forbids it', false, 'NotAllowedError', 'This page doesn’t allow recordings. Choose a file from your device.'],
    ['the browser fails', true, 'NotReadableError', 'The recording failed. Try again.'],
  ] as const)
    it(`of the screen says that ${reason}`, async () => {
      const policy = setPermissionsPolicy(() => isAllowed);
      try {
        devices.refuse(name);
        const el = await openDialog('Record the screen');
        await press(el, 'Choose what to record');
        await until(() => problemOf(el) !== '');
        expect(problemOf(el)).to.equal(message);
      } finally {
        policy.restore();
      }
    });

  it('of the screen stops the microphone too if its sound cannot be joined', async () => {
    devices.answers.push(async () => pictureStream());
    const el = await openDialog('Record the screen');
    const { createMediaStreamDestination } = AudioContext.prototype;
    AudioContext.prototype.createMediaStreamDestination = () => {
      throw new DOMException('', 'NotSupportedError');
    };
    try {
      dialogOf(el).querySelector<HTMLInputElement>('[type=checkbox]')!.click();
      await press(el, 'Choose what to record');
      await until(() => problemOf(el) !== '');
      expect([devices.tracks.length, devices.live]).to.deep.equal([2, 0]);
    } finally {
      AudioContext.prototype.createMediaStreamDestination = createMediaStreamDestination;
    }
  });

  it('of a video has no sound without a microphone, and says so', async () => {
    devices.refuse('NotFoundError');
    const el = await openDialog('Record a video');
    await until(() => has(el, 'Record'));
    expect(noteOf(el)).to.equal('The microphone can’t be used. This video has no sound.');
    expect(devices.tracks.map(({ kind }) => kind)).to.deep.equal(['video']);
  });

  it('of a video has no sound if the page forbids the microphone', async () => {
    const policy = setPermissionsPolicy((feature) => feature !== 'microphone');
    try {
      const el = await openDialog('Record a video');
      await until(() => has(el, 'Record'));
      expect([noteOf(el) !== '', devices.constraints.map(({ audio }) => audio)]).to.deep.equal([true, [undefined]]);
    } finally {
      policy.restore();
    }
  });

  for (const [denied, name, result] of [
    ['microphone', 'NotAllowedError', 'This video has no sound.'],
    ['microphone camera', 'NotAllowedError', 'This site can’t use your camera.'],
    ['unknown', 'NotAllowedError', 'This site can’t use your camera.'],
    ['microphone', 'NotReadableError', 'Your camera doesn’t respond.'],
  ] as const)
    it(`of a video fails with the camera, and not with the microphone alone: ${denied}, ${name}`, async () => {
      const query = async (permission: { name: string }) => {
        if (denied === 'unknown') throw new TypeError('unknown name');
        return { state: denied.includes(permission.name) ? 'denied' : 'granted' };
      };
      Object.defineProperty(navigator.permissions, 'query', { value: query, configurable: true });
      try {
        devices.refuse(name);
        const el = await openDialog('Record a video');
        await until(() => noteOf(el) + problemOf(el) !== '');
        expect(noteOf(el) + problemOf(el)).to.include(result);
      } finally {
        delete (navigator.permissions as { query?: unknown }).query;
      }
    });

  it('ends before it is too large, and says so', async () => {
    const { stop } = MediaRecorder.prototype;
    const el = await openDialog('Record sound', { 'max-size': '12kB' });
    // A press at the same time does not hide the reason.
    MediaRecorder.prototype.stop = function () {
      stop.call(this);
      visibleButtons(el)[0]!.click();
    };
    try {
      await press(el, 'Record');
      await until(() => has(el, 'Use recording'));
    } finally {
      MediaRecorder.prototype.stop = stop;
    }
    expect(noteOf(el)).to.equal('The recording stopped because files can be at most 12 kB.');
    expect(devices.live).to.equal(0);
    await press(el, 'Use recording');
    await until(() => el.uploads.length > 0);
    expect(el.uploads[0]!.size).to.be.within(1000, 12_000);
    expect(el.uploads[0]!.state.status).to.equal('queued');
  });

  for (const [multiple, size] of [
    [true, '12 kB'],
    [false, '20 kB'],
  ] as const)
    it(`leaves room for the files that stay, with multiple=${multiple}`, async () => {
      const el = await openDialog('Record sound', { 'max-total-size': '20kB', multiple });
      await el.addFiles([createFile('a.txt', 8000)]);
      await press(el, 'Record');
      await until(() => has(el, 'Use recording'));
      expect(noteOf(el)).to.equal(`The recording stopped because files can be at most ${size}.`);
    });

  it('does not begin without its device', async () => {
    const el = await openDialog('Record sound');
    await until(() => has(el, 'Record'));
    devices.lose(devices.tracks[0]!);
    await until(() => problemOf(el) !== '');
    expect(problemOf(el)).to.equal('Your microphone was disconnected. Check its connection, then try again.');
    expect([has(el, 'Record'), devices.live]).to.deep.equal([false, 0]);
  });

  it('of sound uses the microphone that the person chooses, and meters only that one', async () => {
    const { enumerateDevices } = navigator.mediaDevices;
    const list = ['a', 'b'].map((deviceId) => ({ deviceId, label: deviceId, kind: 'audioinput', groupId: '' }));
    navigator.mediaDevices.enumerateDevices = async () => list as MediaDeviceInfo[];
    const resources = watchResources();
    try {
      const el = await openDialog('Record sound');
      await until(() => dialogOf(el).querySelector('select') !== null);
      devices.answers.push(() => MediaDevices.prototype.getUserMedia.call(navigator.mediaDevices, { audio: true }));
      const select = dialogOf(el).querySelector('select')!;
      select.value = 'b';
      select.dispatchEvent(new Event('change', { bubbles: true }));
      await until(() => devices.tracks.length === 2 && has(el, 'Record'));
      expect(devices.constraints.at(-1)).to.deep.equal({ audio: { deviceId: { exact: 'b' } } });
      expect([resources.held().sort(), devices.live]).to.deep.equal([['sound', 'timer'], 1]);
    } finally {
      resources.restore();
      navigator.mediaDevices.enumerateDevices = enumerateDevices;
    }
  });

  it('is kept if its device is disconnected', async () => {
    const el = await openDialog('Record sound');
    await record(el);
    devices.lose(devices.tracks[0]!);
    await until(() => has(el, 'Use recording'));
    expect(noteOf(el)).to.equal('Your microphone was disconnected. Check its connection, then try again.');
    expect(devices.live).to.equal(0);
  });

  it('is not lost by Escape: it ends first, and the person is asked', async () => {
    const el = await openDialog('Record sound');
    await record(el);
    const escape = () => dialogOf(el).dispatchEvent(new Event('cancel', { cancelable: true }));
    expect(escape(), 'the browser must not close the dialog').to.equal(false);
    await until(() => has(el, 'Use recording'));
    escape();
    await waitForPaint(el);
    expect(buttonTexts(el)).to.deep.equal(['Discard', 'Keep']);
    escape();
    await waitForPaint(el);
    expect(buttonTexts(el), 'Escape leaves the question').to.deep.equal(['Record again', 'Use recording']);
    escape();
    await press(el, 'Keep');
    await waitForPaint(el);
    expect(buttonTexts(el)).to.deep.equal(['Record again', 'Use recording']);
    find(el, '.source-close').click();
    await waitForPaint(el);
    await press(el, 'Discard');
    await waitForPaint(el);
    expect([dialogOf(el), el.uploads.length]).to.deep.equal([null, 0]);
  });

  it('stops when the element is removed, and releases everything', async () => {
    const resources = watchResources();
    const { start } = MediaRecorder.prototype;
    let ended = Promise.resolve<unknown>(undefined);
    MediaRecorder.prototype.start = function (slice) {
      start.call(this, slice);
      ended = new Promise((resolve) => this.addEventListener('stop', resolve));
    };
    try {
      const el = await openDialog('Record sound');
      await record(el);
      el.remove();
      expect([devices.live, resources.held()]).to.deep.equal([0, []]);
      await ended;
      expect(resources.held(), 'after the last bytes').to.deep.equal([]);
    } finally {
      MediaRecorder.prototype.start = start;
      resources.restore();
    }
  });

  it('releases everything when it is repeated, used or discarded', async () => {
    const resources = watchResources();
    try {
      const el = await openDialog('Record sound');
      await record(el);
      await press(el, 'Stop');
      await until(() => has(el, 'Record again'));
      expect(resources.held()).to.deep.equal(['address']);
      await press(el, 'Record again');
      await until(() => has(el, 'Record'));
      expect(resources.held().sort()).to.deep.equal(['sound', 'timer']);
      await record(el);
      await press(el, 'Stop');
      await press(el, 'Use recording');
      expect(resources.held()).to.deep.equal([]);
    } finally {
      resources.restore();
    }
  });

  it('without a byte is reported', async () => {
    const { start } = MediaRecorder.prototype;
    MediaRecorder.prototype.start = function () {
      queueMicrotask(() => this.dispatchEvent(new Event('stop')));
    };
    try {
      const el = await openDialog('Record sound');
      await press(el, 'Record');
      await until(() => problemOf(el) !== '');
      expect([problemOf(el), devices.live]).to.deep.equal(['The recording failed. Try again.', 0]);
    } finally {
      MediaRecorder.prototype.start = start;
    }
  });

  it('can be repeated', async () => {
    const el = await openDialog('Record sound');
    await record(el);
    await press(el, 'Stop');
    await press(el, 'Record again');
    await until(() => has(el, 'Record'));
    expect([dialogOf(el).querySelector('audio'), devices.live]).to.deep.equal([null, 1]);
  });

  it('says that its preview is blocked, and can be used', async () => {
    const el = await openDialog('Record sound');
    await record(el);
    await press(el, 'Stop');
    await until(() => has(el, 'Use recording'));
    dialogOf(el).querySelector('audio')!.dispatchEvent(new Event('error'));
    await waitForPaint(el);
    expect(noteOf(el)).to.equal('The preview can’t be shown here. You can still use the recording.');
    expect(has(el, 'Use recording')).to.equal(true);
  });

  it('that the browser cannot begin is reported', async () => {
    const { start } = MediaRecorder.prototype;
    MediaRecorder.prototype.start = () => {
      throw new DOMException('', 'NotSupportedError');
    };
    try {
      const el = await openDialog('Record sound');
      await press(el, 'Record');
      await waitForPaint(el);
      expect([problemOf(el), devices.live]).to.deep.equal(['The recording failed. Try again.', 0]);
    } finally {
      MediaRecorder.prototype.start = start;
    }
  });
});
