import { afterEach } from 'vitest';
import type { BlobServiceOptions } from '../../server/service/index.js';
import type { FileRecord } from '../../src/protocol/types.js';
import { FakeClamd } from '../support/fake-clamd.js';
import { TestService } from './support.js';

/** Starts services and scanners, and stops them after each test. `closers` takes what else a test has to end. */
export function scannedServices() {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });
  return {
    closers,
    async startService(options: BlobServiceOptions): Promise<TestService> {
      const service = await TestService.start(options);
      closers.push(() => service.stop());
      return service;
    },
    async startFake(): Promise<FakeClamd> {
      const fake = await FakeClamd.start();
      closers.push(() => fake.stop());
      return fake;
    },
  };
}

export async function stateOf(service: TestService, id: string): Promise<FileRecord> {
  return (await service.call<FileRecord>('GET', `/v1/files/${id}`)).response;
}

export function contentOf(service: TestService, id: string) {
  return service.call('GET', `/v1/files/${id}/content`);
}

/** Stores a file. @throws Error with the response if the service refuses it */
export async function putNew(service: TestService, path: string, body: BodyInit, query = ''): Promise<FileRecord> {
  const { response, status, error } = await service.put(`${path}${query}`, body);
  if (status > 201) throw new Error(JSON.stringify(error));
  return response;
}
