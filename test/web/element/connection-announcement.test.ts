import { expect } from 'chai';
import { file, inside, removeAll, until, uploader } from './fixture.js';

function setOnline(online: boolean): void {
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
  dispatchEvent(new Event(online ? 'online' : 'offline'));
}

describe('a screen reader', () => {
  afterEach(() => {
    delete (navigator as { onLine?: boolean }).onLine;
    removeAll();
  });

  it('hears about a lost and restored connection only while files are being sent', async () => {
    const el = await uploader({}, { storage: 'hang' });
    const idle = await uploader();
    const said = (one = el) => inside(one, '[role=status]').textContent!.trim();
    await el.addFiles([file('a.bin', 400_000)]);
    await until(() => said() === '1 file added.');
    setOnline(false);
    await until(() => said().includes('lost'));
    expect(said()).to.equal('You’re offline. The upload continues when you reconnect.');
    setOnline(true);
    await until(() => said().includes('back'));
    expect(said()).to.equal('You’re online again. The upload continues.');
    expect(said(idle)).to.equal('');
  });
});
