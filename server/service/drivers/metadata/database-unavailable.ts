/**
 * The database is away, too slow or read-only. A retry may succeed. Nothing was acknowledged, but a commit whose response was lost may have
 * happened. The service responds with 503 and `Retry-After`.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** PostgreSQL's SQLSTATE, or the code of a socket error. */
  readonly code: string | undefined;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.code = (cause as { code?: string } | undefined)?.code;
  }
}

/**
 * SQLSTATEs after which a retry may succeed: https://www.postgresql.org/docs/current/errcodes-appendix.html. Class 08: connections.
 * Class 57: the server ends, starts or cancels. 25006: read-only. 25P03, 25P04: a transaction took too long. 53300: too many connections.
 * 55P03: a lock was not released in time. 40001, 40P01: conflicts that several tries did not resolve.
 */
const UNAVAILABLE = /^(08...|57...|25006|25P0[34]|53300|55P03|40001|40P01)$/;

/** SQLSTATEs after which no open connection can be used: a shutdown, or a primary that became a standby. */
const WRONG_SERVER = /^(25006|57P0[1-3])$/;

export const isUnavailable = (cause: unknown): boolean => {
  const { code, severity } = Object(cause) as { code?: string; severity?: string };
  // Errors of the server have a severity. Errors without one come from the connection.
  if (severity === undefined) return cause instanceof Error && !(cause instanceof TypeError);
  return UNAVAILABLE.test(code ?? '');
};

export const isWrongServer = (cause: unknown): boolean => WRONG_SERVER.test((Object(cause) as { code?: string }).code ?? '');

/** Wraps an error in `DatabaseUnavailable` if a retry may succeed. Returns other errors unchanged. */
export function toDatabaseError(cause: unknown): unknown {
  if (cause instanceof DatabaseUnavailable || !isUnavailable(cause)) return cause;
  // For a host with several addresses Node puts the messages into a list.
  const { message, code } = cause as Error & { code?: string };
  return new DatabaseUnavailable(message || code || 'The database cannot be reached.', cause);
}
