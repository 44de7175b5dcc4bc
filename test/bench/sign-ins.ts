import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';
import { execFileSync } from 'node:child_process';
import { get, put } from './load.js';
import type { Put } from './load.js';
import { cpuSeconds } from './process.js';
import { median, printTable } from './report.js';
import { startOurs } from './servers.js';
import type { Ours } from './servers.js';

const EMAIL = 'bench@example.org';
const PASSWORD = 'violet anchor tunnel';
const BODY = Buffer.alloc(10 * 1024, 'svc');
/** Pairs of measurements. The two of a pair follow one another, so a busy machine slows both. */
const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 10);
const REQUESTS = 2000;
const UPLOADS_AT_ONCE = 4;
const WINDOW_MS = 4000;
const SIGN_INS_PER_SECOND = 10;

/** Creates the first administrator, who owns the account of the key. */
export function createUser({ dataDir }: Ours): void {
  const args = ['users', 'create', '--admin', '--email', EMAIL, '--name', 'Bench', '--password-file', '-', '--data-dir', dataDir];
  execFileSync('node', ['dist/cli.js', ...args], { input: PASSWORD, stdio: ['pipe', 'ignore', 'inherit'] });
}

/** Signs in. @returns the cookie; undefined if the service is too busy. @throws the reason of the signal */
export function signIn({ url }: Ours, signal?: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, agent: false, ...(signal && { signal }) };
    const outgoing = request(`${url}/v1/sessions`, options, (response) => {
      response.once('error', reject);
      response.resume().once('end', () => resolve(response.headers['set-cookie']?.[0]?.split(';')[0]));
    });
    outgoing.once('error', reject).end(JSON.stringify({ email: EMAIL, password: PASSWORD }));
  });
}

/** A credential under measurement. */
interface Contender {
  credential: string;
  ours: Ours;
  headers: Record<string, string>;
}

/** Compares the CPU time of requests that differ in their credential, or in the build that serves them. The first is the reference. */
async function compareCredentials(contenders: readonly Contender[]): Promise<void> {
  const measured = await Promise.all(
    contenders.map(async (contender, index) => ({
      ...contender,
      url: `${contender.ours.url}/v1/files/${await storedFile(contender.ours, `read-${index}.bin`)}/content`,
      costs: [] as number[],
    })),
  );
  const agent = new Agent({ keepAlive: true });
  for (let round = -1; round < PAIRS; round++)
    for (const { ours, url, headers, costs } of measured) {
      const before = cpuSeconds(ours.pids);
      for (let n = 0; n < REQUESTS; n++) await get(agent, { url, headers }, BODY.length);
      // The first round warms up.
      if (round >= 0) costs.push(((cpuSeconds(ours.pids) - before) / REQUESTS) * 1e6);
    }
  agent.destroy();
  const reference = measured[0]!.costs;
  printTable(
    'Reading 10 KiB, by the credential',
    measured.map(({ credential, costs }) => ({
      credential,
      'server CPU µs a request': median(costs),
      'times the first': median(costs.map((cost, round) => cost / reference[round]!)),
    })),
  );
}

async function storedFile(ours: Ours, path: string): Promise<string> {
  const response = await fetch(`${ours.url}/v1/files/${path}`, { method: 'PUT', headers: keyOf(ours), body: BODY });
  return ((await response.json()) as { response: { id: string } }).response.id;
}

/** Uploads for a while. @returns the duration of each upload, ms */
async function uploadFor(ours: Ours, window: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: UPLOADS_AT_ONCE });
  const durations: number[] = [];
  const end = performance.now() + WINDOW_MS;
  const upload = async (worker: number) => {
    for (let n = 0; performance.now() < end; n++) {
      const began = performance.now();
      const target: Put = ours.target(`${window}/${worker}-${n}.bin`);
      await put(agent, target, BODY.length, BODY);
      durations.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, (_, worker) => upload(worker)));
  agent.destroy();
  return durations;
}

const p99 = (durations: number[]): number => durations.toSorted((a, b) => a - b)[Math.floor(durations.length * 0.99)]!;

/** Starts sign-ins at a fixed rate. @returns a function that ends them, and resolves when the service has dropped those that waited */
function startSignIns(ours: Ours, results: { done: number; refused: number; waiting: number }): () => Promise<void> {
  const ending = new AbortController();
  // Each waiting sign-in listens to the signal.
  setMaxListeners(0, ending.signal);
  const running: Promise<void>[] = [];
  const signInOnce = async () => {
    const cookie = await signIn(ours, ending.signal);
    if (cookie === undefined) results.refused++;
    else results.done++;
  };
  const timer = setInterval(() => running.push(signInOnce()), 1000 / SIGN_INS_PER_SECOND);
  return async () => {
    clearInterval(timer);
    ending.abort();
    results.waiting += (await Promise.allSettled(running)).filter(({ status }) => status === 'rejected').length;
    await signIn(ours);
  };
}

/** Compares the p99 of uploads without and with sign-ins. */
export async function benchUploadsBesideSignIns(): Promise<void> {
  const ours = await startOurs();
  const times = { without: [] as number[], with: [] as number[] };
  const results = { done: 0, refused: 0, waiting: 0 };
  try {
    createUser(ours);
    for (let pair = -1; pair < PAIRS; pair++)
      for (const kind of ['without', 'with'] as const) {
        const endSignIns = kind === 'with' ? startSignIns(ours, results) : undefined;
        const durations = await uploadFor(ours, `${kind}-${pair}`);
        await endSignIns?.();
        // The first pair warms up.
        if (pair >= 0) times[kind].push(p99(durations));
      }
  } finally {
    await ours.stop();
  }
  const ratio = median(times.with.map((time, pair) => time / times.without[pair]!));
  const { done, refused, waiting } = results;
  printTable(
    `Uploads of 10 KiB, ${UPLOADS_AT_ONCE} at once, beside ${SIGN_INS_PER_SECOND} sign-ins a second (${done} signed in, ${refused} asked to come back, ${waiting} still waiting)`,
    (['without', 'with'] as const).map((kind) => ({
      'sign-ins': kind,
      'p99 of an upload, ms': median(times[kind]),
      'times without': kind === 'with' ? ratio : 1,
    })),
  );
}

/** Compares what a request costs with a session instead of a key, and with a key in an earlier build (`BENCH_BEFORE`). */
export async function benchSessions(): Promise<void> {
  const ours = await startOurs();
  const { BENCH_BEFORE } = process.env;
  const earlier = BENCH_BEFORE === undefined ? undefined : await startOurs(BENCH_BEFORE);
  try {
    createUser(ours);
    const cookie = await signIn(ours);
    if (cookie === undefined) throw new Error('The sign-in failed.');
    await compareCredentials([
      { credential: 'key', ours, headers: keyOf(ours) },
      { credential: 'session', ours, headers: { cookie } },
      ...(earlier ? [{ credential: 'key, earlier build', ours: earlier, headers: keyOf(earlier) }] : []),
    ]);
  } finally {
    await ours.stop();
    await earlier?.stop();
  }
}

const keyOf = ({ key }: Ours) => ({ authorization: `Bearer ${key}` });
