import { Socket } from 'node:net';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { DatabaseUnavailable, isWrongServer, toDatabaseError } from './database-unavailable.js';

/** A connection is opened, or becomes free, within this time. ms */
const CONNECT_TIMEOUT = 8000;
/** Probes tell a connection whose other host is gone after about ten seconds more than this. ms */
const PROBE_AFTER = 5000;
/** Queries under way when the pools are closed have this long. ms */
const CLOSE_TIMEOUT = 3000;
const INT8 = 20;

/** How long the server and this process wait before they give up a transaction. ms; 0: for ever. */
export interface PoolLimits {
  /** Connections. */
  max: number;
  /** One statement, by the server. */
  statement: number;
  /** One row or table that another transaction holds, by the server. */
  lock: number;
  /** One answer, by this process: longer than the server takes, so that it only passes if the connection is dead. */
  response: number;
}

/** The server ends a transaction whose process says nothing for so long. Its locks are free then. ms */
const IDLE_IN_TRANSACTION = 15_000;

/**
 * What every connection sets. A server that is configured with `synchronous_commit = off` would forget acknowledged files in a crash; stronger
 * choices of an administrator stay. Set by a query, because poolers such as PgBouncer refuse unknown start-up parameters.
 */
const sessionSettings = ({ statement, lock }: PoolLimits): string => `select
  set_config('statement_timeout', '${statement}', false),
  set_config('lock_timeout', '${lock}', false),
  set_config('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION}', false),
  set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false)`;

/**
 * All connections of this process to one PostgreSQL, in several pools. A connection that does not answer in time is discarded, and so are all
 * others that were opened before it: they lead to the same host.
 */
export class PostgresConnections {
  readonly #driver: typeof pg;
  readonly #connectionString: string;
  readonly #pools: pg.Pool[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #openedAt = new WeakMap<pg.PoolClient, number>();
  /** Why connections ended between two queries. The next query says only that it cannot be sent. */
  readonly #endedBy = new WeakMap<pg.PoolClient, unknown>();
  /** Connections opened before this time are not used any more, see `performance.now()`. */
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
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      keepAlive: true,
      keepAliveInitialDelayMillis: PROBE_AFTER,
      stream: () => this.#socket(),
      onConnect: async (client) => {
        // An error between two queries would end the process without a listener. The next query fails.
        client.on('error', (cause) => {
          if (!this.#endedBy.has(client as pg.PoolClient)) this.#endedBy.set(client as pg.PoolClient, cause);
        });
        await withTimeout(client as pg.PoolClient, CONNECT_TIMEOUT, () => client.query(sessionSettings(limits)));
      },
      // Our integers stay far below 2^53.
      types: {
        getTypeParser: ((oid: number, format: 'text') => (oid === INT8 ? Number : types.getTypeParser(oid, format))) as never,
      },
    });
    pool.on('error', () => {});
    pool.on('connect', (client) => void this.#openedAt.set(client, performance.now()));
    this.#pools.push(pool);
    return { connect: () => this.#connect(pool, limits), end: () => pool.end() };
  }

  /** From now on every query uses a connection that is opened after this call. */
  discard(): void {
    this.#discardBefore = performance.now();
  }

  /** Ends all pools within a few seconds, whatever the server does. */
  async close(): Promise<void> {
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, CLOSE_TIMEOUT);
    await Promise.all(this.#pools.map((pool) => (pool.ended || pool.ending ? undefined : pool.end())));
    clearTimeout(cut);
    // The goodbye is on its way. A server that does not answer it must not keep the process alive.
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

  /** A connection as the query builder uses it. */
  #connection(client: pg.PoolClient, { response }: PoolLimits): PostgresPoolClient {
    let isBroken = false;
    const query = async (text: string, values: unknown[]): Promise<PostgresQueryResult<never>> => {
      try {
        const result = await withTimeout(client, response, () => client.query(text, values));
        // The server answers COMMIT with ROLLBACK if a statement of the transaction failed.
        if (text === 'commit' && result.command !== 'COMMIT')
          throw new DatabaseUnavailable('The database rolled the transaction back.');
        return result as unknown as PostgresQueryResult<never>;
      } catch (failure) {
        const cause = failure instanceof ResponseTimeout ? failure : (this.#endedBy.get(client) ?? failure);
        if (cause instanceof ResponseTimeout || isWrongServer(cause)) {
          isBroken = true;
          this.discard();
        }
        // The server rolls back what a lost connection leaves. What failed before says why it was lost.
        if (text === 'rollback') {
          isBroken = true;
          return { command: 'ROLLBACK', rowCount: 0, rows: [] } as unknown as PostgresQueryResult<never>;
        }
        throw toDatabaseError(cause);
      }
    };
    // The query builder's other way to call `query`, with a cursor, is not used.
    return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(isBroken) };
  }
}

class ResponseTimeout extends DatabaseUnavailable {}

/** Ends the connection if the answer to a query does not arrive in time: a later answer would be taken for that of the next query. */
async function withTimeout<T>(client: pg.PoolClient, milliseconds: number, query: () => Promise<T>): Promise<T> {
  if (milliseconds === 0) return query();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    // With a query under way this destroys the socket.
    void (client as unknown as pg.Client).end();
  }, milliseconds);
  try {
    return await query();
  } catch (cause) {
    throw isLate ? new ResponseTimeout(`The database did not answer within ${milliseconds / 1000} seconds.`, cause) : cause;
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(cause: unknown): unknown {
  const { message = '', severity } = Object(cause) as { message?: string; severity?: string };
  if (severity === undefined && message.startsWith('timeout exceeded'))
    return new DatabaseUnavailable(`No connection to the database became free within ${CONNECT_TIMEOUT / 1000} seconds.`, cause);
  return toDatabaseError(cause);
}
