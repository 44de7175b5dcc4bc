import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import type { TokenGrant } from '../../../src/protocol/types.js';
import { BlobError } from '../../../src/element/index.js';
import { createFile, once, waitForPaint, removeAll, readTexts, until, createUploader } from './fixture.js';

const waitForStatus = (el: SvcUploader, status: string, at = 0) => until(() => el.uploads[at]?.state.status === status);

describe('a token source', () => {
  afterEach(removeAll);

  it('is used for the next choice after a change, and not called at every render', async () => {
    const calls: string[] = [];
    const giving = (name: string) => async () => {
      calls.push(name);
      return `svcup_${name}`;
    };
    const el = await createUploader({ multiple: true, token: false });
    el.tokenProvider = giving('A');
    const first = once(el, 'svc-complete');
    el.addEventListener('svc-upload-progress', () => (el.tokenProvider = giving('inline')));
    await el.addFiles([createFile('a.pdf', 300_000), createFile('b.pdf', 300_000), createFile('c.pdf', 300_000)]);
    await first;
    expect(calls).to.deep.equal(['A']);
    el.tokenProvider = giving('B');
    const second = once(el, 'svc-complete');
    await el.addFiles([createFile('d.pdf', 300_000)]);
    await second;
    expect(calls).to.deep.equal(['A', 'B']);
  });

  it('may supply only a token and a URL, and reaches listeners of the page', async () => {
    const el = await createUploader({ token: false, endpoint: false });
    el.tokenProvider = async () => ({ token: 'svcup_A', url: `${location.origin}/storage/store` });
    const counts: number[] = [];
    document.addEventListener('svc-complete', ({ detail }) => counts.push(detail.successful.length), { once: true });
    await el.addFiles([createFile('a.pdf', 300_000)]);
    await waitForStatus(el, 'done');
    expect(counts).to.deep.equal([1]);
  });

  it('can be a new token, which the next file uses', async () => {
    const used: string[] = [];
    const set = XMLHttpRequest.prototype.setRequestHeader;
    XMLHttpRequest.prototype.setRequestHeader = function (name, value) {
      if (name.toLowerCase() === 'authorization') used.push(value);
      set.call(this, name, value);
    };
    try {
      const el = await createUploader({ token: 'svcup_A' });
      await el.addFiles([createFile('a.pdf', 300_000)]);
      await waitForStatus(el, 'done');
      el.token = 'svcup_B';
      await el.addFiles([createFile('b.pdf', 300_000)]);
      await waitForStatus(el, 'done');
      expect(used).to.deep.equal(['Bearer svcup_A', 'Bearer svcup_B']);
    } finally {
      XMLHttpRequest.prototype.setRequestHeader = set;
    }
  });

  it('gets the pause that its Retry-After header states', async () => {
    const el = await createUploader({ token: false, 'token-endpoint': '/storage/away/token' });
    await el.addFiles([createFile('a.pdf')]);
    await waitForStatus(el, 'waiting');
    expect(el.uploads[0]!.state)
      .to.have.property('retryAt')
      .that.is.at.least(Date.now() + 6000);
  });

  it('that never responds is called again', async () => {
    const { timeout } = AbortSignal;
    AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 300);
    try {
      const el = await createUploader({ token: false, 'token-endpoint': '/storage/hang/token' });
      await el.addFiles([createFile('a.pdf')]);
      await waitForStatus(el, 'waiting');
      expect(el.uploads[0]!.state).to.have.nested.property('error.code', 'NETWORK_ERROR');
    } finally {
      AbortSignal.timeout = timeout;
    }
  });

  it('that never responds is called again if it is a function, and the row shows that', async () => {
    const { timeout } = AbortSignal;
    const { random } = Math;
    AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 300);
    // The longest delay before the second call, as a short one would hide the row's text.
    Math.random = () => 0.999;
    try {
      const el = await createUploader({ token: false });
      const signals: AbortSignal[] = [];
      el.tokenProvider = ({ signal, reason }) => {
        signals.push(signal);
        return reason === 'retry' ? Promise.resolve('svcup_late') : new Promise(() => {});
      };
      await el.addFiles([createFile('a.pdf')]);
      await waitForStatus(el, 'waiting');
      await waitForPaint(el);
      expect(readTexts(el, 'status')[0]).to.match(/^The server can’t be reached\. Trying again in \d+ second/);
      expect(signals[0]!.aborted).to.equal(true);
      await waitForStatus(el, 'done');
      expect(signals.length).to.equal(2);
    } finally {
      AbortSignal.timeout = timeout;
      Math.random = random;
    }
  });

  for (const [title, error, words] of [
    ['with words', new BlobError('TOKEN_REFUSED', 'Your plan is full. Ask Ana.'), 'Your plan is full. Ask Ana.'],
    [
      'without words',
      new BlobError('TOKEN_REFUSED', 'You may not upload here.'),
      'Uploads aren’t available right now. Try again.',
    ],
    [
      'for its size',
      new BlobError('BLOB_FILE_TOO_LARGE', 'no', { details: { max_size: 5e6 } }),
      /^This file is larger than 5\sMB. Choose a smaller file.$/,
    ],
    ['for no reason of ours', new Error('no session'), 'Uploads aren’t available right now. Try again.'],
  ] as const)
    it(`that refuses a file ${title} shows its message to the person`, async () => {
      const el = await createUploader({ token: false });
      el.tokenProvider = () => Promise.reject(error);
      const failed = once(el, 'svc-upload-error');
      await el.addFiles([createFile('a.pdf')]);
      const { message } = (await failed).detail;
      expect(message).to.match(words instanceof RegExp ? words : new RegExp(`^${words}$`));
      await waitForPaint(el);
      expect(readTexts(el, 'error')).to.deep.equal([message]);
    });

  it('whose tokens are all refused fails the upload after three attempts, however many files wait', async () => {
    const body = encodeURIComponent('{"code":"BLOB_UPLOAD_TOKEN_INVALID","message":"no","details":{"reason":"unknown"}}');
    let calls = 0;
    let sent = 0;
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (data) {
      sent++;
      send.call(this, data);
    };
    try {
      const el = await createUploader({ multiple: true, token: false, concurrency: 2 }, { storage: `say/401/${body}` });
      const url = el.endpoint;
      el.tokenProvider = async () => ({ token: `svcup_${++calls}`, url, max_uses: 100 }) as TokenGrant;
      const complete = once(el, 'svc-complete');
      await el.addFiles(Array.from({ length: 60 }, (_, at) => createFile(`${at}.pdf`, 300_000 + at)));
      expect((await complete).detail.failed).to.have.length(60);
      // Two files run at a time. One that falls behind needs a fourth token for its third attempt.
      expect(calls, 'tokens').to.be.within(3, 4);
      expect(sent, 'requests').to.equal(6);
      // A retry by the person requests a new token.
      calls = sent = 0;
      const again = once(el, 'svc-complete');
      el.retry();
      await again;
      expect(calls, 'tokens after a retry').to.be.within(3, 4);
      expect(sent, 'requests after a retry').to.equal(6);
    } finally {
      XMLHttpRequest.prototype.send = send;
    }
  });
});
