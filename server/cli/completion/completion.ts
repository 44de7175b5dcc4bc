import { Command, InvalidArgumentError, Option } from 'commander';
import type { Group } from '../group.js';
import { SCRIPTS } from './completion-scripts.js';
import type { CommandWords, Shell } from './completion-scripts.js';

const SHELLS = Object.keys(SCRIPTS) as Shell[];

const shell = (text: string): Shell => {
  if (!(SHELLS as string[]).includes(text)) throw new InvalidArgumentError(`Use one of ${SHELLS.join(', ')}.`);
  return text as Shell;
};

interface CompletionFlags {
  locations?: string;
  line: string;
}

/** @param groups all commands, so that the script can list their flags */
export const completionCommand = (groups: readonly Group[]): Command =>
  new Command('completion')
    .description('Print a script that completes svc-blob in a shell. In bash: source <(svc-blob completion bash)')
    .argument('<shell>', SHELLS.join(', '), shell)
    // The script itself calls the command with these.
    .addOption(new Option('--locations <word>', 'candidates for a word that begins with s3://').hideHelp())
    .addOption(new Option('--line <line>', 'the line that contains the word').default('').hideHelp())
    .action(async (name: Shell, { locations, line }: CompletionFlags) => {
      if (locations !== undefined) return (await import('./location-candidates.js')).printCandidates(locations, line);
      const words = await Promise.all(groups.map(wordsOfGroup));
      process.stdout.write(SCRIPTS[name](words.flat()));
      return undefined;
    });

const HELP = { word: '--help', about: 'show the help' };

async function wordsOfGroup({ name, description, load }: Group): Promise<CommandWords[]> {
  if (name !== 'completion') return wordsOf([name], await load(), description);
  const next = SHELLS.map((word) => ({ word, about: '' }));
  return [{ path: [name], about: description, next, flags: [HELP], choices: [] }];
}

/** Lists a command and its subcommands. Subcommands come first, because the scripts use the first entry that matches. */
function wordsOf(path: string[], command: Command, about = command.description()): CommandWords[] {
  const options = command.options.filter((option) => !option.hidden);
  const own: CommandWords = {
    path,
    about,
    next: command.commands.map((subcommand) => ({ word: subcommand.name(), about: subcommand.description() })),
    flags: [...options.map((option) => ({ word: option.long ?? option.short!, about: option.description })), HELP],
    choices: options.flatMap(({ long, argChoices }) => (long && argChoices ? [[long, argChoices]] : [])),
  };
  return [...command.commands.flatMap((subcommand) => wordsOf([...path, subcommand.name()], subcommand)), own];
}
