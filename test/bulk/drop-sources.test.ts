import { describe, expect, it } from 'vitest';
import { dropSources } from '../../src/bulk/index.js';

const fails = (_: unknown, reject: (error: unknown) => void) => reject(new DOMException('gone', 'NotFoundError'));

/** A directory as browsers hand it out, in batches. */
function folder(fullPath: string, batches: FileSystemEntry[][]): FileSystemEntry {
  const reader = { readEntries: (resolve: (batch: FileSystemEntry[]) => void) => resolve(batches.shift() ?? []) };
  return { isFile: false, fullPath, createReader: () => reader } as unknown as FileSystemEntry;
}

function file(fullPath: string): FileSystemEntry {
  const one = new File(['x'], fullPath.slice(fullPath.lastIndexOf('/') + 1));
  return { isFile: true, fullPath, file: (resolve: (file: File) => void) => resolve(one) } as unknown as FileSystemEntry;
}

describe('what is dropped', () => {
  it('comes in full, but for what cannot be read, which is told', async () => {
    const unread = { isFile: true, fullPath: '/a/gone', file: fails } as unknown as FileSystemEntry;
    const closed = {
      isFile: false,
      fullPath: '/a/closed',
      createReader: () => ({ readEntries: fails }),
    } as unknown as FileSystemEntry;
    const tree = folder('/a', [
      [unread, file('/a/b')],
      [closed, folder('/a/empty', []), file('/a/c')],
    ]);
    const items = [tree, file('/d')].map((entry) => ({ webkitGetAsEntry: () => entry }));
    const found: unknown[] = [];
    for await (const { path, directory, problem } of dropSources({ items } as unknown as DataTransfer))
      found.push([path, problem?.code ?? (directory ? 'directory' : 'file')]);
    expect(found).toEqual([
      ['a/gone', 'SourceUnreadable'],
      ['a/b', 'file'],
      ['a/closed', 'SourceUnreadable'],
      ['a/empty', 'directory'],
      ['a/c', 'file'],
      ['d', 'file'],
    ]);
  });
});
