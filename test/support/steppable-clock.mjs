// Preloaded into a service under test. Every SIGUSR2 puts its clock forward, so that tokens expire without a wait.
const STEP = 61_000;
const { now } = Date;
let offset = 0;
Date.now = () => now() + offset;
process.on('SIGUSR2', () => (offset += STEP));
