import type { LazyCommand } from '../lazy-command.js';

/** Commands that use S3, with the service or with any other store. */
export const bulkCommands: LazyCommand[] = [
  { name: 'cp', summary: 'Copy files to S3, from S3, or within S3', load: async () => (await import('./cp.js')).cpCommand() },
  { name: 'sync', summary: 'Make one location match another', load: async () => (await import('./sync.js')).syncCommand() },
  { name: 'ls', summary: 'List buckets and objects', load: async () => (await import('./ls.js')).lsCommand() },
  { name: 'rm', summary: 'Delete objects', load: async () => (await import('./rm.js')).rmCommand() },
  { name: 'mb', summary: 'Create a bucket', load: async () => (await import('./make-bucket.js')).mbCommand() },
  { name: 'rb', summary: 'Delete an empty bucket', load: async () => (await import('./remove-bucket.js')).rbCommand() },
  { name: 'du', summary: 'Show the number and size of objects', load: async () => (await import('./du.js')).duCommand() },
  { name: 'cat', summary: 'Write objects to standard output', load: async () => (await import('./cat.js')).catCommand() },
  {
    name: 'verify',
    summary: 'Compare the contents of a directory with objects',
    load: async () => (await import('./verify.js')).verifyCommand(),
  },
];
