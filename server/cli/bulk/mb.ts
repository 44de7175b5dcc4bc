import { Command } from 'commander';
import { requestFlags } from './flags.js';
import type { CommonFlags } from './flags.js';
import { bucketOf } from './locations.js';
import { withSession } from './session.js';

export const mbCommand = (): Command =>
  requestFlags(
    new Command('mb')
      .description('make a bucket, in the region of --region or of the settings')
      .argument('<bucket>', 's3://bucket'),
  ).action((text: string, flags: CommonFlags) => {
    const bucket = bucketOf(text);
    return withSession(flags, async ({ bulk, reporter, run }) => {
      const made = await bulk.makeBucket(bucket, run);
      if (made) reporter.did(`made s3://${bucket}`, { bucket });
      else reporter.did(`s3://${bucket} was there already, and is yours`, { bucket, alreadyYours: true });
    });
  });
