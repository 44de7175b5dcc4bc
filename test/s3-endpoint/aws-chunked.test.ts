import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chunkSigner } from '../../server/service/s3/sigv4/chunk-signer.js';
import type { RequestSignature } from '../../server/service/s3/sigv4/request-signature.js';
import { signingKey } from '../../server/service/s3/sigv4/signing-key.js';
import { equalSecret } from '../../server/service/s3/sigv4/verify-signature.js';
import { AwsChunkedDecoder } from '../../server/service/s3/body/aws-chunked-decoder.js';

/**
 * The example AWS publishes: 66,560 bytes "a" in chunks of 64 KiB.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
const published = {
  signature: {
    date: '20130524',
    region: 'us-east-1',
    amzDate: '20130524T000000Z',
    value: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
  } as RequestSignature,
  key: signingKey('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', '20130524', 'us-east-1'),
  signatures: [
    'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
    '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
    'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
  ],
};

function publishedBody(): Buffer {
  const [one, two, three] = published.signatures;
  return Buffer.concat([
    Buffer.from(`10000;chunk-signature=${one}\r\n`),
    Buffer.alloc(65_536, 'a'),
    Buffer.from(`\r\n400;chunk-signature=${two}\r\n`),
    Buffer.alloc(1024, 'a'),
    Buffer.from(`\r\n0;chunk-signature=${three}\r\n\r\n`),
  ]);
}

function decode(
  body: Buffer,
  options: Partial<ConstructorParameters<typeof AwsChunkedDecoder>[0]>,
  cut = body.length,
): { data: Buffer; decoder: AwsChunkedDecoder } {
  const decoder = new AwsChunkedDecoder({ decodedLength: 66_560, equal: equalSecret, ...options });
  const out: Buffer[] = [];
  for (let at = 0; at < body.length; at += cut) out.push(...decoder.push(body.subarray(at, at + cut)));
  decoder.end();
  return { data: Buffer.concat(out), decoder };
}

const code = (code: string) => expect.objectContaining({ code });

describe('aws-chunked with signed chunks', () => {
  it.each([1, 2, 3, 17, 1000, 65_536, 100_000])('reads the published example in pieces of %i', (cut) => {
    const { data } = decode(publishedBody(), { signer: chunkSigner(published) }, cut);
    expect(data.equals(Buffer.alloc(66_560, 'a'))).toBe(true);
  });

  it('rejects changed bytes, changed signatures, exchanged chunks and missing chunks', () => {
    const run = (change: (body: string) => string) => () =>
      decode(Buffer.from(change(publishedBody().toString('latin1')), 'latin1'), { signer: chunkSigner(published) });
    const [one, two] = published.signatures as [string, string];
    expect(run((body) => body.replace('aaaa', 'aaba'))).toThrow(code('SignatureDoesNotMatch'));
    expect(run((body) => body.replace(one, one.replace('a', 'b')))).toThrow(code('SignatureDoesNotMatch'));
    expect(run((body) => body.replace(one, two))).toThrow(code('SignatureDoesNotMatch'));
    expect(run((body) => body.replace(`;chunk-signature=${one}`, ''))).toThrow(code('SignatureDoesNotMatch'));
    const second = `400;chunk-signature=${two}\r\n${'a'.repeat(1024)}\r\n`;
    expect(run((body) => body.replace(second, ''))).toThrow(code('SignatureDoesNotMatch'));
  });

  it('verifies a signed trailer and rejects a changed one', () => {
    const chain = chunkSigner(published);
    const data = Buffer.from('hello');
    const first = chain.chunk(createHash('sha256').update(data).digest('hex'));
    const last = chain.chunk(createHash('sha256').digest('hex'));
    const trailer = chain.trailer('x-amz-checksum-crc32:NhCmhg==\n');
    const body = (value: string, end = `x-amz-trailer-signature:${trailer}\r\n`) =>
      Buffer.from(
        `5;chunk-signature=${first}\r\nhello\r\n0;chunk-signature=${last}\r\nx-amz-checksum-crc32:${value}\r\n${end}\r\n`,
      );
    const options = () => ({ decodedLength: 5, signer: chunkSigner(published), trailers: ['x-amz-checksum-crc32'] });
    for (const cut of [1, 5, 1000]) {
      const { decoder } = decode(body('NhCmhg=='), options(), cut);
      expect(decoder.trailers.get('x-amz-checksum-crc32')).toBe('NhCmhg==');
    }
    expect(() => decode(body('AAAAAA=='), options())).toThrow(code('SignatureDoesNotMatch'));
    expect(() => decode(body('NhCmhg==', ''), options())).toThrow(code('MalformedTrailerError'));
  });
});

describe('aws-chunked without signatures', () => {
  const options = { decodedLength: 5, trailers: ['x-amz-checksum-crc32'] };
  const good = '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n';

  it.each([1, 3, 1000])('reads the data and its trailer in pieces of %i', (cut) => {
    const { data, decoder } = decode(Buffer.from(good), options, cut);
    expect(data.toString()).toBe('hello');
    expect(decoder.trailers.get('x-amz-checksum-crc32')).toBe('NhCmhg==');
  });

  it.each([
    ['a chunk longer than it says', '4\r\nhello\r\n0\r\nx-amz-checksum-crc32:a\r\n\r\n', 'IncompleteBody'],
    ['a chunk shorter than it says', '6\r\nhello\r\n0\r\nx-amz-checksum-crc32:a\r\n\r\n', 'IncompleteBody'],
    ['more data than announced', '5\r\nhello\r\n1\r\nx\r\n0\r\nx-amz-checksum-crc32:a\r\n\r\n', 'IncompleteBody'],
    ['less data than announced', '4\r\nhell\r\n0\r\nx-amz-checksum-crc32:a\r\n\r\n', 'IncompleteBody'],
    ['an end inside a chunk', '5\r\nhel', 'IncompleteBody'],
    ['no last chunk', '5\r\nhello\r\n', 'IncompleteBody'],
    ['no trailer', '5\r\nhello\r\n0\r\n\r\n', 'MalformedTrailerError'],
    ['another trailer', '5\r\nhello\r\n0\r\nx-evil:1\r\n\r\nx-amz-checksum-crc32:a\r\n\r\n', 'MalformedTrailerError'],
    [
      'a trailer given twice',
      '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:a\r\nx-amz-checksum-crc32:b\r\n\r\n',
      'MalformedTrailerError',
    ],
    ['bytes after the end', `${good}GET / HTTP/1.1\r\n`, 'InvalidRequest'],
    ['a size that is no number', 'zz\r\nhello\r\n0\r\n\r\n', 'InvalidRequest'],
    ['a negative size', '-5\r\nhello\r\n0\r\n\r\n', 'InvalidRequest'],
    ['a size beyond all bounds', 'ffffffffffffffff\r\n', 'InvalidRequest'],
    ['a size line without end', `5;${'x'.repeat(600)}`, 'InvalidRequest'],
  ])('rejects %s', (_name, body, expected) => {
    expect(() => decode(Buffer.from(body), options)).toThrow(code(expected));
    expect(() => decode(Buffer.from(body), options, 1)).toThrow(code(expected));
  });
});

it('aws-chunked with chunks of one byte is decoded into larger pieces', () => {
  const decoder = new AwsChunkedDecoder({ decodedLength: 10_000, equal: equalSecret });
  const out = decoder.push(Buffer.from('1\r\na\r\n'.repeat(10_000)));
  expect(out.map((data) => data.length)).toEqual([10_000]);
});
