import { expect, it } from 'vitest';
import { createS3Server } from '../../server/service/s3/server.js';
import type { S3Service } from '../../server/service/s3/service.js';

it('the S3 port has no socket timeout, which would cut clients that read in bursts', () => {
  expect(createS3Server({} as S3Service).timeout).toBe(0);
});
