import type { ReactiveController } from 'lit';
import { describeProblem } from '../settings/problems.js';
import type { DropOptions } from './drop-controller.js';

/** The element with its targets: '' for none, `page`, or a CSS selector. */
export interface PageTargetHost extends HTMLElement {
  readonly dropTarget: string;
  readonly pasteTarget: string;
}

type TargetName = 'dropTarget' | 'pasteTarget';

/** The elements of a document with targets, and the element that is highlighted. */
interface Registry {
  members: Set<PageTargets>;
  highlighted: PageTargets | undefined;
  /** The node under the dragged files. Browsers fire `dragenter` of the next node before `dragleave` of the last one. */
  under: EventTarget | null;
  listeners: AbortController;
}

const registries = new WeakMap<Document, Registry>();

const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** Returns whether another control handles the event: an uploader, which decides by itself, or a file input of the page. */
const isHandledElsewhere = (path: readonly EventTarget[]): boolean =>
  path.some((node) => node instanceof Element && node.matches('svc-uploader, input[type=file]'));

/** Returns whether pasting belongs to a text field or an editor of the page. A field that only gets files does nothing with them. */
function isTextPaste(path: readonly EventTarget[], { types }: DataTransfer): boolean {
  const [target] = path;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || (target.matches('input, textarea') && types.includes('text/plain'));
}

/**
 * Takes files that are dropped or pasted outside of the element, on the page or on a part of it. The elements of a page share their
 * listeners: the innermost target gets the files, and of equal targets the first visible element that accepts files.
 */
export class PageTargets implements ReactiveController {
  #registry: Registry | undefined;
  /** The values that were reported as no selector. */
  readonly #reported = new Set<string>();

  constructor(
    private readonly host: PageTargetHost,
    readonly options: DropOptions,
  ) {}

  hostConnected(): void {
    const { ownerDocument } = this.host;
    const registry = registries.get(ownerDocument) ?? listen(ownerDocument);
    registry.members.add(this);
    this.#registry = registry;
  }

  hostDisconnected(): void {
    const registry = this.#registry;
    this.#registry = undefined;
    if (registry === undefined) return;
    registry.members.delete(this);
    if (registry.highlighted === this) highlight(registry, undefined);
    if (registry.members.size > 0) return;
    registry.listeners.abort();
    registries.delete(this.host.ownerDocument);
  }

  get accepts(): boolean {
    return this.host.checkVisibility() && this.options.accepts();
  }

  /** Returns how deep in the path of an event the target is, from 0; Infinity for the page, undefined outside of the target. */
  depthIn(path: readonly EventTarget[], name: TargetName): number | undefined {
    const target = this.host[name];
    if (target === '') return undefined;
    if (target === 'page') return Infinity;
    try {
      const depth = path.findIndex((node) => node instanceof Element && node.matches(target));
      return depth === -1 ? undefined : depth;
    } catch {
      this.#report(name, target);
      return undefined;
    }
  }

  isBefore(other: PageTargets): boolean {
    return (this.host.compareDocumentPosition(other.host) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  }

  #report(name: TargetName, value: string): void {
    if (this.#reported.has(value)) return;
    this.#reported.add(value);
    const attribute = name === 'dropTarget' ? 'drop-target' : 'paste-target';
    console.warn(describeProblem({ attribute, value, rule: 'Write "page" or a CSS selector.' }));
  }
}

/** Finds the elements whose target is hit: those with the innermost target, in the order of the document. */
function membersAt({ members }: Registry, path: readonly EventTarget[], name: TargetName): PageTargets[] {
  const hit = [...members].flatMap((member) => {
    const depth = member.depthIn(path, name);
    return depth === undefined ? [] : [{ member, depth }];
  });
  const innermost = Math.min(...hit.map(({ depth }) => depth));
  return hit
    .filter(({ depth }) => depth === innermost)
    .map(({ member }) => member)
    .sort((one, other) => (one.isBefore(other) ? -1 : 1));
}

function highlight(registry: Registry, member: PageTargets | undefined): void {
  if (registry.highlighted === member) return;
  registry.highlighted?.options.onDragging(false);
  registry.highlighted = member;
  member?.options.onDragging(true);
}

/** Listens on the document, after the page's own listeners. It ignores events that they prevent. */
function listen(document: Document): Registry {
  const registry: Registry = { members: new Set(), highlighted: undefined, under: null, listeners: new AbortController() };
  registries.set(document, registry);
  const { signal } = registry.listeners;

  /** Returns the element that gets dragged files. Prevents that the browser leaves the page to open them. */
  const receiverOf = (event: DragEvent): PageTargets | undefined => {
    const path = event.composedPath();
    if (!holdsFiles(event) || event.defaultPrevented || isHandledElsewhere(path)) return undefined;
    const members = membersAt(registry, path, 'dropTarget');
    if (members.length === 0) return undefined;
    event.preventDefault();
    return members.find(({ accepts }) => accepts);
  };

  const onDragEnter = (event: DragEvent): void => {
    registry.under = event.target;
    highlight(registry, receiverOf(event));
  };
  const onDragOver = (event: DragEvent): void => {
    const wasPrevented = event.defaultPrevented;
    const receiver = receiverOf(event);
    highlight(registry, receiver);
    if (!wasPrevented && event.defaultPrevented) event.dataTransfer!.dropEffect = receiver ? 'copy' : 'none';
  };
  const onDragLeave = (event: DragEvent): void => {
    if (event.target === registry.under) highlight(registry, undefined);
  };
  const onDrop = (event: DragEvent): void => {
    const receiver = receiverOf(event);
    highlight(registry, undefined);
    receiver?.options.onDrop(event.dataTransfer!);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const path = event.composedPath();
    const { clipboardData } = event;
    if (!clipboardData || clipboardData.files.length === 0 || event.defaultPrevented) return;
    if (isHandledElsewhere(path) || isTextPaste(path, clipboardData)) return;
    const receiver = membersAt(registry, path, 'pasteTarget').find(({ accepts }) => accepts);
    if (receiver === undefined) return;
    event.preventDefault();
    receiver.options.onPaste(clipboardData.files);
  };
  document.addEventListener('dragenter', onDragEnter, { signal });
  document.addEventListener('dragover', onDragOver, { signal });
  document.addEventListener('dragleave', onDragLeave, { signal });
  document.addEventListener('drop', onDrop, { signal });
  document.addEventListener('paste', onPaste, { signal });
  return registry;
}
