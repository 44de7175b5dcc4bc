import { Command, InvalidArgumentError, Option } from 'commander';
import type { LazyCommand } from '../lazy-command.js';
import { SCRIPTS } from './completion-scripts.js';
import type { CommandCompletions, Shell } from './completion-scripts.js';

const SHELLS = Object.keys(SCRIPTS) as Shell[];

const parseShell = (text: string): Shell => {
  if (!(SHELLS as string[]).includes(text)) throw new InvalidArgumentError(`Use one of ${SHELLS.join(', ')}.`);
  return text as Shell;
};

interface CompletionFlags {
  locations?: string;
  line: string;
}

/** @param commands all commands, so that the script can list their flags */
export const completionCommand = (commands: readonly LazyCommand[]): Command =>
  new Command('completion')
    .description('Print a script that completes svc-blob in a shell. For bash, run: source <(svc-blob completion bash)')
    .argument('<shell>', SHELLS.join(', '), parseShell)
    // The scripts use these flags to list buckets and keys.
    .addOption(new Option('--locations <word>', 'candidates for a word that begins with s3://').hideHelp())
    .addOption(new Option('--line <line>', 'line that contains the word').default('').hideHelp())
    .action(async (shell: Shell, { locations, line }: CompletionFlags) => {
      if (locations !== undefined) {
        const { printCandidates } = await import('./location-candidates.js');
        return printCandidates(locations, line);
      }
      const completions = await Promise.all(commands.map(completionsOfCommand));
      process.stdout.write(SCRIPTS[shell](completions.flat()));
      return undefined;
    });

const HELP_FLAG = { word: '--help', description: 'show the help' };

async function completionsOfCommand({ name, summary, load }: LazyCommand): Promise<CommandCompletions[]> {
  if (name !== 'completion') return completionsOf([name], await load(), summary);
  const shells = SHELLS.map((word) => ({ word, description: '' }));
  return [{ path: [name], description: summary, subcommands: shells, flags: [HELP_FLAG], choices: [] }];
}

/** Lists a command and its subcommands. Subcommands come first, because the scripts use the first entry that matches. */
function completionsOf(path: string[], command: Command, description = command.description()): CommandCompletions[] {
  const options = command.options.filter((option) => !option.hidden);
  const completions: CommandCompletions = {
    path,
    description,
    subcommands: command.commands.map((subcommand) => ({ word: subcommand.name(), description: subcommand.description() })),
    flags: [...options.map((option) => ({ word: option.long ?? option.short!, description: option.description })), HELP_FLAG],
    choices: options.flatMap(({ long, argChoices }) => (long && argChoices ? [[long, argChoices]] : [])),
  };
  return [...command.commands.flatMap((subcommand) => completionsOf([...path, subcommand.name()], subcommand)), completions];
}
