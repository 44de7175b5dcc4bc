import { openCore } from '../../server/service/core.js';

// Opens the data directory in its argument, sends the secret to its parent process, and ends.
const core = await openCore({ dataDir: process.argv[2]! });
process.send!(Buffer.from(core.secret).toString('base64'));
await core.close();
process.disconnect();
