import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseSync } from 'vite';
import { code, table } from './markdown.js';

/** The parts of a syntax tree that are read here. */
interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}
interface SourceFile {
  path: string;
  text: string;
  body: Node[];
  comments: { type: string; value: string; start: number; end: number }[];
}

async function parse(path: string): Promise<SourceFile> {
  const text = await readFile(path, 'utf8');
  const { program, comments } = parseSync(path, text);
  return { path, text, body: program.body as unknown as Node[], comments };
}

const nameOf = (node: unknown) => (node as { name?: string; value?: string }).name ?? (node as { value: string }).value;

/** Finds an exported interface or type, following `export … from`. */
async function find(path: string, name: string): Promise<{ file: SourceFile; declaration: Node } | undefined> {
  const file = await parse(path);
  for (const statement of file.body) {
    const declaration = statement['declaration'] as Node | null | undefined;
    if (declaration && nameOf(declaration['id'] ?? {}) === name) return { file, declaration };
    const source = statement['source'] as { value: string } | null | undefined;
    if (!statement.type.startsWith('Export') || !source?.value.startsWith('.')) continue;
    const target = join(dirname(path), source.value.replace(/\.js$/, '.ts'));
    const specifiers = (statement['specifiers'] ?? []) as { exported: unknown; local: unknown }[];
    const specifier = specifiers.find(({ exported }) => nameOf(exported) === name);
    if (specifier) return find(target, nameOf(specifier.local));
    if (statement.type === 'ExportAllDeclaration') {
      const found = await find(target, name);
      if (found) return found;
    }
  }
  return undefined;
}

interface Doc {
  description: string;
  default: string;
}

/** Reads the doc comment that ends right before a node. */
function docOf({ comments, text }: SourceFile, { start }: Node): Doc {
  const comment = comments.findLast(
    ({ type, value, end }) => type === 'Block' && value.startsWith('*') && end <= start && text.slice(end, start).trim() === '',
  );
  if (!comment) return { description: '', default: '' };
  const lines = comment.value.split('\n').map((line) => line.replace(/^\s*\*+ ?/, '').trim());
  const parts = ` ${lines.join(' ')}`.split(/\s(?=@(?:param|returns|throws|default|see|example)\b)/).map((part) => part.trim());
  const [description = '', ...tags] = parts;
  const sentences = [description];
  let initial = '';
  for (const tag of tags) {
    const [, name, rest = ''] = /^@(\w+)\s*(.*)$/.exec(tag) ?? [];
    if (name === 'default') initial = rest;
    if (name === 'param') sentences.push(rest.replace(/^(\S+)\s+(?:- )?/, '`$1`: ').replace(/([^.])$/, '$1.'));
    if (name === 'returns') sentences.push(`Returns ${rest.replace(/([^.])$/, '$1.')}`);
    if (name === 'throws') sentences.push(`Throws ${rest.replace(/([^.])$/, '$1.')}`);
  }
  return {
    description: sentences
      .filter(Boolean)
      .join(' ')
      .replaceAll(/\{@link (\S+?)\}/g, '`$1`'),
    default: initial,
  };
}

const sourceOf = ({ text }: SourceFile, { start, end }: Node) => text.slice(start, end).replaceAll(/\s+/g, ' ');

function rowOf(file: SourceFile, member: Node): string[] {
  const { description, default: initial } = docOf(file, member);
  const signature = sourceOf(file, member)
    .replace(/^readonly /, '')
    .replace(/[;,]$/, '')
    .replaceAll(/\/\*.*?\*\/ ?/g, '');
  return [code(signature), initial, description];
}

/**
 * Makes a table of the members of an exported interface.
 * @param path file that exports the interface, itself or from another file
 * @throws Error if there is no such interface
 */
export async function interfaceTable(path: string, name: string): Promise<string> {
  const found = await find(path, name);
  if (!found) throw new Error(`${path} exports no interface ${name}.`);
  const { file, declaration } = found;
  const members = ((declaration['body'] as { body?: Node[] } | undefined)?.body ?? []) as Node[];
  if (members.length === 0) return `\`\`\`ts\n${file.text.slice(declaration.start, declaration.end)}\n\`\`\``;
  const rows = members.map((member) => rowOf(file, member));
  const hasDefaults = rows.some(([, initial]) => initial !== '');
  const parents = ((declaration['extends'] ?? []) as Node[]).map((parent) => code(sourceOf(file, parent)));
  const heads = hasDefaults ? ['Member', 'Default', 'Description'] : ['Member', 'Description'];
  const text = table(heads, hasDefaults ? rows : rows.map(([signature, , description]) => [signature!, description!]));
  return parents.length > 0 ? `Also takes the members of ${parents.join(' and ')}.\n\n${text}` : text;
}
