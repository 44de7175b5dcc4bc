import { describe, expect, it } from 'vitest';
import { verifySignature } from '../../server/service/s3/sigv4/verify-signature.js';
import { parseRequest } from '../../server/service/s3/messages/request.js';
import { encode, httpRequest, rawHeaders, signer, urlOf } from './signing.js';

const pair = { accessKeyId: 'SVCTEST', secretAccessKey: 'secret/with+odd=letters' };
const find = (id: string) => Promise.resolve(id === pair.accessKeyId ? { secret: pair.secretAccessKey, grant: id } : undefined);
const now = Date.parse('2026-11-21T05:35:34Z');
const UNSIGNED = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };

interface Given {
  method?: string;
  path?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  at?: number;
  /** Changes the request after it was signed. */
  tamper?: (signed: { method: string; url: string; headers: Record<string, string> }) => void;
}

const arrived = (method: string, url: string, headers: string[]) => ({
  id: '1',
  method,
  url,
  rawHeaders: headers,
  peer: '127.0.0.1',
});

async function byHeader({ method = 'PUT', path = '/bucket/key', query = {}, headers = {}, at = now, tamper }: Given = {}) {
  const signed = await signer(pair).sign(httpRequest(method, 'localhost:9000', path, query, { ...UNSIGNED, ...headers }), {
    signingDate: new Date(at),
  });
  const sent = { method, url: urlOf(signed), headers: signed.headers };
  tamper?.(sent);
  return verifySignature(parseRequest(arrived(sent.method, sent.url, rawHeaders(sent.headers))), find, now);
}

async function byQuery({ path = '/bucket/key', query = {}, at = now, tamper }: Given = {}, expiresIn = 900) {
  const signed = await signer(pair).presign(httpRequest('GET', 'localhost:9000', path, query, UNSIGNED), {
    expiresIn,
    signingDate: new Date(at),
  });
  const sent = { method: 'GET', url: urlOf(signed), headers: signed.headers };
  tamper?.(sent);
  return verifySignature(parseRequest(arrived(sent.method, sent.url, rawHeaders(sent.headers))), find, now);
}

const code = (code: string) => expect.objectContaining({ code });

