// Long because each thing left out stands beside the reason why it can be.
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

/**
 * Leaves out of the self-contained file what it can do without: the parts of Uppy and Lit that our use of them never reaches. Each stand-in keeps the face of what it replaces.
 */
const STAND_INS: { at: RegExp; code: string; why: string }[] = [
  {
    at: /\/@lit\/reactive-element\/decorators\/property\.js$/,
    why: 'The build has the older decorators, never the standard ones.',
    code: 'export const property = (options) => (proto, name) => proto.constructor.createProperty(name, options);',
  },
  {
    at: /\/@lit\/reactive-element\/css-tag\.js$/,
    why: 'Every browser it runs in adopts style sheets, and no style has an expression in it.',
    code: `export class CSSResult {
      constructor(cssText) { this.cssText = cssText; }
      get styleSheet() {
        if (!this.sheet) (this.sheet = new CSSStyleSheet()).replaceSync(this.cssText);
        return this.sheet;
      }
    }
    export const css = ([text]) => new CSSResult(text);
    export const unsafeCSS = (text) => new CSSResult(text);
    export const supportsAdoptingStyleSheets = true;
    export const adoptStyles = (root, styles) => { root.adoptedStyleSheets = styles.map(({ styleSheet }) => styleSheet); };
    export const getCompatibleStyle = (style) => style;`,
  },
  {
    at: /\/lodash\/throttle\.js$/,
    why: 'Uppy throttles its own progress sums, which we do not read.',
    code: 'export default function throttle() { return () => {}; }',
  },
  { at: /\/@uppy\/core\/lib\/utils\/getFileType\.js$/, why: 'The engine states it.', code: 'export default ({ type }) => type;' },
  { at: /\/@uppy\/core\/lib\/getFileName\.js$/, why: 'The engine states it.', code: 'export default (type, { name }) => name;' },
  { at: /\/@uppy\/core\/lib\/utils\/getFileNameAndExtension\.js$/, why: 'Nobody reads it.', code: 'export default () => ({});' },
  {
    at: /\/namespace-emitter\/index\.js$/,
    why: 'Neither wildcards nor namespaces are listened to, and its CommonJS would bring a runtime.',
    code: `export default function emitter() {
      const all = {};
      return {
        on(event, run) { (all[event] ??= []).push(run); },
        once(event, run) {
          const one = (...args) => { this.off(event, one); run(...args); };
          this.on(event, one);
        },
        off(event, run) { all[event] = all[event]?.filter((one) => run && one !== run); },
        emit(event, ...args) { for (const run of all[event] ?? []) run(...args); },
      };
    }`,
  },
  {
    at: /\/@uppy\/core\/lib\/utils\/generateFileID\.js$/,
    why: 'The engine gives every request a name of its own.',
    code: `export const getSafeFileId = (file, instance) => instance + '-' + file.name;
    export default getSafeFileId;`,
  },
  {
    at: /\/@uppy\/core\/lib\/utils\/ProgressTimeout\.js$/,
    why: 'The engine has a watchdog of its own, which aborts.',
    code: 'export default class ProgressTimeout { progress() {} done() {} }',
  },
  {
    at: /\/@uppy\/core\/lib\/loggers\.js$/,
    why: 'The engine brings a silent one.',
    code: 'export const justErrorsLogger = {}; export const debugLogger = {};',
  },
  {
    at: /\/@uppy\/core\/lib\/store\/index\.js$/,
    why: 'Nobody watches the state, so a change of it need not be told.',
    code: `export default class Store {
      state = {};
      getState() { return this.state; }
      setState(patch) { this.state = { ...this.state, ...patch }; }
      subscribe() { return () => {}; }
    }`,
  },
  {
    at: /\/@uppy\/core\/lib\/utils\/TaskQueue\.js$/,
    why: 'The engine gives Uppy no more than may run at once.',
    code: `export class TaskQueue {
      add(task) {
        const controller = new AbortController();
        const promise = (async () => {
          const result = await task(controller.signal);
          controller.signal.throwIfAborted();
          return result;
        })();
        promise.abort = (reason) => controller.abort(reason);
        promise.abortOn = (signal) => {
          signal?.addEventListener('abort', () => promise.abort(signal.reason), { once: true });
          return promise;
        };
        return promise;
      }
    }`,
  },
  {
    at: /\/@uppy\/core\/lib\/Restricter\.js$/,
    why: 'Files are judged by our own rules before Uppy sees them.',
    code: `export const defaultOptions = {};
    export class RestrictionError extends Error { isUserFacing = true; isRestriction = true; }
    export class Restricter {
      validate() {}
      validateSingleFile() {}
      validateAggregateRestrictions() {}
      validateMinNumberOfFiles() {}
      getMissingRequiredMetaFields() { return { missingFields: [] }; }
    }`,
  },
  {
    at: /\/@uppy\/(core|xhr-upload)\/lib\/locale\.js$/,
    why: 'No text of Uppy is ever shown.',
    code: 'export default {};',
  },
  { at: /\/@uppy\/core\/lib\/utils\/Translator\.js$/, why: 'Likewise.', code: 'export default class Translator {}' },
  {
    at: /\/@uppy\/core\/lib\/utils\/NetworkError\.js$/,
    why: 'Likewise.',
    code: `export default class NetworkError extends Error {
      isNetworkError = true;
      constructor(cause, request = null) {
        super();
        Object.assign(this, { cause, request });
      }
    }`,
  },
  {
    at: /\/nanoid\/non-secure\/index\.(browser\.)?js$/,
    why: 'It names what Uppy carries, for Uppy alone.',
    code: 'let count = 0; export const nanoid = () => ++count;',
  },
  {
    at: /\/@uppy\/core\/lib\/supportsUploadProgress\.js$/,
    why: 'It asks for browsers that cannot run this file.',
    code: 'export default () => true;',
  },
];

