import { describe, expect, it } from 'vitest';
import { dropSources } from '../../src/bulk/index.js';

const failToRead = (_: unknown, reject: (error: unknown) => void) => reject(new DOMException('gone', 'NotFoundError'));

/** Creates a directory entry that returns its children in batches, as browsers do. */
function createFolderEntry(fullPath: string, batches: FileSystemEntry[][]): FileSystemEntry {
  const reader = { readEntries: (resolve: (batch: FileSystemEntry[]) => void) => resolve(batches.shift() ?? []) };
  return { isFile: false, fullPath, createReader: () => reader } as unknown as FileSystemEntry;
}

function createFileEntry(fullPath: string): FileSystemEntry {
  const content = new File(['x'], fullPath.slice(fullPath.lastIndexOf('/') + 1));
  return { isFile: true, fullPath, file: (resolve: (file: File) => void) => resolve(content) } as unknown as FileSystemEntry;
}

describe('dropSources', () => {
  it('yields every dropped file and empty directory, and reports unreadable entries', async () => {
    const unread = { isFile: true, fullPath: '/a/gone', file: failToRead } as unknown as FileSystemEntry;
    const closed = {
      isFile: false,
      fullPath: '/a/closed',
      createReader: () => ({ readEntries: failToRead }),
    } as unknown as FileSystemEntry;
    const tree = createFolderEntry('/a', [
      [unread, createFileEntry('/a/b')],
      [closed, createFolderEntry('/a/empty', []), createFileEntry('/a/c')],
    ]);
    const items = [tree, createFileEntry('/d')].map((entry) => ({ webkitGetAsEntry: () => entry }));
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
