import type { Command } from 'commander';
import { commands } from '../../server/cli/commands.js';

const HELP_WIDTH = 100;

/** Returns the help text of every `svc-blob` command, as `--help` prints it, under a heading each. */
export async function commandHelp(): Promise<string> {
  const sections: string[] = [];
  for (const group of commands) {
    const command = (await group.load()).name(`svc-blob ${group.name}`);
    const leaves = command.commands.length > 0 ? command.commands : [command];
    for (const leaf of leaves) sections.push(`### ${nameOf(leaf)}\n\n\`\`\`text\n${helpOf(leaf)}\n\`\`\``);
  }
  return sections.join('\n\n');
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

function helpOf(command: Command): string {
  let text = '';
  command.configureHelp({ helpWidth: HELP_WIDTH });
  command.configureOutput({ writeOut: (part) => void (text += part) });
  command.outputHelp();
  return text.trim();
}