/**
 * Methods of Uppy that nothing here calls (the build stops when one of them is called after all), and those that only work for
 * options we leave off or sums we do not read, which are emptied.
 */
const UNUSED: { at: RegExp; methods: string[]; emptied: string[] }[] = [
  {
    at: /\/@uppy\/core\/lib\/Uppy\.js$/,
    methods: [
      'resetProgress clear setFileMeta getObjectOfFilesPerState validateRestrictions validateSingleFile',
      'validateAggregateRestrictions addFiles pauseResume pauseAll resumeAll',
      'retryAll retryUpload cancelAll logout log registerRequestClient getRequestClientForFile restore getPlugin',
      'addResultData #getUpload getFiles getID iteratePlugins hideInfo info #transformFile #checkAndUpdateFileState #informAndEmit #startIfAutoProceed',
      'checkIfFileAlreadyExists setOptions setMeta removePlugin removePostProcessor removePreProcessor addPostProcessor addPreProcessor removeUploader once',
    ].flatMap((line) => line.split(' ')),
    emptied: [
      'constructor',
      '#doRetryAll',
      '#getFilesToRetry',
      '#checkRequiredMetaFields',
      '#checkRequiredMetaFieldsOnFile',
      '#updateTotalProgress',
      '#calculateTotalProgress',
      '#assertNewUploadAllowed',
      // They keep a file's state, and the engine takes a file out as soon as there is an answer.
      '#addListeners',
      '#handleUploadProgress',
      'updateOnlineStatus',
      'i18nInit',
      'updateAll',
      'addFile',
      'removeFiles',
      '#createUpload',
      // It goes only when nothing is under way any more, and holds nothing then.
      'destroy',
      'use',
      'upload',
      '#runUpload',
    ],
  },
  {
    at: /\/@uppy\/core\/lib\/EventManager\.js$/,
    methods: ['onFilePause', 'onPause', 'onRetry', 'onRetryAll', 'onPauseAll', 'onResumeAll'],
    emptied: [],
  },
  {
    at: /\/@uppy\/core\/lib\/BasePlugin\.js$/,
    methods: ['getPluginState', 'setPluginState', 'addTarget', 'setOptions'],
    emptied: ['i18nInit'],
  },
  {
    at: /\/@uppy\/xhr-upload\/lib\/index\.js$/,
    methods: ['uninstall'],
    emptied: [
      'install',
      '#handleUpload',
      '#uploadBundle',
      '#uploadFiles',
      'createBundledUpload',
      'createFormDataUpload',
      'addMetadata',
      'getOptions',
      '#getCompanionClientArgs',
    ],
  },
];

/** Events of Uppy that never come here, and calls that only talk to a console we keep silent. */
const NEVER = [
  'upload-stalled',
  'preprocess-progress',
  'preprocess-complete',
  'postprocess-progress',
  'postprocess-complete',
  'restored',
  'dashboard:file-edit-complete',
];

