import { createRequire } from 'node:module';
import { Command } from 'commander';
import { bulkCommands } from './bulk/commands.js';
import { commandGroups } from './commands.js';
import { reportError } from './errors.js';
import type { LazyCommand } from './lazy-command.js';

const EXAMPLES = `
Examples:
  svc-blob serve                                    # run the service
  svc-blob keys create --name site --preset write   # create an API key
  svc-blob cp -r ./photos s3://main/photos          # copy a directory over S3

Exit status: 0 all done, 1 something failed, 2 invalid use, 130 interrupted.`;

/** Runs `svc-blob` with the arguments of the process. It loads only the module of the command that is called. */
export async function runProgram(): Promise<void> {
  // Flushes occupy threads of libuv's pool, and its default of four would make them queue. libuv reads this on first use.
  process.env['UV_THREADPOOL_SIZE'] ??= '16';
  // The AWS SDK's warning about future versions of Node is for developers.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  surviveClosedOutput();

  // `svc-blob help cp` prints the help of the command's own module instead of the summary that this file knows.
  const [, , first, ...rest] = process.argv;
  if (first === 'help' && rest.length > 0) process.argv.splice(2, Infinity, ...rest, '--help');

  await throwUsageErrors(createProgram()).parseAsync().catch(reportError);
}

/** Lets a command finish its work after the reader of its output has gone. The exit status still tells the result. */
function surviveClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`svc-blob: cannot write to standard output: ${error.message}\n`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});
}

function createProgram(): Command {
  const program = new Command('svc-blob')
    .description('Run a blob storage service, manage its keys and files, and transfer files in bulk over S3.')
    .option('-V, --version', 'print the version')
    .on('option:version', printVersionAndExit)
    .addHelpText('after', EXAMPLES);
  for (const { heading, commands } of commandGroups)
    for (const command of commands)
      program
        .command(command.name)
        .helpGroup(heading)
        .description(command.summary)
        // The command's own module parses the other arguments and prints its own help.
        .helpOption(false)
        .allowUnknownOption()
        .allowExcessArguments()
        .action(() => runCommand(command, process.argv.slice(3)));
  return program.commandsGroup('Other commands:').helpCommand('help [command]', 'Show the help of a command');
}

function printVersionAndExit(): never {
  // The package's own name finds its package.json from the sources and from the build.
  const { version } = createRequire(import.meta.url)('svc-uploader/package.json') as { version: string };
  process.stdout.write(`${version}\n`);
  process.exit();
}

async function runCommand(entry: LazyCommand, args: string[]): Promise<void> {
  const command = (await entry.load()).name(`svc-blob ${entry.name}`);
  try {
    await throwUsageErrors(command).parseAsync(args, { from: 'user' });
  } catch (error) {
    // The raw arguments, because parsing may have failed before --json.
    if (bulkCommands.includes(entry) && args.includes('--json')) (await import('./bulk/usage-errors.js')).printUsageError(error);
    throw error;
  }
}

/** Makes usage errors throw instead of ending the process, so that `reportError` alone sets the exit status. */
function throwUsageErrors(command: Command): Command {
  command.exitOverride().showHelpAfterError('(run with --help for usage)');
  command.commands.forEach(throwUsageErrors);
  return command;
}
