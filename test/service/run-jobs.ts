import { openCore } from '../../server/service/core.js';

// Works on the jobs of the storage in its arguments, and sends a message to its parent process after each batch, until it is killed.
const [dataDir, databaseUrl, store] = process.argv.slice(2);
const core = await openCore({ dataDir: dataDir!, ...(databaseUrl && { databaseUrl }), ...(store && { store }) });
core.blobs.jobs.start({
  isAlone: !databaseUrl,
  onProgress: (progress) => process.send!(progress),
  onFailure: (cause) => process.send!({ failure: String(cause) }),
});
// The runner's timer does not keep a process alive.
setInterval(() => {}, 1000);
