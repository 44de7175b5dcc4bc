import { Socket } from 'node:net';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { DatabaseUnavailable, isWrongServer, toDatabaseError } from './database-unavailable.js';

/** Time to open a connection or to wait for a free one. */
const CONNECT_TIMEOUT_MS = 8000;
/** TCP keepalive starts after this time. It detects a lost host after about ten more seconds. */
const PROBE_AFTER_MS = 5000;
/** Time for running queries when the pools are closed. */
const CLOSE_TIMEOUT_MS = 3000;
/** Id of PostgreSQL's type bigint. */
const INT8 = 20;

/** Limits of a pool. Times in ms; 0 for no limit. */
export interface PoolLimits {
  /** Connections at most. */
  max: number;
  /** The server cancels a statement after this time. */
  statement: number;
  /** The server cancels a statement that waits this long for a lock. */
  lock: number;
  /** This process gives up a response after this time. Longer than `statement`, so that it passes only on a dead connection. */
  response: number;
}

/** The server ends a transaction that is idle for this long and frees its locks. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/**
 * Settings of each connection. A server configured with `synchronous_commit = off` would lose acknowledged files in a crash; stronger settings
 * stay. A query sets them, because poolers such as PgBouncer refuse unknown start-up parameters.
 */
const sessionSettings = ({ statement, lock }: PoolLimits): string => `select
  set_config('statement_timeout', '${statement}', false),
  set_config('lock_timeout', '${lock}', false),
  set_config('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION_MS}', false),
  set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false)`;

/**
 * The connections of this process to PostgreSQL, in several pools. After a response times out, all connections opened before are discarded,
 * because they lead to the same host.
 */
export class PostgresConnections {
  readonly #driver: typeof pg;
  readonly #connectionString: string;
  readonly #pools: pg.Pool[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #openedAt = new WeakMap<pg.PoolClient, number>();
  /** Errors of connections that ended between two queries. The next query only reports that it cannot be sent. */
  readonly #endedBy = new WeakMap<pg.PoolClient, unknown>();
  /** Connections opened before this time are discarded. Value of `performance.now()`. */
  #discardBefore = 0;

  constructor(driver: typeof pg, connectionString: string) {
    this.#driver = driver;
    this.#connectionString = connectionString;
  }

  pool(limits: PoolLimits): PostgresPool {
    const { Pool, types } = this.#driver;
    const pool = new Pool({
      connectionString: this.#connectionString,
      max: limits.max,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: PROBE_AFTER_MS,
      stream: () => this.#socket(),
      onConnect: async (client) => {
        // Without a listener, an error between two queries would end the process.
        client.on('error', (cause) => {
          if (!this.#endedBy.has(client as pg.PoolClient)) this.#endedBy.set(client as pg.PoolClient, cause);
        });
        await withTimeout(client as pg.PoolClient, CONNECT_TIMEOUT_MS, () => client.query(sessionSettings(limits)));
      },
      // All integers in the tables are far below 2^53.
      types: {
        getTypeParser: ((oid: number, format: 'text') => (oid === INT8 ? Number : types.getTypeParser(oid, format))) as never,
      },
    });
    pool.on('error', () => {});
    pool.on('connect', (client) => void this.#openedAt.set(client, performance.now()));
    this.#pools.push(pool);
    return { connect: () => this.#connect(pool, limits), end: () => pool.end() };
  }

  /** Discards all open connections. Queries use new ones from now on. */
  discard(): void {
    this.#discardBefore = performance.now();
  }

  /** Closes all pools within a few seconds, even if the server does not respond. */
  async close(): Promise<void> {
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, CLOSE_TIMEOUT_MS);
    await Promise.all(this.#pools.map((pool) => (pool.ended || pool.ending ? undefined : pool.end())));
    clearTimeout(cut);
    // A server that does not close its side must not keep the process alive.
    for (const socket of this.#sockets) socket.destroySoon();
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }

  async #connect(pool: pg.Pool, limits: PoolLimits): Promise<PostgresPoolClient> {
    for (;;) {
      const client = await pool.connect().catch((cause: unknown) => {
        throw unreachable(cause);
      });
      if (this.#openedAt.get(client)! >= this.#discardBefore) return this.#connection(client, limits);
      client.release(true);
    }
  }

  /** Wraps a connection for the query builder. */
  #connection(client: pg.PoolClient, { response }: PoolLimits): PostgresPoolClient {
    let isBroken = false;
    const query = async (text: string, values: unknown[]): Promise<PostgresQueryResult<never>> => {
      try {
        const result = await withTimeout(client, response, () => client.query(text, values));
        // The server responds to COMMIT with ROLLBACK if a statement of the transaction failed.
        if (text === 'commit' && result.command !== 'COMMIT')
          throw new DatabaseUnavailable('The database rolled the transaction back.');
        return result as unknown as PostgresQueryResult<never>;
      } catch (failure) {
        const cause = failure instanceof ResponseTimeout ? failure : (this.#endedBy.get(client) ?? failure);
        if (cause instanceof ResponseTimeout || isWrongServer(cause)) {
          isBroken = true;
          this.discard();
        }
        // The server rolls back the transaction of a lost connection. The error before explains why it was lost.
        if (text === 'rollback') {
          isBroken = true;
          return { command: 'ROLLBACK', rowCount: 0, rows: [] } as unknown as PostgresQueryResult<never>;
        }
        throw toDatabaseError(cause);
      }
    };
    // The query builder's other signature of `query`, with a cursor, is not used.
    return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(isBroken) };
  }
}

class ResponseTimeout extends DatabaseUnavailable {}

/** Closes the connection after a timeout, because a late response would be taken for that of the next query. */
async function withTimeout<T>(client: pg.PoolClient, milliseconds: number, query: () => Promise<T>): Promise<T> {
  if (milliseconds === 0) return query();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    // During a query this destroys the socket.
    void (client as unknown as pg.Client).end();
  }, milliseconds);
  try {
    return await query();
  } catch (cause) {
    throw isLate ? new ResponseTimeout(`The database did not respond within ${milliseconds / 1000} seconds.`, cause) : cause;
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(cause: unknown): unknown {
  const { message = '', severity } = Object(cause) as { message?: string; severity?: string };
  if (severity === undefined && message.startsWith('timeout exceeded'))
    return new DatabaseUnavailable(
      `No connection to the database became free within ${CONNECT_TIMEOUT_MS / 1000} seconds.`,
      cause,
    );
  return toDatabaseError(cause);
}
