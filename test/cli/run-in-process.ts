import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { Writable } from 'node:stream';
import { runProgram } from '../../server/cli/program.js';
import { forgetSecrets } from '../../server/cli/secrets.js';

/** The result of a command. */
export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A stream that keeps what is written to it. */
class Recorder extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(Buffer.from(chunk));
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** The properties of `process` that belong to one run of the command. */
interface Run {
  argv: string[];
  env: NodeJS.ProcessEnv;
  stdout: Recorder;
  stderr: Recorder;
  exitCode: number | undefined;
  exit: (code?: number) => never;
}

const runs = new AsyncLocalStorage<Run>();
for (const name of ['argv', 'env', 'stdout', 'stderr', 'exit'] as const) giveRunsTheirOwn(name);
giveRunsAnExitCode();
giveRunsTheirHome();

/**
 * Runs `svc-blob` in this process, with arguments, an environment, output and an exit status of its own. A process of its own takes a core for
 * a third of a second before the command begins. Runs may overlap. Standard input and signals remain those of this process.
 *
 * @param env all environment variables that the program can read
 */
export function runInProcess(args: string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  forgetSecrets();
  return new Promise((resolve, reject) => {
    const run: Run = {
      argv: [process.execPath, 'svc-blob', ...args],
      env: { ...env },
      stdout: new Recorder(),
      stderr: new Recorder(),
      exitCode: undefined,
      exit(code = run.exitCode ?? 0) {
        resolve({ status: code, stdout: run.stdout.text, stderr: run.stderr.text });
        // The caller must not go on. The program may report this error, which changes nothing any more.
        throw new Error('The command called process.exit().');
      },
    };
    const end = (): void => resolve({ status: run.exitCode ?? 0, stdout: run.stdout.text, stderr: run.stderr.text });
    runs.run(run, runProgram).then(end, reject);
  });
}

/** Redefines a property of `process`: code within a run sees the value of the run, and all other code that of the process. */
function giveRunsTheirOwn(name: keyof Run): void {
  const original = Object.getOwnPropertyDescriptor(process, name)!;
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get(): unknown {
      const run = runs.getStore();
      if (run) return run[name];
      return original.get ? original.get.call(process) : original.value;
    },
    set(value: unknown) {
      const run = runs.getStore();
      if (run) Object.assign(run, { [name]: value });
      else if (original.set) original.set.call(process, value);
      else original.value = value;
    },
  });
}

/** Node forbids to redefine `process.exitCode`, so the global `process` becomes a proxy that knows the exit code of each run. */
function giveRunsAnExitCode(): void {
  globalThis.process = new Proxy(process, {
    get: (target, name) => Reflect.get(name === 'exitCode' ? (runs.getStore() ?? target) : target, name) as unknown,
    set: (target, name, value) => Reflect.set(name === 'exitCode' ? (runs.getStore() ?? target) : target, name, value),
  });
}

/** The operating system knows the home folder of the process, not that of a run. */
function giveRunsTheirHome(): void {
  const { homedir } = os;
  os.homedir = () => runs.getStore()?.env['HOME'] ?? homedir();
  syncBuiltinESMExports();
}
