import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import { DEFAULT_MODE } from '../../src/bulk/node/files/write-file.js';
import { client, createBucket, createTransfer, createFolder } from './s3-store.js';

const MiB = 1024 * 1024;

const put = (Bucket: string, Key: string, Body: string | Buffer) => client.send(new PutObjectCommand({ Bucket, Key, Body }));

describe('BulkTransfer.download', () => {
  it('restores bytes, times, modes and empty directories of an upload', async () => {
    const source = createFolder();
    const big = randomBytes(25 * MiB + 11);
    mkdirSync(join(source, 'd/e'), { recursive: true });
    mkdirSync(join(source, 'void'));
    writeFileSync(join(source, 'd/e/empty'), '');
    writeFileSync(join(source, 'd/run.sh'), 'x', { mode: 0o750 });
    writeFileSync(join(source, 'big'), big);
    const bucket = await createBucket();
    const bulk = createTransfer();
    await bulk.upload(walk(source), { bucket, prefix: 'p/' });
    const target = createFolder();
    const summary = await bulk.download({ bucket, prefix: 'p/' }, new FolderTarget(target));
    expect(summary).toMatchObject({ files: 4, failed: 0 });
    expect(readFileSync(join(target, 'big')).equals(big)).toBe(true);
    expect(readdirSync(target).sort()).toEqual(['big', 'd', 'void']);
    expect(statSync(join(target, 'd/run.sh')).mode & 0o777).toBe(0o750 & DEFAULT_MODE);
    for (const path of ['big', 'd/run.sh', 'd/e/empty'])
      expect(Math.abs(statSync(join(target, path)).mtimeMs - statSync(join(source, path)).mtimeMs)).toBeLessThan(0.0025);
  });

  it('skips the empty object that marks the folder itself', async () => {
    const bucket = await createBucket();
    await put(bucket, 'p/', '');
    await put(bucket, 'p/f', 'x');
    const target = createFolder();
    const download = () => createTransfer().download({ bucket, prefix: 'p/' }, new FolderTarget(target));
    expect(await download()).toMatchObject({ files: 1, failed: 0 });
    // A marker with content is a file of another program, but no local file can have its name.
    await put(bucket, 'p/', 'bytes');
    expect(await download()).toMatchObject({ files: 1, failures: [{ code: 'NameUnsafe', name: 'p/' }] });
  });

  it('keeps times before 1970', async () => {
    const [source, target] = [createFolder(), createFolder()];
    const times = { small: -315_619_200, early: -0.25, large: -86_400.5 };
    for (const [name, time] of Object.entries(times)) {
      writeFileSync(join(source, name), randomBytes(name === 'large' ? 2 * MiB : 10));
      execFileSync('touch', ['-d', `@${time}`, join(source, name)]);
    }
    const place = { bucket: await createBucket(), prefix: '' };
    const tree = () => walk(target, { sorted: true });
    await createTransfer().upload(walk(source), place);
    expect(await createTransfer().syncDown(place, new FolderTarget(target), tree, {})).toMatchObject({ files: 3 });
    for (const [name, time] of Object.entries(times)) expect(statSync(join(target, name)).mtimeMs).toBeCloseTo(time * 1000, 1);
    expect(await createTransfer().syncDown(place, new FolderTarget(target), tree, {})).toMatchObject({ files: 0, skipped: 3 });
  });

  it('reports the directory or file that blocks a target', async () => {
    const place = { bucket: await createBucket(), prefix: 'p/' };
    for (const key of ['p/a', 'p/b/c']) await put(place.bucket, key, key);
    const target = createFolder();
    mkdirSync(join(target, 'a/full'), { recursive: true });
    writeFileSync(join(target, 'b'), '');
    const { failures } = await createTransfer().download(place, new FolderTarget(target));
    const problem = {
      code: 'NameTaken',
      message: expect.stringMatching(/stands where/),
      advice: expect.stringMatching(/^Move the existing file away/),
    };
    expect(failures).toMatchObject([problem, problem]);
    const file = await createTransfer().download(place, new FolderTarget(join(target, 'b')));
    expect(file.failures).toMatchObject([problem, problem]);
  });

  it('never writes outside the target, whatever the keys are', async () => {
    const bucket = await createBucket();
    const bulk = createTransfer();
    const bad = ['p//double', 'p/a//b', 'p//etc/passwd'];
    for (const key of bad) await put(bucket, key, 'bad');
    // The SDK resolves such segments, so the test sends the requests itself.
    const traps = ['p/../../escape', 'p/./dot', 'p/a/../../../b', 'p/..'];
    for (const key of traps)
      await bulk.store.send({
        method: 'PUT',
        bucket,
        key,
        body: new Uint8Array(1),
        payloadHash: 'UNSIGNED-PAYLOAD',
        signal: new AbortController().signal,
      });
    await put(bucket, 'p/good', 'good');
    const outer = createFolder();
    const target = join(outer, 'a/b/c');
    const summary = await bulk.download({ bucket, prefix: 'p/' }, new FolderTarget(target));
    expect(summary.failures.map((failure) => failure.name).sort()).toEqual([...bad, ...traps].sort());
    expect(new Set(summary.failures.map((failure) => failure.code))).toEqual(new Set(['NameUnsafe']));
    expect(summary.files).toBe(1);
    expect([...walk(outer)].map((file) => file.path)).toEqual(['a/b/c/good']);
    // The advice names a command that works.
    expect(summary.failures.find(({ name }) => name === 'p/./dot')).toMatchObject({
      message: 'p/./dot: the name has a segment "." or "..".',
      advice: expect.stringContaining('Copy this object by itself with cp'),
    });
    const named = await bulk.downloadExact({ bucket, prefix: 'p/./dot' }, new FolderTarget(target), 'named', {});
    expect(named).toMatchObject({ files: 1, failed: 0 });
  });

  it('with onlyNew keeps a file that another program creates at the same time', async () => {
    const bucket = await createBucket();
    await put(bucket, 'a', 'theirs');
    const folder = createFolder();
    const target = new FolderTarget(folder);
    const exists = target.exists.bind(target);
    target.exists = (path) => {
      const before = exists(path);
      writeFileSync(join(folder, path), 'mine');
      return before;
    };
    const summary = await createTransfer().download({ bucket, prefix: '' }, target, { onlyNew: true });
    expect(summary).toMatchObject({ files: 0, skipped: 1, failed: 0 });
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('mine');
    expect(readdirSync(folder)).toEqual(['a']);
    await put(bucket, 'b', 'new');
    const other = createFolder();
    expect(await createTransfer().download({ bucket, prefix: '' }, new FolderTarget(other), { onlyNew: true })).toMatchObject({
      files: 2,
    });
    expect(readdirSync(other)).toEqual(['a', 'b']);
    // A dangling symbolic link counts as an existing file.
    const linked = createFolder();
    symlinkSync('/no/such', join(linked, 'a'));
    const linkedTarget = new FolderTarget(linked);
    expect(await createTransfer().download({ bucket, prefix: '' }, linkedTarget, { onlyNew: true })).toMatchObject({
      files: 1,
      skipped: 1,
    });
    linkedTarget.exists = () => false;
    expect(await createTransfer().download({ bucket, prefix: '' }, linkedTarget, { onlyNew: true })).toMatchObject({
      files: 0,
      skipped: 2,
    });
    expect(readlinkSync(join(linked, 'a'))).toBe('/no/such');
  });

  it('reports the same failures with and without onlyNew', async () => {
    const bucket = await createBucket();
    for (const key of ['a/b', `x${'y'.repeat(300)}`]) await put(bucket, key, '.');
    const folder = createFolder();
    writeFileSync(join(folder, 'a'), 'a file');
    const failureCodes = async (onlyNew: boolean) => {
      const { failures } = await createTransfer().download({ bucket, prefix: '' }, new FolderTarget(folder), { onlyNew });
      return failures.map(({ code }) => code).sort();
    };
    expect(await failureCodes(true)).toEqual(await failureCodes(false));
    expect(await failureCodes(true)).toEqual(['NameTaken', 'NameUnsafe']);
  });

  it('keeps names with different Unicode forms, line breaks and backslashes', async () => {
    const bucket = await createBucket();
    const bulk = createTransfer();
    const names = ['caf\u00E9', 'cafe\u0301', 'back\\slash', 'new\nline', '-rf', ' lead', '漢🙂'];
    for (const name of names) await put(bucket, name, name);
    const target = createFolder();
    expect(await bulk.download({ bucket, prefix: '' }, new FolderTarget(target))).toMatchObject({
      files: names.length,
      failed: 0,
    });
    for (const name of names) expect(readFileSync(join(target, name), 'utf8')).toBe(name);
  });

  it('fails a file that cannot be written and continues with the others', async () => {
    const bucket = await createBucket();
    await put(bucket, 'a', 'file');
    await put(bucket, 'a/b', 'below a file');
    await put(bucket, 'c', 'fine');
    const target = createFolder();
    const summary = await createTransfer().download({ bucket, prefix: '' }, new FolderTarget(target), { concurrency: 1 });
    expect(summary).toMatchObject({ files: 2, failed: 1, failures: [{ code: 'NameTaken' }] });
    expect(existsSync(join(target, 'c'))).toBe(true);
    expect(readdirSync(target).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('BulkTransfer.read', () => {
  it('rejects if the object is replaced while it is read', async () => {
    const bucket = await createBucket();
    await put(bucket, 'one', Buffer.alloc(20 * 1024 * 1024));
    const pieces = createTransfer().read({ bucket, prefix: 'one' }, { ahead: 1 });
    await pieces.next();
    await put(bucket, 'one', 'other');
    const rest = async () => {
      for await (const _ of pieces);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'FileChanged', status: 412 });
  });

  it('yields the bytes of an object in order', async () => {
    const bucket = await createBucket();
    const bytes = randomBytes(20 * MiB + 3);
    await put(bucket, 'one', bytes);
    const pieces: Uint8Array[] = [];
    for await (const piece of createTransfer().read({ bucket, prefix: 'one' })) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    await expect(createTransfer().read({ bucket, prefix: 'none' }).next()).rejects.toMatchObject({ code: 'NoSuchKey' });
  });
});
