import { createRequire } from 'node:module';
import { Command } from 'commander';
import { bulkGroups } from './bulk/groups.js';
import { groups } from './groups.js';
import type { Group } from './group.js';
import { reportFailure } from './report-failure.js';

/** `svc-blob`, as its arguments say: each group of commands lives in a file of its own, loaded when it is called. */
export async function runProgram(): Promise<void> {
  // Flushes wait in libuv's pool; its four threads would make them queue. It reads this when it is first used.
  process.env['UV_THREADPOOL_SIZE'] ??= '16';
  // The AWS SDK's remark on future versions of Node is for developers.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

  // Who has read enough closes the pipe: what is to be done is done all the same, and the exit status tells of that.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`svc-blob: standard output cannot be written to: ${error.message}\n`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});

  // What commander would say of a group is what stands here.
  if (process.argv[2] === 'help' && process.argv.length > 3) process.argv.push(...process.argv.splice(2).slice(1), '--help');

  const program = new Command('svc-blob')
    .description('Run Blob Storage, manage its keys and files, and move files in bulk over S3.')
    .option('-V, --version', 'say which version this is')
    .on('option:version', () => {
      // Read when it is asked for: the package knows itself by its name, from its sources and from what is built of them.
      const { version } = createRequire(import.meta.url)('svc-uploader/package.json') as { version: string };
      console.log(version);
      process.exit();
    });
  for (const group of groups)
    program
      .command(group.name)
      .description(group.description)
      // The group's own command parses what follows, with its own help.
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => runGroup(group, process.argv.slice(3)));
  await prepare(program).parseAsync().catch(reportFailure);
}

async function runGroup(group: Group, args: string[]): Promise<void> {
  const own = (await group.load()).name(`svc-blob ${group.name}`);
  try {
    await prepare(own).parseAsync(args, { from: 'user' });
  } catch (error) {
    // Not of the parsed flags: it may be one before this that is wrong.
    if (bulkGroups.includes(group) && args.includes('--json')) (await import('./bulk/usage-errors.js')).tellWrongUse(error);
    throw error;
  }
}

/** Wrong use throws instead of ending the process, so that one place decides the exit status. */
function prepare(command: Command): Command {
  command.exitOverride().showHelpAfterError('(add --help for what would be right)');
  command.commands.forEach(prepare);
  return command;
}
