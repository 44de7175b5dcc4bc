/** Clients of a request that met an unavailable database try again after this many seconds. */
export const RETRY_AFTER_SECONDS = 5;

/**
 * The database did not do its work now, and may do it later: it is away, too slow, or read-only. Nothing was acknowledged, although a commit
 * whose answer was lost may have happened. The service answers 503 with `Retry-After`.
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
 * SQLSTATEs of a database that cannot serve now: https://www.postgresql.org/docs/current/errcodes-appendix.html. Class 08: connections.
 * Class 57: the server ends, starts or cancels. 25006: read-only. 25P03, 25P04: a transaction took too long. 53300: too many connections.
 * 55P03: a lock was not released in time. 40001, 40P01: conflicts that several tries did not resolve.
 */
const UNAVAILABLE = /^(08...|57...|25006|25P0[34]|53300|55P03|40001|40P01)$/;

/** SQLSTATEs after which every connection that is open leads to the wrong server, or to none: a shutdown, or a primary that became a standby. */
const WRONG_SERVER = /^(25006|57P0[1-3])$/;

export const isUnavailable = (cause: unknown): boolean => {
  const { code, severity } = Object(cause) as { code?: string; severity?: string };
  // Errors of the server have a severity. Others come from the connection.
  if (severity === undefined) return cause instanceof Error && !(cause instanceof TypeError);
  return UNAVAILABLE.test(code ?? '');
};

export const isWrongServer = (cause: unknown): boolean => WRONG_SERVER.test((Object(cause) as { code?: string }).code ?? '');

/** The error as `DatabaseUnavailable` if trying again later may help, otherwise as it is. */
export function toDatabaseError(cause: unknown): unknown {
  if (cause instanceof DatabaseUnavailable || !isUnavailable(cause)) return cause;
  // A host of several addresses has its errors in a list, and no message.
  const { message, code } = cause as Error & { code?: string };
  return new DatabaseUnavailable(message || code || 'The database cannot be reached.', cause);
}
