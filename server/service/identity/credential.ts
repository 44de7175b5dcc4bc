/** The account and bucket that a request acts on. `authenticate` or the S3 signature determines them once per request. */
export interface Storage {
  accountId: string;
  bucketId: string;
}

/** The credential of a request. It is validated again when an upload commits, so that a revoked credential stores nothing. */
export interface Credential {
  kind: 'key' | 'token' | 's3' | 'session';
  id: string;
  /** The membership that gives access to the storage of a workspace. Its end refuses the commit too. */
  member?: { id: string; /** Account of the workspace's owner. */ accountId: string };
}

/** Returns the id of an upload token; null for other credentials. */
export const tokenIdOf = ({ kind, id }: Credential): string | null => (kind === 'token' ? id : null);

export const isSameCredential = (a: Credential, b: Credential): boolean => a.kind === b.kind && a.id === b.id;