/** What an emptied method still has to answer. */
const ANSWERS: Record<string, string> = {
  // As in Uppy, without what else it may be told and what else it may be asked.
  constructor: '{ this.opts = opts; this.store = new DefaultStore(); this.setState({ files: {}, currentUploads: {} }); }',
  // As in Uppy, without restrictions, without files that lie elsewhere, and with what is read of a file; its name is unique.
  addFile: `{
    const id = file.name;
    const { files } = this.getState();
    this.setState({ files: { ...files, [id]: { ...file, id, size: file.data.size, progress: {} } } });
    return id;
  }`,
  // As in Uppy; what carried them goes with its last answer.
  removeFiles: `{
    const files = { ...this.getState().files };
    const removed = fileIDs.flatMap((id) => files[id] ?? []);
    for (const { id } of removed) delete files[id];
    this.setState({ files });
    for (const file of removed) this.emit('file-removed', file);
  }`,
  '#createUpload': `{
    const id = nanoid();
    this.setState({ currentUploads: { ...this.getState().currentUploads, [id]: { fileIDs } } });
    return id;
  }`,
  use: `{
    const plugin = new Plugin(this, ...args);
    this.#plugins[plugin.type] = [plugin];
    plugin.install();
    return this;
  }`,
  // As in Uppy, without tries of its own.
  upload: `{
    const { files, currentUploads } = this.getState();
    const under = Object.values(currentUploads).flatMap(({ fileIDs }) => fileIDs);
    return this.#runUpload(this.#createUpload(Object.keys(files).filter((id) => !under.includes(id))));
  }`,
  // As in Uppy, without what could come before and after, and without a result.
  '#runUpload': `{
    try {
      for (const run of this.#uploaders) await run(this.getState().currentUploads[uploadID].fileIDs, uploadID);
    } finally {
      this.#removeUpload(uploadID);
    }
  }`,
  // As in Uppy, where a file brings its method and address and a function its headers.
  getOptions: '{ return { ...this.opts, ...file.xhrUpload, headers: this.opts.headers(file) }; }',
  install: '{ this.uppy.addUploader(this.#handleUpload); }',
  '#handleUpload': '{ await this.#uploadFiles(this.uppy.getFilesByIds(fileIDs)); }',
  '#uploadFiles': '{ await Promise.allSettled(files.map((file) => this.#uploadLocalFile(file))); }',
  '#getFilesToRetry': '{ return []; }',
  '#checkRequiredMetaFieldsOnFile': '{ return true; }',
};

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const smallCss = (text: string): string =>
  text
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/\s*([{};,])\s*/g, '$1')
    .replace(/;}/g, '}')
    .replace(/: /g, ':')
    .trim();

const smallHtml = (text: string): string => text.replace(/>\s+</g, '><').replace(/\s*\n\s*/g, ' ');

const SMALLER: Record<string, (text: string) => string> = { css: smallCss, html: smallHtml, svg: smallHtml };

/** Every text of a template that is tagged with one of ours. */
function* templates(node: unknown): Generator<{ text: Node; small: (text: string) => string }> {
  if (typeof node !== 'object' || node === null) return;
  const { type, tag, quasi } = node as { type?: string; tag?: { name?: string }; quasi?: { quasis: Node[] } };
  const small = type === 'TaggedTemplateExpression' ? SMALLER[tag?.name ?? ''] : undefined;
  if (small && quasi) for (const text of quasi.quasis) yield { text, small };
  for (const child of Object.values(node)) {
    if (Array.isArray(child)) for (const one of child) yield* templates(one);
    else yield* templates(child);
  }
}

interface Method extends Node {
  computed: boolean;
  key: { type: string; name?: string };
  value: { type: string; body: Node };
}

function* methodsOf(node: unknown): Generator<Method> {
  if (typeof node !== 'object' || node === null) return;
  const { type, value } = node as Method;
  if (type === 'MethodDefinition' || (type === 'PropertyDefinition' && value?.type === 'ArrowFunctionExpression'))
    yield node as Method;
  for (const child of Object.values(node)) {
    if (Array.isArray(child)) for (const one of child) yield* methodsOf(one);
    else yield* methodsOf(child);
  }
}

interface Call extends Node {
  expression?: {
    type: string;
    callee?: Node & { object?: Node; property?: { name?: string } };
    arguments?: { value?: unknown }[];
  };
}

/** Statements such as `this.log(…)` and `this.on('restored', …)`. */
function* idleStatements(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  const { type, expression } = node as Call;
  const callee = type === 'ExpressionStatement' && expression?.type === 'CallExpression' ? expression.callee : undefined;
  const name = callee?.object?.type === 'ThisExpression' ? callee.property?.name : undefined;
  if (name === 'log' || (name === 'on' && NEVER.includes(String(expression?.arguments?.[0]?.value)))) yield node as Node;
  else
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) for (const one of child) yield* idleStatements(one);
      else yield* idleStatements(child);
    }
}

