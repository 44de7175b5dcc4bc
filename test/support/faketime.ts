import { installPackages } from './debian.js';

/** Debian's library that shows a process another time. */
const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** Installs it where we may. */
export const hasFaketime = (): boolean => installPackages(['faketime'], [FAKETIME]);

/** Variables of a process whose clock follows a file, such as `+3h`, within a second. Its timers go on. */
export const withClock = (file: string): Record<string, string> => ({
  LD_PRELOAD: FAKETIME,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  FAKETIME_CACHE_DURATION: '1',
});
