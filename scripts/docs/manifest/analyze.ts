import { readFile, readdir } from 'node:fs/promises';

/** The class of the element in the manifest of the analyzer, as far as it is read here. */
export interface Declaration {
  name: string;
  description?: string;
  tagName?: string;
  members?: Member[];
  attributes?: { name: string; fieldName?: string; description?: string }[];
  events?: { name: string; description?: string }[];
  slots?: Named[];
  cssParts?: Named[];
  cssStates?: Named[];
  cssProperties?: Named[];
}
export interface Named {
  name: string;
  description?: string;
  default?: string;
}
export interface Member extends Named {
  kind: 'field' | 'method';
  privacy?: 'public' | 'private' | 'protected';
  static?: boolean;
  readonly?: boolean;
  reflects?: boolean;
  attribute?: string;
  type?: { text: string };
  parameters?: { name: string; optional?: boolean; type?: { text: string } }[];
  return?: { type?: { text: string } };
}
interface Package {
  modules: { declarations?: Declaration[] }[];
}

/** The used part of the analyzer, whose own declarations lack it. `ts` is the TypeScript that the analyzer contains. */
interface Analyzer {
  create(options: { modules: SourceNode[]; plugins: object[]; context: object }): Package;
  ts: {
    createSourceFile(name: string, text: string, target: number, linkParents: boolean): SourceNode;
    ScriptTarget: { ES2022: number };
  };
}
interface SourceNode {
  name?: { text: string };
  members?: SourceNode[];
  type?: { getText(): string };
  forEachChild(visit: (node: SourceNode) => void): void;
}
const ANALYZER: string = '@custom-elements-manifest/analyzer';
const { create, ts } = (await import(ANALYZER)) as Analyzer;
const { litPlugin } = (await import(`${ANALYZER}/src/features/framework-plugins/lit/lit.js`)) as { litPlugin(): object[] };

/** Reads the class of the element, with members of its base classes in this repository. */
export async function analyze(): Promise<Declaration> {
  const files = (await Promise.all(['src/element', 'src/element/form'].map(sources))).flat();
  const modules = await Promise.all(files.map(parse));
  const found = create({ modules, plugins: litPlugin(), context: { dev: false } });
  const element = found.modules.flatMap(({ declarations = [] }) => declarations).find(({ tagName }) => tagName);
  if (element === undefined) throw new Error('No class in src/element states its @tag.');
  return element;
}

/** Lists the TypeScript files of a folder, without its subfolders. */
async function sources(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
}

async function parse(file: string): Promise<SourceNode> {
  return ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.ES2022, true);
}

/** Reads the types of the element's events from `events.ts`. */
export async function eventTypes(): Promise<Map<string, string>> {
  const types = new Map<string, string>();
  (await parse('src/element/events.ts')).forEachChild(({ name, members = [] }) => {
    if (name?.text !== 'SvcUploaderEvents') return;
    for (const event of members) types.set(event.name!.text, event.type!.getText().replaceAll(/\s+/g, ' '));
  });
  return types;
}
