import { Command } from 'commander';
import { addRequestFlags } from './flags.js';
import type { CommonFlags } from './flags.js';
import { parseBucket } from './locations.js';
import { withSession } from './session.js';

export const mbCommand = (): Command =>
  addRequestFlags(
    new Command('mb')
      .description('Create a bucket in the region of --region or of the AWS settings')
      .argument('<bucket>', 's3://bucket'),
  ).action((text: string, flags: CommonFlags) => {
    const bucket = parseBucket(text);
    return withSession(flags, async ({ bulk, reporter, runOptions }) => {
      const isNew = await bulk.makeBucket(bucket, runOptions);
      if (isNew) reporter.printResult(`created s3://${bucket}`, { bucket });
      else reporter.printResult(`s3://${bucket} already exists and belongs to you`, { bucket, alreadyYours: true });
    });
  });
