import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { putClockForward, resetClock } from '../support/process-clock.js';
import { TestEndpoint } from './start-endpoint.js';
import { signedForm } from './post-form.js';
import { getSignedUrl } from './presign.js';
import { httpRequest, signer, urlOf } from './signing.js';

let endpoint: TestEndpoint;

beforeAll(async () => {
  endpoint = await TestEndpoint.start();
});
afterAll(() => endpoint.stop());
// No request stores an object or leaves a body behind.
afterEach(async () => {
  expect(await endpoint.stored()).toEqual({ keys: [], reservations: 0 });
});

/** Builds a signed request as raw bytes. */
async function signedBytes(
  path: string,
  headers: Record<string, string>,
  options: { method?: string; at?: Date; query?: Record<string, string>; after?: string[] } = {},
): Promise<string> {
  const { method = 'PUT', at = new Date(), query = {}, after = [] } = options;
  const request = httpRequest(method, endpoint.host, path, query, { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...headers });
  const signed = await signer(endpoint.pair).sign(request, { signingDate: at });
  const lines = Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${urlOf(signed)} HTTP/1.1`, ...lines, ...after, '', ''].join('\r\n');
}

const responseOf = (text: string) => ({
  status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]),
  code: /<Code>([^<]+)/.exec(text)?.[1],
});
const ENDED = /<\/Error>$/;

describe('the character NUL', () => {
  it('is rejected in the source of a copy, in XML, in a token and in a form', async () => {
    const copy = await endpoint.send('PUT', '/main/x', { headers: { 'x-amz-copy-source': 'main/a%00b' } });
    expect(copy).toMatchObject({ status: 400, code: 'InvalidArgument' });
    const xml = '<Delete><Object><Key>a\0b</Key></Object></Delete>';
    const checksum = createHash('sha256').update(xml).digest('base64');
    const gone = await endpoint.send('POST', '/main', {
      query: { delete: '' },
      headers: { 'x-amz-checksum-sha256': checksum },
      body: xml,
    });
    expect(gone).toMatchObject({ status: 400, code: 'MalformedXML' });
    const listed = await endpoint.send('GET', '/main', { query: { 'list-type': '2', 'continuation-token': 'AA' } });
    expect(listed).toMatchObject({ status: 400, code: 'InvalidArgument' });
    const form = signedForm(endpoint.pair, 'main', { key: 'a\0b' }, [['starts-with', '$key', 'a']]);
    expect(await endpoint.fetch('/main', { method: 'POST', body: form })).toMatchObject({
      status: 400,
      code: 'MalformedPOSTRequest',
    });
  });
});

describe('wrong signatures', () => {
  it('that are changed, replayed for another object or expired are rejected', async () => {
    const flip = (headers: Record<string, string>) => {
      const last = headers['authorization']!.at(-1)!;
      headers['authorization'] = headers['authorization']!.slice(0, -1) + (last === '0' ? '1' : '0');
    };
    expect(await endpoint.send('PUT', '/main/x', { body: 'x', tamper: flip })).toMatchObject({
      status: 403,
      code: 'SignatureDoesNotMatch',
    });

    const request = await signedBytes('/main/x', { 'content-length': '1' });
    const replayed = request.replace('PUT /main/x', 'PUT /main/y');
    expect(responseOf(await endpoint.raw(`${replayed}x`, { until: ENDED }))).toEqual({
      status: 403,
      code: 'SignatureDoesNotMatch',
    });

    const old = await signedBytes('/main/x', { 'content-length': '1' }, { at: new Date(Date.now() - 16 * 60_000) });
    expect(responseOf(await endpoint.raw(`${old}x`, { until: ENDED }))).toEqual({ status: 403, code: 'RequestTimeTooSkewed' });
  });

  it('of expired presigned URLs and of URLs for another method are rejected', async () => {
    const address = await getSignedUrl(endpoint, endpoint.pair, '/main/x', 1, 'PUT');
    putClockForward(2100);
    const late = await fetch(address, { method: 'PUT', body: 'x' }).finally(resetClock);
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('Request has expired')]);
    const reading = await getSignedUrl(endpoint, endpoint.pair, '/main/x', 60);
    expect((await fetch(reading, { method: 'PUT', body: 'x' })).status).toBe(403);
    expect((await fetch(`${reading}&response-content-type=text/html`)).status).toBe(403);
  });

  it('over the hash of another body are rejected', async () => {
    const other = createHash('sha256').update('something else').digest('hex');
    const response = await endpoint.send('PUT', '/main/x', { body: 'x', headers: { 'x-amz-content-sha256': other } });
    expect(response).toMatchObject({ status: 400, code: 'XAmzContentSHA256Mismatch' });
    const md5 = { 'content-md5': createHash('md5').update('no').digest('base64') };
    expect(await endpoint.send('PUT', '/main/x', { body: 'x', headers: md5 })).toMatchObject({ status: 400, code: 'BadDigest' });
    expect(await endpoint.send('PUT', '/main/x', { body: 'x', headers: { 'content-md5': 'no' } })).toMatchObject({
      status: 400,
      code: 'InvalidDigest',
    });
    const crc = { 'x-amz-checksum-crc32': 'AAAAAA==' };
    expect(await endpoint.send('PUT', '/main/x', { body: 'x', headers: crc })).toMatchObject({ status: 400, code: 'BadDigest' });
  });
});

describe('malformed S3 bodies', () => {
  const unsignedTrailer = {
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-amz-trailer': 'x-amz-checksum-crc32',
  };

  it.each([
    ['a chunk size that is too small', '5', '4\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n', 400, 'IncompleteBody'],
    ['a chunk size that is too large', '5', '9\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n', 400, 'IncompleteBody'],
    [
      'a decoded length that is too small',
      '4',
      '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n',
      400,
      'IncompleteBody',
    ],
    [
      'a decoded length that is too large',
      '6',
      '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n',
      400,
      'IncompleteBody',
    ],
    ['no last chunk', '5', '5\r\nhello\r\n', 400, 'IncompleteBody'],
    ['a trailer that lies', '5', '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n', 400, 'BadDigest'],
    ['no trailer', '5', '5\r\nhello\r\n0\r\n\r\n', 400, 'MalformedTrailerError'],
    ['no decoded length', '', '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n', 411, 'MissingContentLength'],
    ['a decoded length beyond 5 GiB', '5368709121', '5\r\nhello\r\n', 400, 'EntityTooLarge'],
  ])('in chunks with %s', async (_name, length, body, status, code) => {
    const headers = {
      ...unsignedTrailer,
      'content-encoding': 'aws-chunked',
      ...(length && { 'x-amz-decoded-content-length': length }),
    };
    expect(await endpoint.send('PUT', '/main/x', { headers, body })).toMatchObject({ status, code });
  });

  it('with an unsigned chunk are rejected', async () => {
    const headers = { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'x-amz-decoded-content-length': '5' };
    const body = (signature: string) => `5;chunk-signature=${signature}\r\nhello\r\n0;chunk-signature=${signature}\r\n\r\n`;
    const forged = await endpoint.send('PUT', '/main/x', { headers, body: body('0'.repeat(64)) });
    expect(forged).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
    const bare = await endpoint.send('PUT', '/main/x', { headers, body: '5\r\nhello\r\n0\r\n\r\n' });
    expect(bare).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
  });

  it('that end before their length are rejected', async () => {
    const head = await signedBytes('/main/x', { 'content-length': '100000' });
    await endpoint.raw(head + 'x'.repeat(50_000), { half: true });
    await expect.poll(() => endpoint.stored()).toEqual({ keys: [], reservations: 0 });
  });

  it('over 5 GiB are rejected before a byte is read', async () => {
    const head = await signedBytes('/main/x', { 'content-length': '5368709121', expect: '100-continue' });
    const response = await endpoint.raw(head, { until: ENDED });
    expect(response).not.toContain('100 Continue');
    expect(responseOf(response)).toEqual({ status: 400, code: 'EntityTooLarge' });
  });

  it('without a length are rejected', async () => {
    const head = await signedBytes('/main/x', {});
    expect(responseOf(await endpoint.raw(head, { until: ENDED }))).toEqual({ status: 411, code: 'MissingContentLength' });
  });

  it('are not requested if the signature is wrong', async () => {
    const head = (await signedBytes('/main/x', { 'content-length': '10' })).replace('PUT /main/x', 'PUT /main/y');
    const response = await endpoint.raw(head.replace('\r\n\r\n', '\r\nexpect: 100-continue\r\n\r\n'), { until: ENDED });
    expect(response).not.toContain('100 Continue');
    expect(responseOf(response)).toEqual({ status: 403, code: 'SignatureDoesNotMatch' });
  });
});

describe('request smuggling', () => {
  it.each([
    ['both lengths', ['content-length: 5', 'transfer-encoding: chunked']],
    ['two lengths', ['content-length: 5', 'content-length: 6']],
    ['a length with a sign', ['content-length: +5']],
    ['an unknown coding before chunked', ['transfer-encoding: identity, chunked']],
    ['two codings', ['transfer-encoding: chunked', 'transfer-encoding: chunked']],
    ['a folded header', ['x-a: b', ' content-length: 5']],
    ['a space before the colon', ['content-length : 5']],
    ['a bare line feed', ['x-a: b\ncontent-length: 5']],
  ])('by %s', async (_name, after) => {
    const head = await signedBytes('/main/x', {}, { after });
    const { status } = responseOf(await endpoint.raw(`${head}0\r\n\r\nPUT /main/y HTTP/1.1\r\nhost: x\r\n\r\n`, { half: true }));
    expect([400, 411, 501]).toContain(status);
  });

  it('by a repeated signed header is rejected', async () => {
    const head = await signedBytes(
      '/main/x',
      { 'content-length': '1', 'x-amz-acl': 'private' },
      { after: ['X-Amz-Acl: public-read'] },
    );
    expect(responseOf(await endpoint.raw(`${head}x`, { until: ENDED }))).toEqual({ status: 400, code: 'InvalidRequest' });
  });
});

describe('hostile names over S3', () => {
  it.each([
    ['of 1,025 bytes', `/main/${'k'.repeat(1025)}`, 400, 'KeyTooLongError'],
    ['of 1,025 bytes in few characters', `/main/${encodeURIComponent('€'.repeat(341))}xxx`, 400, 'KeyTooLongError'],
    ['that are not UTF-8', '/main/%ff%fe', 400, 'InvalidURI'],
    ['with a broken escape', '/main/%zz', 400, 'InvalidURI'],
    ['of a bucket that cannot be', '/Not_A_Bucket/key', 400, 'InvalidBucketName'],
    ['that climb', '/..%2f..%2fetc/passwd', 403, 'SignatureDoesNotMatch'],
    ['of a bucket that is not', '/no-such-bucket/key', 404, 'NoSuchBucket'],
  ])('%s', async (_name, path, status, code) => {
    // Signed by hand, because the URL must not be normalized.
    const bytes = await signedBytes(path.includes('%zz') || path.includes('%ff') ? '/main/x' : path, { 'content-length': '1' });
    const sent = bytes.replace('PUT /main/x ', `PUT ${path} `);
    expect(responseOf(await endpoint.raw(`${sent}x`, { until: ENDED }))).toEqual({ status, code });
  });

  it.each(['A', 'ab', 'has_underscore', 'Has-Upper', '192.168.0.1', 'a..b', '-ab', 'ab-', 'xn--abc', 'a'.repeat(64)])(
    'bucket %s',
    async (name) => {
      expect(await endpoint.send('PUT', `/${name}`)).toMatchObject({ status: 400, code: 'InvalidBucketName' });
    },
  );
});

describe('hostile XML', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "${'a'.repeat(100)}">${Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at} "&a;&a;&a;">`).join('')}]><Delete><Object><Key>&a8;</Key></Object></Delete>`;

  it.each([
    ['an entity bomb', bomb, 'MalformedXML'],
    [
      'an external entity',
      '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&x;</Key></Object></Delete>',
      'MalformedXML',
    ],
    ['1,001 keys', `<Delete>${'<Object><Key>a</Key></Object>'.repeat(1001)}</Delete>`, 'MalformedXML'],
    ['no keys', '<Delete/>', 'MalformedXML'],
    ['10,000 levels', '<Delete>'.repeat(10_000) + '</Delete>'.repeat(10_000), 'MalformedXML'],
    ['3 MiB', `<Delete><Object><Key>${'a'.repeat(3 * 1024 ** 2)}</Key></Object></Delete>`, 'MaxMessageLengthExceeded'],
  ])('with %s', async (_name, body, code) => {
    expect(await endpoint.send('POST', '/main', { query: { delete: '' }, body })).toMatchObject({ status: 400, code });
  });
});
