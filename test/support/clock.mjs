// Preloaded into a service under test, so that tokens expire in earnest without a wait: every SIGUSR2 puts its clock forward.
const STEP = 61_000;
const { now } = Date;
let ahead = 0;
Date.now = () => now() + ahead;
process.on('SIGUSR2', () => (ahead += STEP));