/** What Uppy and Lit say to a developer who misuses them: we do not, and tell our own errors. */
function* complaints(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return;
  const { callee, arguments: given } = node as { callee?: { name?: string }; arguments?: Node[] };
  const [text] = callee?.name?.endsWith('Error') ? given! : [];
  if (text?.type === 'TemplateLiteral' || text?.type === 'BinaryExpression' || typeof text?.['value'] === 'string') yield text;
  else
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) for (const one of child) yield* complaints(one);
      else yield* complaints(child);
    }
}

interface Cut {
  start: number;
  end: number;
  by: string;
}

const cutsOf = (nodes: Iterable<Node>, by: string): Cut[] => Array.from(nodes, ({ start, end }) => ({ start, end, by }));

function withCuts(code: string, cuts: readonly Cut[]): string {
  let result = code;
  // From the end on, and of nested ones the outer alone.
  const outer = cuts.filter((one) => !cuts.some((other) => other !== one && other.start <= one.start && one.end <= other.end));
  for (const { start, end, by } of outer.sort((a, b) => b.start - a.start))
    result = result.slice(0, start) + by + result.slice(end);
  return result;
}

function withoutMethods(code: string, ast: unknown, names: readonly string[], emptied: readonly string[]): string {
  const cuts = [...cutsOf(idleStatements(ast), ';'), ...cutsOf(complaints(ast), "''")];
  const nameOf = ({ key }: Method) => `${key.type === 'PrivateIdentifier' ? '#' : ''}${key.name}`;
  for (const method of methodsOf(ast)) {
    const name = nameOf(method);
    // Those under a symbol are for Uppy's own tests.
    if (names.includes(name) || method.computed) cuts.push({ start: method.start, end: method.end, by: '' });
    if (emptied.includes(name))
      cuts.push({ start: method.value.body.start, end: method.value.body.end, by: ANSWERS[name] ?? '{}' });
  }
  const result = withCuts(code, cuts);
  assertUncalled(result, names, 'this|uppy');
  return result;
}

/** What Lit tells other copies of itself, and asks of helpers for older browsers and for pages drawn on a server: neither is here. */
const withoutGlobals = (code: string): string =>
  code
    .replaceAll(/\(\w+\.\w+Versions\?\?=\[\]\)\.push\("[^"]+"\)/g, '0')
    .replaceAll(/\w+\.\w+HydrateSupport\?\.\(\{\w+:\w+\}\)/g, '0')
    .replaceAll(/\w+\.\w+PolyfillSupport\b/g, 'void 0');

function assertUncalled(code: string, names: readonly string[], on: string): void {
  const called = names.filter((name) => new RegExp(`(${on})\\??\\.${name}\\(`).test(code));
  if (called.length > 0) throw new Error(`scripts/slim.ts leaves out methods that are called: ${called.join(', ')}`);
}

export function slim(): Plugin {
  return {
    name: 'slim',
    async load(id) {
      const file = id.split('?')[0]!;
      if (/\/@uppy\/[^/]+\/package\.json$/.test(file)) {
        const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string };
        return { code: `export default { version: ${JSON.stringify(version)} };`, moduleType: 'js' };
      }
      return STAND_INS.find(({ at }) => at.test(file))?.code;
    },
    transform(code, id) {
      // The builder's own, which nothing loads. Each property has one decorator, and none defines anything anew.
      if (id.endsWith('helpers/esm/decorate.js'))
        return { code: 'export default ([decorate], proto, name) => decorate(proto, name);', map: null };
      if (/\/@uppy\/.*\.js$/.test(id)) {
        const { methods = [], emptied = [] } = UNUSED.find(({ at }) => at.test(id)) ?? {};
        return { code: withoutMethods(code, this.parse(code), methods, emptied), map: null };
      }
      if (/\/(lit-html|lit-element|@lit\/reactive-element)\//.test(id))
        return { code: withoutGlobals(withCuts(code, cutsOf(complaints(this.parse(code)), "''"))), map: null };
      if (id.endsWith('/src/queue/transport/uppy-client.ts'))
        for (const { methods } of UNUSED) assertUncalled(code, methods, 'uppy');
      return undefined;
    },
  };
}

/** Leaves the white space out of templates and styles, which no site's own bundler looks into. */
export function smallTemplates(): Plugin {
  return {
    name: 'small-templates',
    transform(code, id) {
      if (!/\/src\/element\/.*\.ts$/.test(id)) return undefined;
      const edits = [...templates(this.parse(code))].sort((a, b) => b.text.start - a.text.start);
      let result = code;
      for (const { text, small } of edits)
        result = result.slice(0, text.start) + small(result.slice(text.start, text.end)) + result.slice(text.end);
      return edits.length === 0 ? undefined : { code: result, map: null };
    },
  };
}
