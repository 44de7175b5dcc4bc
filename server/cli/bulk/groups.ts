import type { Group } from '../groups.js';

/** The commands that work over S3. */
export const bulkGroups: Group[] = [
  { name: 'cp', description: 'copy files to S3, from S3, or within S3', load: async () => (await import('./cp.js')).cpCommand() },
  { name: 'ls', description: 'list objects', load: async () => (await import('./ls.js')).lsCommand() },
  { name: 'rm', description: 'delete objects', load: async () => (await import('./rm.js')).rmCommand() },
];
