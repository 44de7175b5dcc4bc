import { installPackages } from './debian.js';

/** Debian's library that changes the clock of a process. */
const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** Installs libfaketime, as root on Debian. @returns whether it is available */
export const installFaketime = (): boolean => installPackages(['faketime'], [FAKETIME]);

/** Returns environment variables for a process whose clock follows a file, such as `+3h`, within a second. Its timers run at normal speed. */
export const fakeClockVariables = (file: string): Record<string, string> => ({
  LD_PRELOAD: FAKETIME,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  FAKETIME_CACHE_DURATION: '1',
});
