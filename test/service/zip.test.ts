import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { centralHeader, dataDescriptor, localHeader } from '../../server/service/http/zip/zip-headers.js';
import { zipNames } from '../../server/service/http/zip/zip-names.js';
import { zipSize, zipStream } from '../../server/service/http/zip/zip-stream.js';
import type { ZipEntry } from '../../server/service/http/zip/zip-stream.js';
import { TestService } from './support.js';

const MAX_32 = 0xffff_ffff;

/** Reads an archive as programs do, from the list at its end. @throws if a checksum is wrong */
function readArchive(archive: Buffer): Record<string, string> {
  const end = archive.lastIndexOf(Buffer.from('PK\u0005\u0006'));
  const contents: Record<string, string> = {};
  let at = archive.readUInt32LE(end + 16);
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    const size = archive.readUInt32LE(at + 20);
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = archive.subarray(start, start + size);
    expect(archive.toString('utf8', local + 30, local + 30 + nameLength)).toBe(name);
    expect(archive.readUInt32LE(at + 16)).toBe(crc32(content));
    contents[name] = content.toString('utf8');
    at += 46 + nameLength + archive.readUInt16LE(at + 30);
  }
  expect(at).toBe(end);
  return contents;
}

describe('the archive of a folder', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start();
    await service.put(`album/${encodeURIComponent('Grüße 🎉.txt')}`, 'hello');
    await service.put('album/deep/empty.bin', '');
    await service.put('album/deep/large.bin', new Uint8Array(300_000).fill(7));
    await service.put('album2/other.txt', 'other');
  });
  afterAll(() => service.stop());
  const get = (query: string) =>
    fetch(`${service.url}/v1/files/zip${query}`, { headers: { Authorization: `Bearer ${service.key}` } });

  it('contains every file below the prefix and no other one, with the announced length', async () => {
    const response = await get('?prefix=album');
    const archive = Buffer.from(await response.arrayBuffer());

    expect(response.headers.get('content-disposition')).toContain('filename="album.zip"');
    expect(Number(response.headers.get('content-length'))).toBe(archive.length);
    expect(readArchive(archive)).toEqual({
      'Grüße 🎉.txt': 'hello',
      'deep/empty.bin': '',
      'deep/large.bin': '\u0007'.repeat(300_000),
    });
  });

  it('contains the whole storage without a prefix, and fails for an empty folder', async () => {
    expect(Object.keys(readArchive(Buffer.from(await (await get('')).arrayBuffer())))).toContain('album2/other.txt');
    expect((await service.call('GET', '/v1/files/zip?prefix=nothing')).error.code).toBe('FILE_NOT_FOUND');
  });

  it('contains several files and folders, each folder with its name', async () => {
    const list = await service.call<{ files: { id: string }[] }>('GET', '/v1/files?prefix=album2/');
    const file = list.response.files[0]!;
    const response = await get(`?prefix=album/deep&prefix=album2&id=${file.id}&id=${file.id}`);
    expect(response.headers.get('content-disposition')).toContain('filename="files.zip"');
    expect(Object.keys(readArchive(Buffer.from(await response.arrayBuffer()))).sort()).toEqual([
      'album2/other.txt',
      'deep/empty.bin',
      'deep/large.bin',
      'other.txt',
    ]);
    const one = await get(`?id=${file.id}`);
    expect(readArchive(Buffer.from(await one.arrayBuffer()))).toEqual({ 'other.txt': 'other' });
  });

  it('names an unknown file, and refuses too many', async () => {
    const { error } = await service.call('GET', '/v1/files/zip?prefix=album&id=file_unknown');
    expect(error).toMatchObject({ code: 'FILE_NOT_FOUND', details: { id: 'file_unknown' } });
    const many = Array.from({ length: 201 }, (_, n) => `id=f${n}`).join('&');
    expect((await service.call('GET', `/v1/files/zip?${many}`)).error.code).toBe('VALIDATION_ERROR');
  });

  it('breaks off if a file is deleted before it is read', async () => {
    const { core } = service.service;
    const storage = (await core.accounts.mainStorage('main'))!;
    const list = core.blobs.list.bind(core.blobs);
    await service.put('fading/1.txt', 'one');
    await service.put('fading/2.txt', 'two');
    core.blobs.list = async (...args) => {
      const listing = await list(...args);
      await core.blobs.delete(storage, 'fading/2.txt');
      return listing;
    };
    try {
      await expect(
        fetch(`${service.ownUrl}/v1/files/zip?prefix=fading`, { headers: { Authorization: `Bearer ${service.key}` } }).then(
          (response) => response.arrayBuffer(),
        ),
      ).rejects.toThrow();
    } finally {
      core.blobs.list = list;
    }
  });
});

describe('zipNames', () => {
  it('makes keys safe that programs would resolve or refuse', () => {
    expect(zipNames(['../../etc/passwd', '/root', 'a\\b', 'con', 'x/', 'line\nbreak'])).toEqual([
      'file/file/etc/passwd',
      'root',
      'b',
      '-con',
      'x/',
      'line-break',
    ]);
  });

  it('gives each file its own name, also where case does not count or a folder has it', () => {
    expect(zipNames(['A.txt', 'a.txt', 'b', 'b/c'])).toEqual(['A.txt', 'a (2).txt', 'b (2)', 'b/c']);
  });
});

describe('zipStream', () => {
  const entry = (name: string, content: string, size = content.length): ZipEntry => ({
    name,
    size,
    modifiedAt: 0,
    read: async () => [Buffer.from(content)] as never,
  });
  const collect = async (entries: ZipEntry[]): Promise<Buffer> => {
    const chunks = [];
    for await (const chunk of zipStream(entries)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  it('refuses a file of another size than announced', async () => {
    await expect(collect([entry('a', 'abc', 4)])).rejects.toThrow('3 bytes instead of 4');
  });

  it('uses ZIP64 from 65,535 files', async () => {
    const entries = Array.from({ length: 65_535 }, (_, number) => entry(`${number}`, ''));
    const archive = await collect(entries);
    const record = archive.length - 22 - 20 - 56;
    expect(archive.length).toBe(zipSize(entries));
    expect(archive.readUInt32LE(record)).toBe(0x0606_4b50);
    expect(archive.readBigUInt64LE(record + 32)).toBe(65_535n);
    expect(archive.readBigUInt64LE(archive.length - 22 - 20 + 8)).toBe(BigInt(record));
  });

  it('uses ZIP64 from 4 GiB', () => {
    const large = { name: 'a', size: 5 * 1024 ** 3, modifiedAt: 0 };
    const central = centralHeader(large, 1, 6 * 1024 ** 3);
    expect(localHeader(large).readUInt16LE(28)).toBe(20);
    expect(dataDescriptor(large.size, 1).readBigUInt64LE(16)).toBe(BigInt(large.size));
    expect([central.readUInt32LE(20), central.readUInt32LE(24), central.readUInt32LE(42)]).toEqual([MAX_32, MAX_32, MAX_32]);
    expect([0, 8, 16].map((at) => Number(central.readBigUInt64LE(46 + 1 + 4 + at)))).toEqual([
      large.size,
      large.size,
      6 * 1024 ** 3,
    ]);
  });
});
