import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord, StatsRecord, UploadTokenRecord } from '../../src/protocol/types.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { Fault, FaultProxy, SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { repeatUntilStored, Load } from './kill-load.js';
import { TestService } from './support.js';

let service: TestService;
let proxy: FaultProxy;
beforeAll(async () => {
  service = await TestService.start();
  proxy = await startFaultProxy(service.url);
});
afterAll(async () => {
  await proxy.close();
  await service.stop();
});

/** Cuts the request at a random byte, or drops the response. */
function breakIt(request: SeenRequest): Fault {
  const length = Number(request.headers['content-length'] ?? 0);
  return randomInt(3) === 0 ? { dropResponse: true } : { cutRequestAt: randomInt(length + 1) };
}

describe('connections cut after random bytes and after the last byte', () => {
  it.each(['put', 'form', 'batch', 'tus'] as const)(
    'leave exactly one file of each %s that is repeated with its key',
    async (kind) => {
      const load = new Load({ url: proxy.url, key: service.key, s3: { url: '', accessKeyId: '', secretAccessKey: '' } });
      // Only uploads are cut, not the creation of tokens.
      const path = /^\/v1\/(files|uploads)/;
      const rules = [
        proxy.on({ method: 'PUT', path, fault: breakIt, times: 12 }),
        proxy.on({ method: 'POST', path, fault: breakIt, times: 12 }),
        proxy.on({ method: 'PATCH', path, fault: breakIt, times: 12 }),
      ];
      for (let count = 0; count < 6; count++) await load.uploadOnce(kind).catch(() => {});
      const created = await Promise.all(load.attempts.map(repeatUntilStored));
      expect(rules.reduce((sum, rule) => sum + rule.hits, 0)).toBeGreaterThanOrEqual(12);
      for (const rule of rules) rule.remove();

      for (const [index, attempt] of load.attempts.entries()) {
        expect([created[index]!.sha256, created[index]!.size]).toEqual([attempt.sha256, attempt.size]);
        const prefix = encodeURIComponent(attempt.path);
        const { response } = await service.call<{ files: FileRecord[] }>('GET', `/v1/files?prefix=${prefix}`);
        expect(response.files.map((file) => file.id)).toEqual([created[index]!.id]);
      }
      for (const { id, prefix } of load.tokens.values()) {
        const token = await service.call<UploadTokenRecord>('GET', `/v1/upload-tokens/${id}`);
        const files = load.attempts.filter((attempt) => attempt.path.startsWith(`${prefix}/`));
        expect(token.response.uses).toBe(files.length);
      }
      const { response: stats } = await service.call<StatsRecord>('GET', '/v1/stats');
      expect(stats.uploads_in_progress).toBe(0);
    },
  );
});
