import { afterAll, expect, vi } from 'vitest';
import { runFileCleanups } from './file-cleanup.js';
import { resetClock } from './process-clock.js';
import { watchProcess } from './process-leaks.js';

// Vitest runs this before each test file. Test files share a process, so each must leave it as it was.
const environment = { ...process.env };
const restoreProcess = watchProcess();
afterAll(async () => {
  await runFileCleanups();
  vi.useRealTimers();
  vi.restoreAllMocks();
  resetClock();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  // Reported, because a leak that is restored here cannot fail later files but hides a missing `finally`.
  const leaks = restoreProcess();
  if (leaks.length > 0) console.warn(`${expect.getState().testPath} did not restore: ${leaks.join(', ')}`);
});
