// Long because each way in which a link can fail is one test.
import { expect } from 'chai';
import type { SvcUploader } from '../../../src/element/index.js';
import { renderWarnings, untilSourcesLoaded } from './fake-devices.js';
import {
  createFile,
  createUploader,
  find,
  findRows,
  once,
  readFormEntries,
  readTexts,
  removeAll,
  until,
  waitForPaint,
} from './fixture.js';
import {
  addLink,
  createWithLinks,
  dialogOf,
  enterLink,
  fieldOf,
  linkTo,
  menuTexts,
  openLinkDialog,
  problemOf,
} from './link-page.js';

const statuses = (el: SvcUploader) => el.uploads.map(({ state }) => state.status);
const bar = (el: SvcUploader) => findRows(el)[0]?.querySelector('progress');
const untilStatus = (el: SvcUploader, status: string) => until(() => el.uploads[0]?.state.status === status);

/** A request of the page for a fetch. */
interface FetchRequest {
  body: Record<string, unknown>;
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Sends an event of the response to a link of `HELD`. */
  send(event: string, data: object): void;
}

/** The response to this link sends the events of the test. */
const HELD = 'https://held.example/x';

/** A record with the fields that the element checks. */
const RECORD = { id: 'file_1', path: 'docs/x', name: 'x', content_type: 'image/jpeg', url: null, sha256: '' };

