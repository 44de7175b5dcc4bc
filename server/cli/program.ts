import { createRequire } from 'node:module';
import { Command } from 'commander';
import { bulkGroups } from './bulk/groups.js';
import { groups } from './groups.js';
import type { Group } from './group.js';
import { reportFailure } from './errors.js';

/** Runs `svc-blob` with the arguments of the process. It loads only the module of the command that is called. */
export async function runProgram(): Promise<void> {
  // Flushes occupy threads of libuv's pool, and its default of four would make them queue. libuv reads this on first use.
  process.env['UV_THREADPOOL_SIZE'] ??= '16';
  // The AWS SDK's warning about future versions of Node is for developers.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

  // A closed pipe does not end the work: the exit status tells what became of it.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`svc-blob: cannot write to standard output: ${error.message}\n`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});

  // `svc-blob help cp` shows the help of the group's own command, not the summary in this file.
  if (process.argv[2] === 'help' && process.argv.length > 3) process.argv.push(...process.argv.splice(2).slice(1), '--help');

  const program = new Command('svc-blob')
    .description('Run a blob storage service, manage its keys and files, and transfer files in bulk over S3.')
    .option('-V, --version', 'print the version')
    .on('option:version', () => {
      // The package's own name finds its package.json from the sources and from the build.
      const { version } = createRequire(import.meta.url)('svc-uploader/package.json') as { version: string };
      console.log(version);
      process.exit();
    });
  for (const group of groups)
    program
      .command(group.name)
      .description(group.description)
      // The group's own command parses the other arguments and prints its own help.
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
    // The raw arguments, because parsing may have failed before --json.
    if (bulkGroups.includes(group) && args.includes('--json')) (await import('./bulk/usage-errors.js')).printUsageError(error);
    throw error;
  }
}

/** Makes usage errors throw instead of ending the process, so that `reportFailure` alone sets the exit status. */
function prepare(command: Command): Command {
  command.exitOverride().showHelpAfterError('(run with --help for usage)');
  command.commands.forEach(prepare);
  return command;
}
