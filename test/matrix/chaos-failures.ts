import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Fault } from '../../fault-proxy/fault-proxy.js';
import type { Replica, Replicas } from './replicas.js';

/** Milliseconds from SIGTERM to the end of a process, without drain time. */
const ENDED_WITHIN = 45_000;

/** Causes failures of replicas, database and store, one after the other or two at once. Its delays are the length of the failures. */
export class ChaosFailures {
  /** Names of the active failures. */
  readonly active = new Set<string>();
  readonly counts: Record<string, number> = {};
  readonly violations: string[] = [];

  constructor(
    private readonly replicas: Replicas,
    /** Paths of the files that set the clock of each replica, if clocks can be set. */
    private readonly clocks: readonly string[] | undefined,
  ) {}

  /** Causes failures until the time is over, then repairs everything. @param only a regular expression of names */
  async run(milliseconds: number, only?: string): Promise<void> {
    const until = performance.now() + milliseconds;
    const kinds = Object.entries(this.#kinds).filter(([name]) => only === undefined || new RegExp(only).test(name));
    const one = async () => {
      const [name, causeFailure] = kinds[randomInt(kinds.length)]!;
      if ([...this.active].some((other) => affectedPart(other) === affectedPart(name))) return;
      this.counts[name] = (this.counts[name] ?? 0) + 1;
      this.active.add(name);
      await causeFailure();
      // Findings of the next second still name this failure.
      await sleep(1000);
      this.active.delete(name);
    };
    while (performance.now() < until) {
      await Promise.all(randomInt(3) === 0 ? [one(), one()] : [one()]);
      await sleep(1000 + randomInt(3000));
    }
  }

  #pickReplica(): Replica {
    return this.replicas.all[randomInt(this.replicas.all.length)]!;
  }

  async #store(fault: Fault, options: { methods: string[]; path?: RegExp; seconds: number }): Promise<void> {
    const { methods, path = /^\//, seconds } = options;
    const rules = methods.map((method) => this.replicas.store!.on({ method, path, fault }));
    await sleep(1000 * (2 + randomInt(seconds)));
    for (const rule of rules) rule.remove();
  }

  /** Starts a replica as a service manager does: repeatedly, until it succeeds. */
  async #restart(replica: Replica): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        return await replica.process.start();
      } catch (cause) {
        if (tries === 60) throw cause;
        await sleep(1000);
      }
    }
  }

  readonly #kinds: Record<string, () => Promise<void>> = {
    'replica paused': async () => {
      const { process } = this.#pickReplica();
      process.pause();
      await sleep(1000 * (1 + randomInt(30)));
      process.resume();
    },
    'replica killed': async () => {
      const replica = this.#pickReplica();
      await replica.process.end('SIGKILL');
      await sleep(randomInt(5000));
      await this.#restart(replica);
    },
    'replica stopped': async () => {
      const replica = this.#pickReplica();
      const began = performance.now();
      const status = await replica.process.end('SIGTERM');
      const took = Math.round(performance.now() - began);
      if (status !== 0 || took > ENDED_WITHIN)
        this.violations.push(`SIGTERM: exit ${status} after ${took} ms [${[...this.active].join()}]`);
      await this.#restart(replica);
    },
    'replica stopped again and again': async () => {
      const replica = this.#pickReplica();
      for (let times = 0; times < 3; times++) {
        const child = replica.process;
        const ended = child.end('SIGTERM');
        await sleep(randomInt(1000));
        const status = await ended;
        if (status !== 0) this.violations.push(`SIGTERM: exit ${status}`);
        await this.#restart(replica);
      }
    },
    'clock wrong': async () => {
      if (!this.clocks) return;
      const clock = this.clocks[randomInt(this.clocks.length)]!;
      await writeFile(clock, `${randomInt(2) ? '+' : '-'}3h\n`);
      await sleep(1000 * (5 + randomInt(35)));
      await writeFile(clock, '+0\n');
    },
    'database silent': async () => {
      const { relay } = this.#pickReplica();
      relay.silence();
      await sleep(1000 * (2 + randomInt(30)));
      relay.endSilence();
    },
    'database away': async () => {
      const relays = randomInt(2) ? this.replicas.all.map(({ relay }) => relay) : [this.#pickReplica().relay];
      const ports = relays.map(({ port }) => port);
      for (const relay of relays) await relay.refuse();
      await sleep(1000 * (1 + randomInt(15)));
      for (const [index, relay] of relays.entries()) await relay.accept(ports[index]!);
    },
    'database connections cut': async () => {
      for (let times = 0; times < 10; times++) {
        this.#pickReplica().relay.cutConnections();
        await sleep(randomInt(500));
      }
    },
    // If one of its processes is killed, PostgreSQL ends all others and recovers from its log.
    'database crashed': async () => {
      const admin = new pg.Client({ connectionString: this.replicas.storage.databaseUrl });
      admin.on('error', () => {});
      await admin.connect();
      const { rows } = await admin.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() limit 1`,
      );
      if (rows[0]) execFileSync('kill', ['-9', `${rows[0].pid}`]);
      await admin.end().catch(() => {});
      await sleep(2000);
    },
    'store hangs': () => this.#store({ stallRequestAt: 0 }, { methods: ['PUT', 'POST', 'GET', 'HEAD', 'DELETE'], seconds: 15 }),
    'store hangs in responses': () =>
      this.#store({ stallResponseAt: 0 }, { methods: ['PUT', 'POST', 'GET', 'HEAD'], seconds: 15 }),
    'store refuses': () =>
      this.#store({ respond: { status: 503 } }, { methods: ['PUT', 'POST', 'GET', 'HEAD', 'DELETE'], seconds: 15 }),
    'store full': () => this.#store({ respond: { status: 507 } }, { methods: ['PUT', 'POST'], seconds: 10 }),
    'store short': () =>
      this.#store(
        { response: { body: (whole) => whole.subarray(0, Math.max(0, whole.length - 7)) } },
        { methods: ['GET'], path: /\/[a-z0-9]{32}/, seconds: 10 },
      ),
    'store loses responses': () => this.#store({ dropResponse: true }, { methods: ['PUT', 'POST'], seconds: 8 }),
    'store cuts requests': () => this.#store({ cutRequestAt: 1000 }, { methods: ['PUT', 'POST', 'GET'], seconds: 8 }),
  };
}

/** The part that a failure affects. Two failures of the same part would undo each other. */
const affectedPart = (name: string): string => name.split(' ')[0]!;