describe('a file from a link', () => {
  const { fetch } = window;
  let requests: FetchRequest[] = [];
  beforeEach(() => {
    requests = [];
    window.fetch = (address, init) => {
      if (!String(address).endsWith('/files/fetch')) return fetch(address, init);
      const body = JSON.parse(String(init!.body)) as Record<string, unknown>;
      let controller: ReadableStreamDefaultController<Uint8Array>;
      const stream = new ReadableStream<Uint8Array>({ start: (one) => void (controller = one) });
      const send = (event: string, data: object) =>
        controller.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      requests.push({ body, headers: init!.headers as Record<string, string>, signal: init!.signal!, send });
      if (body['url'] !== HELD) return fetch(address, init);
      init!.signal!.addEventListener('abort', () => controller.error(init!.signal!.reason));
      return Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
    };
  });
  afterEach(() => {
    removeAll();
    window.fetch = fetch;
  });

  it('is fetched by the service, listed like a chosen file, and part of the form', async () => {
    const form = document.createElement('form');
    document.body.append(form);
    const el = await createWithLinks({ name: 'doc', required: true }, { parent: form });
    expect(el.validity.valueMissing).to.equal(true);
    const asked: unknown[] = [];
    el.addEventListener('svc-file-add', ({ detail }) => asked.push([detail.file.name, detail.url]));
    const head = { total: 4000, name: 'Müller.jpg', content_type: 'image/jpeg; q=1' };
    const link = linkTo('photo', ['progress', { bytes: 1000, ...head }], 'hang');
    await addLink(el, link);
    expect(dialogOf(el), 'the dialog is closed').to.equal(null);
    expect(el.shadowRoot!.activeElement, 'the focus returns').to.equal(find(el, '.pick'));
    await until(() => bar(el)?.value === 0.25);
    expect(asked).to.deep.equal([['photo', link]]);
    expect(readTexts(el, 'name').join('')).to.include('Müller');
    expect([readTexts(el, 'size'), readTexts(el, 'status')]).to.deep.equal([['1 kB of 4 kB'], ['25%']]);
    expect(el.uploads[0]).to.include({ file: null, url: link, size: 4000, type: 'image/jpeg', isSizeUnknown: false });
    const { body, headers } = requests[0]!;
    expect(body).to.deep.equal({ url: link });
    expect(headers['authorization']).to.equal('Bearer svcup_test');
    expect(headers['idempotency-key']).to.match(/.{16}/);
    el.clear();
    const success = once(el, 'svc-upload-success');
    await addLink(
      el,
      linkTo('a.jpg', ['progress', { bytes: 10, total: 10, name: 'a.jpg', content_type: 'image/jpeg' }], ['done', {}]),
    );
    const { detail } = await success;
    await waitForPaint(el);
    expect([detail.file, detail.record.path]).to.deep.equal([null, 'docs/a.jpg']);
    expect([readTexts(el, 'size'), readTexts(el, 'status')]).to.deep.equal([['10 bytes'], ['Uploaded']]);
    expect([el.validity.valid, readFormEntries(form, 'doc')]).to.deep.equal([true, ['docs/a.jpg']]);
  });

  it('shows that it moves while its size is unknown', async () => {
    const el = await createWithLinks();
    await addLink(el, HELD);
    await until(() => readTexts(el, 'status')[0] === 'Getting the file');
    expect([bar(el)!.position, readTexts(el, 'status')]).to.deep.equal([-1, ['Getting the file']]);
    await until(() => requests.length === 1);
    requests[0]!.send('progress', { bytes: 2000, total: null, name: 'x' });
    await until(() => readTexts(el, 'size')[0] === '2 kB');
    expect([readTexts(el, 'size'), readTexts(el, 'status'), bar(el)!.position]).to.deep.equal([
      ['2 kB'],
      ['Getting the file'],
      -1,
    ]);
    el.pause();
    await waitForPaint(el);
    expect([readTexts(el, 'status'), bar(el)], 'nothing moves').to.deep.equal([['Paused'], null]);
    expect(requests[0]!.signal.aborted).to.equal(true);
  });

  it('leaves the percentage out of the summary until all sizes are known', async () => {
    const el = await createWithLinks();
    await el.addFiles([createFile('a.pdf', 1000)]);
    await until(() => statuses(el)[0] === 'done');
    await addLink(el, HELD);
    await until(() => requests.length === 1);
    requests[0]!.send('progress', { bytes: 500, total: null, name: 'x' });
    await until(() => find(el, '.summary-details')?.textContent === '1.5 kB');
    const texts = () => [find(el, '.summary-title').textContent!.trim(), find(el, '.summary-details')?.textContent];
    expect(texts()).to.deep.equal(['1 of 2', '1.5 kB']);
    expect(find<HTMLProgressElement>(el, 'progress.all').position).to.equal(-1);
    expect(el.totals).to.include({ bytes: 1000, sent: 1500, unknownSizes: 1, secondsLeft: null });
    requests[0]!.send('progress', { bytes: 600, total: 3000 });
    await until(() => el.totals.unknownSizes === 0);
    expect(el.totals).to.include({ bytes: 4000, sent: 1600, unknownSizes: 0 });
    requests[0]!.send('done', { file: { ...RECORD, size: 3000 } });
    await until(() => statuses(el)[1] === 'done');
    expect(el.totals).to.include({ bytes: 4000, sent: 4000, unknownSizes: 0 });
  });

  it('adds nothing to the totals after it failed without a size', async () => {
    const el = await createWithLinks();
    const progress: [string, Record<string, unknown>] = ['progress', { bytes: 500, total: null }];
    await addLink(el, linkTo('x', progress, 50, ['error', { code: 'FETCH_FAILED', details: { reason: 'connection' } }]));
    await untilStatus(el, 'failed');
    expect(el.totals).to.include({ bytes: 0, sent: 0, unknownSizes: 0, failed: 1 });
    el.clear();
    expect(el.totals).to.include({ files: 0, bytes: 0, sent: 0, unknownSizes: 0 });
  });

  for (const [problem, error, text, canRetry] of [
    [
      'does not respond',
      { code: 'FETCH_FAILED', details: { reason: 'connection' } },
      /website of this link doesn’t respond/,
      true,
    ],
    ['is internal', { code: 'FETCH_FAILED', details: { reason: 'address' } }, /doesn’t lead to a public website/, false],
    [
      'states an internal address',
      { code: 'VALIDATION_ERROR', details: { path: 'url' } },
      /doesn’t lead to a public website/,
      false,
    ],
    ['has no file', { code: 'FETCH_FAILED', details: { reason: 'status', status: 404 } }, /No file could be opened/, true],
    ['is too large', { code: 'BLOB_FILE_TOO_LARGE', details: { max_size: 5000 } }, /larger than 5 kB/, false],
    ['has the wrong type', { code: 'BLOCKED_FILE_TYPE', details: { allowed_extensions: ['png'] } }, /Choose PNG/, false],
    [
      'is not allowed by the token',
      { code: 'BLOB_UPLOAD_TOKEN_CONSTRAINT', details: { field: 'allow_fetch' } },
      /can’t add files from links here/,
      false,
    ],
  ] as const)
    it(`says that the link ${problem}`, async () => {
      const el = await createWithLinks();
      await addLink(el, linkTo('x.jpg', ['error', { ...error, message: 'No.' }]));
      await untilStatus(el, 'failed');
      await waitForPaint(el);
      expect(readTexts(el, 'error')[0]).to.match(text);
      expect([find(el, '[part=retry-button]') !== null, requests.length]).to.deep.equal([canRetry, 1]);
    });

  it('says that links are off if the service refuses the request itself', async () => {
    const el = await createWithLinks();
    el.endpoint = `${location.origin}/storage/refuse/FETCH_DISABLED/501`;
    await el.updateComplete;
    await waitForPaint(el);
    await until(() => find(el, '.pick').textContent!.includes('link'));
    await addLink(el, 'https://files.example/a.jpg');
    await untilStatus(el, 'failed');
    await waitForPaint(el);
    expect(readTexts(el, 'error')[0]).to.match(/can’t add files from links here/);
  });

  it('is fetched again with the same key if the response breaks off', async () => {
    const el = await createWithLinks();
    const retry = once(el, 'svc-upload-retry');
    await addLink(el, linkTo('x.jpg', ['progress', { bytes: 5, total: 10 }], 'event: progress\ndata: {"by'));
    expect((await retry).detail.error.code).to.equal('NETWORK_ERROR');
    el.retry();
    await until(() => requests.length === 2);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys[1]).to.equal(keys[0]);
  });

  it('can be retried by the person', async () => {
    const el = await createWithLinks();
    const link = linkTo('x.jpg', ['error', { code: 'FETCH_FAILED', details: { reason: 'status' } }]);
    await addLink(el, link);
    await untilStatus(el, 'failed');
    await waitForPaint(el);
    find(el, '[part=retry-button]').click();
    await until(() => requests.length === 2);
    expect(requests.map(({ body }) => body['url'])).to.deep.equal([link, link]);
  });

  it('ends at the service when it is removed', async () => {
    const el = await createWithLinks();
    await addLink(el, linkTo('x.jpg', 'hang'));
    await until(() => requests.length === 1 && find(el, '[part=remove-button]') !== null);
    find(el, '[part=remove-button]').click();
    await waitForPaint(el);
    expect([el.uploads.length, requests[0]!.signal.aborted]).to.deep.equal([0, true]);
    expect(el.totals).to.include({ files: 0, unknownSizes: 0 });
  });

  it('is refused before its bytes arrive if the page does not accept it', async () => {
    const el = await createWithLinks({ 'allowed-extensions': 'png', 'max-total-size': 5000 });
    const head = { bytes: 10, total: 1000 };
    await addLink(el, linkTo('photo.png', ['progress', { ...head, name: 'page.html', content_type: 'text/html' }], 'hang'));
    await untilStatus(el, 'failed');
    await waitForPaint(el);
    expect(readTexts(el, 'error')[0]).to.match(/Choose PNG/);
    el.clear();
    await addLink(el, linkTo('a.png', ['progress', { bytes: 10, total: 3000, name: 'a.png' }], 'hang'));
    await until(() => el.uploads[0]?.size === 3000);
    await addLink(el, linkTo('b.png', ['progress', { bytes: 10, total: 2500, name: 'b.png' }], 'hang'));
    await until(() => statuses(el)[1] === 'failed');
    await waitForPaint(el);
    expect(statuses(el), 'the first one goes on').to.deep.equal(['uploading', 'failed']);
    expect(readTexts(el, 'error')[0]).to.match(/larger than 2 kB/);
    expect(requests.map(({ body }) => body['max_size'])).to.deep.equal([5000, 5000, 2000]);
  });

  it('is refused if it is empty', async () => {
    const el = await createWithLinks();
    await addLink(el, linkTo('a.txt', ['progress', { bytes: 0, total: 0, name: 'a.txt' }], 'hang'));
    await untilStatus(el, 'failed');
    await waitForPaint(el);
    expect(readTexts(el, 'error')[0]).to.match(/file is empty/);
  });

  it('must have one of the accepted types', async () => {
    const el = await createWithLinks({ accept: 'image/*, application/pdf', 'max-size': 900 });
    await addLink(el, linkTo('a'));
    await until(() => requests.length === 1);
    expect(requests[0]!.body).to.include({ max_size: 900 });
    expect(requests[0]!.body['allowed_types']).to.deep.equal(['image/*', 'application/pdf']);
    el.accept = '.png, image/jpeg';
    await addLink(el, linkTo('b'));
    await until(() => requests.length === 2);
    expect(requests[1]!.body).not.to.have.property('allowed_types');
  });

  it('is not listed twice, and several links are fetched at once', async () => {
    const el = await createWithLinks({ 'max-files': 2 });
    await addLink(el, linkTo('a.jpg', 'hang'));
    await addLink(el, linkTo('a.jpg', 'hang'));
    await until(() => el.uploads.length === 2);
    expect(statuses(el)[1]).to.equal('rejected');
    await addLink(el, linkTo('b.jpg', 'hang'));
    await until(() => requests.length === 2);
    expect([statuses(el), el.matches(':state(max-files)')]).to.deep.equal([['uploading', 'uploading'], true]);
  });

  it('gets the fields of the file as metadata', async () => {
    const el = await createWithLinks({ fields: '[{"name":"title","label":"Title"}]' });
    await addLink(el, linkTo('a.jpg'));
    await until(() => find(el, '[part=field-input]') !== null);
    expect(requests).to.deep.equal([]);
    const input = find<HTMLInputElement>(el, '[part=field-input]');
    input.value = 'Sea';
    for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }));
    const success = once(el, 'svc-upload-success');
    el.upload();
    expect((await success).detail.fields).to.deep.equal({ title: 'Sea' });
    expect(requests[0]!.body['metadata']).to.deep.equal({ title: 'Sea' });
  });

  it('can be skipped by the page', async () => {
    const el = await createWithLinks();
    el.addEventListener('svc-file-add', (event) => event.preventDefault());
    await addLink(el, linkTo('a.jpg'));
    expect([el.uploads.length, requests.length]).to.deep.equal([0, 0]);
  });

  it('is not compared with bytes of the page', async () => {
    const el = await createWithLinks({ sniff: true, verify: true });
    await addLink(el, linkTo('a.jpg'));
    await untilStatus(el, 'done');
    expect(statuses(el)).to.deep.equal(['done']);
  });

  it('makes the page ask before it is left, because the fetch would end', async () => {
    const leave = () => dispatchEvent(new Event('beforeunload', { cancelable: true }));
    const el = await createWithLinks();
    await addLink(el, HELD);
    await until(() => requests.length === 1);
    expect(leave(), 'while it is fetched').to.equal(false);
    requests[0]!.send('done', { file: { ...RECORD, size: 1000 } });
    await untilStatus(el, 'done');
    expect(leave(), 'when it is stored').to.equal(true);
  });

  for (const appearance of ['grid', 'avatar', 'inline'])
    it(`is shown in the appearance ${appearance}`, async () => {
      const el = await createWithLinks({ appearance, multiple: appearance === 'grid', accept: 'image/*' });
      const head = { name: 'a.jpg', content_type: 'image/jpeg' };
      await addLink(el, HELD);
      const moving = () => el.shadowRoot!.querySelector('.ring-unknown, progress:not(.all):indeterminate') !== null;
      await until(moving);
      expect(moving()).to.equal(true);
      await until(() => requests.length === 1);
      requests[0]!.send('progress', { bytes: 500, total: null, ...head });
      await until(() => readTexts(el, 'size')[0] === '500 bytes');
      expect(readTexts(el, 'status')).to.deep.equal(['Getting the file']);
      requests[0]!.send('progress', { bytes: 600, total: 1000, ...head });
      await until(() => readTexts(el, 'status')[0] === '60%');
      expect([moving(), readTexts(el, 'size')]).to.deep.equal([false, ['600 bytes of 1 kB']]);
      requests[0]!.send('done', { file: { ...RECORD, size: 1000 } });
      await untilStatus(el, 'done');
      await waitForPaint(el);
      expect(readTexts(el, 'status')).to.deep.equal(['Uploaded']);
    });
});

