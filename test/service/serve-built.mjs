import { createBlobService } from '../../server/service/index.js';

// Serves the data directory in its argument until it is killed. Sends its URL to its parent.
const service = await createBlobService({ dataDir: process.argv[2]!, port: 0, s3Port: false });
const { url } = await service.listen();
const { secret } = await service.core.keys.create('main', { name: 'test', scopes: ['blob:read', 'blob:write'] });
process.send!({ url, key: secret });
