import { describe, expect, it } from 'vitest';
import { ResponseParser } from '../../src/bulk/node/http/response-parser.js';

describe('ResponseParser', () => {
  const parse = (text: string, step: number, method = 'GET') => {
    const result = { status: 0, headers: {} as Record<string, string>, body: '', ends: [] as boolean[] };
    const parser = new ResponseParser({
      onHead: (status, headers) => Object.assign(result, { status, headers }),
      onBody: (piece) => (result.body += Buffer.from(piece).toString('latin1')),
      onEnd: (reusable) => result.ends.push(reusable),
    });
    parser.expect(method);
    const bytes = Buffer.from(text, 'latin1');
    for (let offset = 0; offset < bytes.length && result.ends.length === 0; offset += step)
      parser.feed(bytes.subarray(offset, offset + step));
    return { ...result, isComplete: parser.closed() };
  };

  it('reads a response in pieces of any size', () => {
    const chunked =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: "x"\r\nX: 1\r\nX: 2\r\n\r\n5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: y\r\n\r\n';
    const fixed = 'HTTP/1.1 206 Partial\r\nContent-Length: 11\r\nConnection: close\r\n\r\nhello world';
    for (const step of [1, 2, 3, 7, 1000]) {
      expect(parse(chunked, step)).toMatchObject({
        status: 200,
        body: 'hello world',
        headers: { etag: '"x"', x: '1, 2' },
        ends: [true],
      });
      expect(parse(fixed, step)).toMatchObject({ status: 206, body: 'hello world', ends: [false] });
      expect(parse('HTTP/1.0 200 OK\r\n\r\nto the end', step)).toMatchObject({
        body: 'to the end',
        ends: [false],
        isComplete: true,
      });
    }
    expect(parse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 100, 'HEAD')).toMatchObject({ body: '', ends: [true] });
    expect(parse('HTTP/1.1 204 None\r\n\r\n', 100)).toMatchObject({ ends: [true] });
    expect(parse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell', 100)).toMatchObject({ ends: [], isComplete: false });
  });

  it('rejects bytes that are not HTTP', () => {
    for (const text of [
      'SSH-2.0-x\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ])
      expect(() => parse(text, 1000)).toThrow(/server sent/);
  });
});