describe('the dialog of a link', () => {
  afterEach(removeAll);

  for (const [text, message] of [
    ['', 'Enter a link.'],
    ['photo', 'This isn’t a link. Copy the address of a file, such as https://example.com/photo.jpg.'],
    ['https://', 'This isn’t a link. Copy the address of a file, such as https://example.com/photo.jpg.'],
    ['my photo.jpg', 'This isn’t a link. Copy the address of a file, such as https://example.com/photo.jpg.'],
    ['ftp://example.com/a', 'Use a link that starts with https:// or http://.'],
    ['javascript:alert(1)', 'Use a link that starts with https:// or http://.'],
    ['https://me:secret@example.com/a', 'Remove the user name and the password from the link.'],
    [`https://example.com/${'a'.repeat(2048)}`, 'This link is too long. Use a shorter one.'],
  ] as const)
    it(`explains what is wrong with "${text.slice(0, 40)}"`, async () => {
      const el = await createWithLinks();
      await openLinkDialog(el);
      await enterLink(el, text);
      const field = fieldOf(el);
      expect([problemOf(el), field.getAttribute('aria-invalid')]).to.deep.equal([message, 'true']);
      expect([el.uploads.length, el.shadowRoot!.activeElement, field.value]).to.deep.equal([0, field, text]);
      field.value = 'e';
      field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      await waitForPaint(el);
      expect([problemOf(el), field.getAttribute('aria-invalid')], 'the message goes with the next key').to.deep.equal([
        '',
        'false',
      ]);
    });

  for (const [text, url, name] of [
    ['example.com/a%20b.jpg#top', 'https://example.com/a%20b.jpg', 'a b.jpg'],
    ['  http://example.com:8080/x/  ', 'http://example.com:8080/x/', 'x'],
    ['example.com:8080/%FF', 'https://example.com:8080/%FF', '%FF'],
    ['https://example.com', 'https://example.com/', 'example.com'],
  ] as const)
    it(`takes "${text}"`, async () => {
      const el = await createWithLinks({ manual: true });
      await addLink(el, text);
      expect(el.uploads.map(({ url, name }) => [url, name])).to.deep.equal([[url, name]]);
    });

  it('focuses the field, and is closed without adding anything', async () => {
    const el = await createWithLinks();
    let events = 0;
    for (const type of ['input', 'change'] as const) el.addEventListener(type, () => events++);
    await openLinkDialog(el);
    expect(el.shadowRoot!.activeElement).to.equal(fieldOf(el));
    fieldOf(el).value = 'https://example.com/a';
    fieldOf(el).dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    dialogOf(el).dispatchEvent(new Event('cancel', { cancelable: true }));
    await waitForPaint(el);
    expect([dialogOf(el), el.uploads.length, events]).to.deep.equal([null, 0, 0]);
  });
});

