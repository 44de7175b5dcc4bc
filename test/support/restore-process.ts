import { afterAll, vi } from 'vitest';
import { runFileCleanups } from './file-cleanup.js';
import { resetClock } from './process-clock.js';

// Vitest runs this before each test file. Test files share a process, so each must leave it as it was.
const environment = { ...process.env };
afterAll(async () => {
  await runFileCleanups();
  vi.useRealTimers();
  vi.restoreAllMocks();
  resetClock();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
