import type { ReactiveController, ReactiveControllerHost } from 'lit';

type Host = ReactiveControllerHost & HTMLElement;

export interface DropOptions {
  /** Whether files may be dropped now. */
  accepts: () => boolean;
  onDragging: (dragging: boolean) => void;
  onDrop: (transfer: DataTransfer) => void;
  onPaste: (files: FileList) => void;
}

const hasFiles = (transfer: DataTransfer | null): transfer is DataTransfer => transfer?.types.includes('Files') ?? false;

/** Drag, drop and paste on the element. Text and links that are dragged over it are none of its business. */
export class DropController implements ReactiveController {
  /** `dragenter` and `dragleave` come once for every child that is crossed. */
  #depth = 0;
  #listening: AbortController | undefined;

  constructor(
    private readonly host: Host,
    private readonly options: DropOptions,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    const { signal } = (this.#listening = new AbortController());
    this.host.addEventListener('dragenter', this.#enter, { signal });
    this.host.addEventListener('dragover', this.#over, { signal });
    this.host.addEventListener('dragleave', this.#leave, { signal });
    this.host.addEventListener('drop', this.#drop, { signal });
    this.host.addEventListener('paste', this.#paste, { signal });
  }

  hostDisconnected(): void {
    this.#listening?.abort();
    this.#set(0);
  }

  #set(depth: number): void {
    const was = this.#depth > 0;
    this.#depth = Math.max(0, depth);
    if (was !== this.#depth > 0) this.options.onDragging(this.#depth > 0);
  }

  readonly #enter = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (this.options.accepts()) this.#set(this.#depth + 1);
  };

  readonly #over = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    // Also when nothing is taken: else the browser would leave the page and open the file.
    event.preventDefault();
    event.dataTransfer.dropEffect = this.options.accepts() ? 'copy' : 'none';
  };

  readonly #leave = (event: DragEvent): void => {
    if (hasFiles(event.dataTransfer)) this.#set(this.#depth - 1);
  };

  readonly #drop = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    this.#set(0);
    if (this.options.accepts()) this.options.onDrop(event.dataTransfer);
  };

  readonly #paste = (event: ClipboardEvent): void => {
    const files = event.clipboardData?.files;
    if (files === undefined || files.length === 0 || !this.options.accepts()) return;
    event.preventDefault();
    this.options.onPaste(files);
  };
}