describe('the source of links', () => {
  const { fetch } = window;
  let requests: string[] = [];
  /** Lets the token endpoint respond to the reason `limits`. */
  function respond(body: unknown, status = 200): void {
    window.fetch = async (_address, init) => {
      requests.push((JSON.parse(String(init?.body)) as { reason: string }).reason);
      return Response.json(body, { status });
    };
  }
  beforeEach(() => (requests = []));
  afterEach(() => {
    window.fetch = fetch;
    removeAll();
  });

  async function create(attributes = {}, storage = 'links'): Promise<SvcUploader> {
    const el = await createUploader({ sources: 'device url', multiple: true, ...attributes }, { storage });
    await untilSourcesLoaded(el);
    for (let paint = 0; paint < 5; paint++) await waitForPaint(el);
    return el;
  }
  const limits = (allow_fetch?: boolean) => ({
    limits: { max_size: null, allowed_extensions: null, max_uses: null, allow_fetch },
  });
  const endpoint = { token: false, 'token-endpoint': '/token' };

  it('is offered if the token of the page allows it', async () => {
    const el = await create();
    await until(() => menuTexts(el).length === 2);
    expect(menuTexts(el)).to.deep.equal(['Choose from this device', 'Add from a link']);
    removeAll();
    expect(menuTexts(await create({}, 'no-links'))).to.deep.equal([]);
  });

  it('is offered if the token endpoint allows it, which is asked once, also with fetch-limits', async () => {
    respond(limits(true));
    const el = await create({ ...endpoint, 'fetch-limits': true });
    await until(() => menuTexts(el).length === 2);
    expect(menuTexts(el)).to.deep.equal(['Choose from this device', 'Add from a link']);
    await create(endpoint);
    expect(requests).to.deep.equal(['limits', 'limits']);
    removeAll();
    respond(limits(false));
    expect(menuTexts(await create(endpoint))).to.deep.equal([]);
  });

  it('is offered if nothing says that the token forbids it', async () => {
    for (const [status, body] of [
      [200, limits()],
      [404, {}],
    ] as const) {
      respond(body, status);
      const el = await create(endpoint);
      await until(() => menuTexts(el).length === 2);
      expect(menuTexts(el)).to.have.lengthOf(2);
      removeAll();
    }
    const el = await create({ token: false });
    el.tokenProvider = () => Promise.reject(new Error('asked'));
    await until(() => menuTexts(el).length === 2);
    expect(menuTexts(el)).to.have.lengthOf(2);
  });

  it('is not offered before the response, nor with a transport of the page or pictures to prepare', async () => {
    let answer = (_response: Response): void => {};
    window.fetch = () => new Promise((resolve) => (answer = resolve));
    const el = await create(endpoint);
    expect(menuTexts(el)).to.deep.equal([]);
    el.tokenProvider = () => Promise.reject(new Error());
    await until(() => menuTexts(el).length === 2);
    expect(menuTexts(el), 'a function is not asked').to.have.lengthOf(2);
    el.tokenProvider = null;
    await el.updateComplete;
    await waitForPaint(el);
    expect(menuTexts(el)).to.deep.equal([]);
    answer(Response.json(limits(true)));
    await until(() => menuTexts(el).length === 2);
    expect(menuTexts(el)).to.have.lengthOf(2);
    el.transport = { send: () => Promise.reject(new Error()) };
    await el.updateComplete;
    expect(menuTexts(el)).to.deep.equal([]);
    el.transport = null;
    el.stripLocation = true;
    await el.updateComplete;
    expect(menuTexts(el)).to.deep.equal([]);
    expect(renderWarnings()).to.deep.equal([]);
  });

  it('disappears once a token forbids it', async () => {
    const el = await create({ token: false, endpoint: `${location.origin}/storage/store` });
    el.tokenProvider = async () => ({ token: 'svcup_other', allow_fetch: false });
    await until(() => menuTexts(el).length === 2);
    expect(menuTexts(el)).to.have.lengthOf(2);
    await el.addFiles([createFile()]);
    await untilStatus(el, 'done');
    await waitForPaint(el);
    expect(menuTexts(el)).to.deep.equal([]);
  });
});
