import { Command } from 'commander';
import { requestFlags } from './flags.js';
import type { CommonFlags } from './flags.js';
import { bucketOf } from './locations.js';
import { withSession } from './session.js';

export const rbCommand = (): Command =>
  requestFlags(new Command('rb').description('remove a bucket that is empty').argument('<bucket>', 's3://bucket')).action(
    (text: string, flags: CommonFlags) => {
      const bucket = bucketOf(text);
      return withSession(flags, async ({ bulk, reporter, run }) => {
        await bulk.removeBucket(bucket, run);
        reporter.did(`removed s3://${bucket}`, { bucket });
      });
    },
  );