describe('Signature V4 in the header', () => {
  it.each([
    '/bucket/key',
    '/bucket/a%20b%2Bc%25d',
    '/bucket/%C3%BC%F0%9F%90%98/%E2%82%AC',
    "/bucket/it%27s%20%28a%29%20*%21~'()",
    '/bucket/a//b/./../c',
    '/',
  ])('holds for %s', async (path) => {
    const { grant } = await byHeader({ path: decodeURIComponent(path).split('/').map(encode).join('/') });
    expect(grant).toBe(pair.accessKeyId);
  });

  it('is valid with queries that need encoding and sorting', async () => {
    const query = { prefix: 'a b/ü+&=', 'list-type': '2', delimiter: '/', A: '', a: '~' };
    expect((await byHeader({ method: 'GET', query })).grant).toBe(pair.accessKeyId);
  });

  it('is valid with folded white space and repeated header values', async () => {
    const headers = { 'x-amz-meta-one': '  a   b  ', 'x-amz-meta-two': 'c,d' };
    expect((await byHeader({ headers })).grant).toBe(pair.accessKeyId);
  });

  it.each<[string, (sent: { method: string; url: string; headers: Record<string, string> }) => void, string]>([
    [
      'a signature off by a bit',
      (s) => void (s.headers['authorization'] = flip(s.headers['authorization']!)),
      'SignatureDoesNotMatch',
    ],
    ['another method', (s) => void (s.method = 'DELETE'), 'SignatureDoesNotMatch'],
    ['another key', (s) => void (s.url = '/bucket/other'), 'SignatureDoesNotMatch'],
    ['a query added', (s) => void (s.url += '?acl='), 'SignatureDoesNotMatch'],
    ['another host', (s) => void (s.headers['host'] = 'evil'), 'SignatureDoesNotMatch'],
    ['another payload hash', (s) => void (s.headers['x-amz-content-sha256'] = 'a'.repeat(64)), 'SignatureDoesNotMatch'],
    ['a header added', (s) => void (s.headers['x-amz-acl'] = 'public-read'), 'AccessDenied'],
    ['a signed header left out', (s) => void delete s.headers['x-amz-meta-a'], 'SignatureDoesNotMatch'],
    ['no payload hash', (s) => void delete s.headers['x-amz-content-sha256'], 'InvalidRequest'],
    ['no date', (s) => void delete s.headers['x-amz-date'], 'AccessDenied'],
    ['no authorization', (s) => void delete s.headers['authorization'], 'AccessDenied'],
    ['an unknown key', (s) => replaceIn(s.headers, 'SVCTEST', 'SVCNONE'), 'InvalidAccessKeyId'],
    ['another service', (s) => replaceIn(s.headers, '/s3/', '/sqs/'), 'AuthorizationHeaderMalformed'],
    ['another day in the scope', (s) => replaceIn(s.headers, '/20261121/', '/20261120/'), 'AuthorizationHeaderMalformed'],
    ['the host not signed', (s) => replaceIn(s.headers, 'host;', ''), 'AccessDenied'],
    ['Signature V2', (s) => void (s.headers['authorization'] = 'AWS SVCTEST:abc='), 'InvalidRequest'],
    [
      'half an authorization',
      (s) => void (s.headers['authorization'] = 'AWS4-HMAC-SHA256 Credential=a'),
      'AuthorizationHeaderMalformed',
    ],
  ])('rejects %s', async (_name, tamper, expected) => {
    await expect(byHeader({ headers: { 'x-amz-meta-a': '1' }, tamper })).rejects.toEqual(code(expected));
  });

  it('allows a clock difference of at most fifteen minutes', async () => {
    const minute = 60_000;
    await byHeader({ at: now - 15 * minute });
    await byHeader({ at: now + 15 * minute });
    await expect(byHeader({ at: now - 15 * minute - 1000 })).rejects.toEqual(code('RequestTimeTooSkewed'));
    await expect(byHeader({ at: now + 15 * minute + 1000 })).rejects.toEqual(code('RequestTimeTooSkewed'));
  });

  it('rejects a repeated header', () => {
    const twice = (name: string) => () => parseRequest(arrived('PUT', '/b/k', ['Host', 'a', name, '1', name.toLowerCase(), '2']));
    for (const name of ['Host', 'Authorization', 'X-Amz-Date', 'X-Amz-Acl', 'Range'])
      expect(twice(name)).toThrow(code('InvalidRequest'));
    expect(twice('X-Amz-Meta-A')).not.toThrow();
  });
});

describe('presigned URLs', () => {
  it.each([1, 900, 604_800])('are valid for %i seconds', async (seconds) => {
    await byQuery({ at: now - seconds * 1000 }, seconds);
    await expect(byQuery({ at: now - seconds * 1000 - 1000 }, seconds)).rejects.toEqual(
      expect.objectContaining({ code: 'AccessDenied', message: 'Request has expired' }),
    );
  });

  it.each<[string, (sent: { url: string; headers: Record<string, string> }) => void, string]>([
    ['no life at all', (s) => void (s.url = s.url.replace('X-Amz-Expires=900', 'X-Amz-Expires=0')), 'AccessDenied'],
    [
      'more than a week',
      (s) => void (s.url = s.url.replace('Expires=900', 'Expires=604801')),
      'AuthorizationQueryParametersError',
    ],
    ['a longer life than was signed', (s) => void (s.url = s.url.replace('Expires=900', 'Expires=901')), 'SignatureDoesNotMatch'],
    ['a parameter given twice', (s) => void (s.url += '&X-Amz-Expires=900'), 'AuthorizationQueryParametersError'],
    ['a parameter added', (s) => void (s.url += '&response-content-type=text%2Fhtml'), 'SignatureDoesNotMatch'],
    ['a signature cut short', (s) => void (s.url = s.url.slice(0, -1)), 'SignatureDoesNotMatch'],
    ['a header added', (s) => void (s.headers['x-amz-copy-source'] = '/other/secret'), 'AccessDenied'],
    ['two ways of signing', (s) => void (s.headers['authorization'] = 'AWS4-HMAC-SHA256 Credential=a'), 'InvalidArgument'],
  ])('reject %s', async (_name, tamper, expected) => {
    await expect(byQuery({ tamper })).rejects.toEqual(code(expected));
  });

  it('are not valid before their time', async () => {
    await expect(byQuery({ at: now + 16 * 60_000 })).rejects.toEqual(code('AccessDenied'));
  });
});

const flip = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');

function replaceIn(headers: Record<string, string>, from: string, to: string): void {
  headers['authorization'] = headers['authorization']!.replace(from, to);
}
