import type { Group } from '../groups.js';

/** The commands that work over S3. */
export const bulkGroups: Group[] = [
  { name: 'cp', description: 'copy files to S3, from S3, or within S3', load: async () => (await import('./cp.js')).cpCommand() },
  {
    name: 'sync',
    description: 'make a directory or prefix hold what another holds',
    load: async () => (await import('./sync.js')).syncCommand(),
  },
  { name: 'ls', description: 'list buckets and objects', load: async () => (await import('./ls.js')).lsCommand() },
  { name: 'rm', description: 'delete objects', load: async () => (await import('./rm.js')).rmCommand() },
  { name: 'mb', description: 'make a bucket', load: async () => (await import('./mb.js')).mbCommand() },
  { name: 'rb', description: 'remove a bucket that is empty', load: async () => (await import('./rb.js')).rbCommand() },
  { name: 'du', description: 'count objects and bytes', load: async () => (await import('./du.js')).duCommand() },
  { name: 'cat', description: 'write objects to standard output', load: async () => (await import('./cat.js')).catCommand() },
  {
    name: 'verify',
    description: 'compare a directory with objects, byte by byte',
    load: async () => (await import('./verify.js')).verifyCommand(),
  },
  {
    name: 'completion',
    description: 'print what makes a shell complete svc-blob',
    load: async () => (await import('./completion.js')).completionCommand(),
  },
];
