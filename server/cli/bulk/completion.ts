import { Command, InvalidArgumentError, Option } from 'commander';
import { groups } from '../groups.js';
import { SCRIPTS } from './completion-scripts.js';
import type { Shell, Words } from './completion-scripts.js';

const SHELLS = Object.keys(SCRIPTS) as Shell[];

const shell = (text: string): Shell => {
  if (!(SHELLS as string[]).includes(text)) throw new InvalidArgumentError(`Say one of ${SHELLS.join(', ')}.`);
  return text as Shell;
};

interface CompletionFlags {
  places?: string;
  line: string;
}

export const completionCommand = (): Command =>
  new Command('completion')
    .description('print what makes a shell complete svc-blob: source <(svc-blob completion bash)')
    .argument('<shell>', SHELLS.join(', '), shell)
    .addOption(new Option('--places <word>', 'what the word s3://… may become, asked by the script').hideHelp())
    .addOption(new Option('--line <line>', 'in which it stands').default('').hideHelp())
    .action(async (name: Shell, { places, line }: CompletionFlags) => {
      if (places !== undefined) return (await import('./completion-locations.js')).printPlaces(places, line);
      const known = await Promise.all(
        groups
          .filter((group) => group.name !== 'completion')
          .map(async (group) => wordsOf([group.name], await group.load(), group.description)),
      );
      const next = SHELLS.map((word) => ({ word, about: '' }));
      const about = groups.find((group) => group.name === 'completion')!.description;
      const itself = { path: ['completion'], about, next, flags: [HELP], choices: [] };
      process.stdout.write(SCRIPTS[name]([...known.flat(), itself]));
      return undefined;
    });

const HELP = { word: '--help', about: 'say what there is' };

/** From the commands themselves; subcommands first, since theirs are the longer words. */
function wordsOf(path: string[], command: Command, about = command.description()): Words[] {
  const options = command.options.filter((option) => !option.hidden);
  const own: Words = {
    path,
    about,
    next: command.commands.map((one) => ({ word: one.name(), about: one.description() })),
    flags: [...options.map((option) => ({ word: option.long ?? option.short!, about: option.description })), HELP],
    choices: options.flatMap(({ long, argChoices }) => (long && argChoices ? [[long, argChoices]] : [])),
  };
  return [...command.commands.flatMap((one) => wordsOf([...path, one.name()], one)), own];
}
