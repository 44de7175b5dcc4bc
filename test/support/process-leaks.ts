/** Globals that test files replace. The last three do not exist in Node. */
const WATCHED_GLOBALS = [
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'Date',
  'document',
  'window',
  'XMLHttpRequest',
] as const;
const WATCHED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The place of the dispatcher that `fetch` of Node and of the package undici share. Undefined before the first request. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

type Globals = Record<string | symbol, unknown>;
const globals = globalThis as unknown as Globals;

/** A part of the process that a test file may change. */
interface Part {
  name: string;
  value: unknown;
  /** Sets the part back to `value`. */
  restore(): void;
}

function watchGlobal(name: string | symbol): Part {
  const value = globals[name];
  const restore = (): void => {
    if (value === undefined) delete globals[name];
    else globals[name] = value;
  };
  return { name: name.toString(), value, restore };
}

function watchMethod<Name extends string>(name: string, owner: Record<Name, unknown>, key: Name): Part {
  const value = owner[key];
  return { name, value, restore: () => void (owner[key] = value) };
}

function watchSignal(name: NodeJS.Signals): Part {
  const before = process.listeners(name);
  const restore = (): void => {
    for (const listener of process.listeners(name)) if (!before.includes(listener)) process.off(name, listener);
  };
  return { name: `listeners of ${name}`, value: before.length, restore };
}

const readParts = (): Part[] => [
  ...WATCHED_GLOBALS.map(watchGlobal),
  ...(globals[DISPATCHER] === undefined ? [] : [watchGlobal(DISPATCHER)]),
  watchMethod('Date.now', Date, 'now'),
  watchMethod('Math.random', Math, 'random'),
  watchMethod('performance.now', performance, 'now'),
  ...WATCHED_SIGNALS.map(watchSignal),
  watchFolder(),
];

function watchFolder(): Part {
  const value = process.cwd();
  return { name: 'current folder', value, restore: () => process.chdir(value) };
}

/**
 * Remembers the state of the process that the files of a run share.
 *
 * @returns a function that restores the state and names the parts that had changed
 */
export function watchProcess(): () => string[] {
  const before = readParts();
  return () => {
    const after = new Map(readParts().map(({ name, value }) => [name, value]));
    const changed = before.filter(({ name, value }) => after.get(name) !== value);
    for (const { restore } of changed) restore();
    return changed.map(({ name }) => name);
  };
}
