import { expect } from 'chai';
import { createFile, find, once, removeAll, until, createUploader } from './fixture.js';

function setOnline(online: boolean): void {
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
  dispatchEvent(new Event(online ? 'online' : 'offline'));
}

describe('a screen reader', () => {
  afterEach(() => {
    delete (navigator as { onLine?: boolean }).onLine;
    removeAll();
  });

  it('listens for a lost and restored connection only while files are being sent', async () => {
    const el = await createUploader({}, { storage: 'hang' });
    const idle = await createUploader();
    const readAnnouncement = (one = el) => find(one, '[role=status]').textContent!.trim();
    const started = once(el, 'svc-upload-start');
    await el.addFiles([createFile('a.bin', 400_000)]);
    await until(() => readAnnouncement() === '1 file added.');
    // The element announces a lost connection only after its engine is loaded.
    await started;
    setOnline(false);
    await until(() => readAnnouncement().includes('offline'));
    expect(readAnnouncement()).to.equal('You’re offline. The upload continues when you reconnect.');
    setOnline(true);
    await until(() => readAnnouncement().includes('online again'));
    expect(readAnnouncement()).to.equal('You’re online again. The upload continues.');
    expect(readAnnouncement(idle)).to.equal('');
  });
});
