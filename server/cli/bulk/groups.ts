import type { Group } from '../group.js';

/** Commands that speak S3, to the service or to any other store. */
export const bulkGroups: Group[] = [
  { name: 'cp', description: 'copy files to S3, from S3, or within S3', load: async () => (await import('./cp.js')).cpCommand() },
  {
    name: 'sync',
    description: 'make one location match another',
    load: async () => (await import('./sync.js')).syncCommand(),
  },
  { name: 'ls', description: 'list buckets and objects', load: async () => (await import('./ls.js')).lsCommand() },
  { name: 'rm', description: 'delete objects', load: async () => (await import('./rm.js')).rmCommand() },
  { name: 'mb', description: 'create a bucket', load: async () => (await import('./make-bucket.js')).mbCommand() },
  { name: 'rb', description: 'delete an empty bucket', load: async () => (await import('./remove-bucket.js')).rbCommand() },
  { name: 'du', description: 'sum up objects and bytes', load: async () => (await import('./du.js')).duCommand() },
  { name: 'cat', description: 'write objects to standard output', load: async () => (await import('./cat.js')).catCommand() },
  {
    name: 'verify',
    description: 'compare the files of a directory with objects, byte by byte',
    load: async () => (await import('./verify.js')).verifyCommand(),
  },
];
