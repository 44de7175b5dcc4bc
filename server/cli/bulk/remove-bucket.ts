import { Command } from 'commander';
import { addRequestFlags } from './flags.js';
import type { CommonFlags } from './flags.js';
import { parseBucket } from './locations.js';
import { withSession } from './session.js';

export const rbCommand = (): Command =>
  addRequestFlags(new Command('rb').description('Delete an empty bucket').argument('<bucket>', 's3://bucket')).action(
    (text: string, flags: CommonFlags) => {
      const bucket = parseBucket(text);
      return withSession(flags, async ({ bulk, reporter, runOptions }) => {
        await bulk.removeBucket(bucket, runOptions);
        reporter.printResult(`deleted s3://${bucket}`, { bucket });
      });
    },
  );
