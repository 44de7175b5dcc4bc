import type { ReactiveController } from 'lit';

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
  /** What files are over: of two neighbours the new one is entered before the old one is left. */
  #over: EventTarget | undefined;

  constructor(
    private readonly host: HTMLElement,
    private readonly options: DropOptions,
  ) {
    host.addEventListener('dragover', this.#move);
    host.addEventListener('drop', this.#drop);
    host.addEventListener('paste', this.#paste);
  }

  /** What files are moved to and from within the element is told within it alone. */
  hostConnected(): void {
    for (const target of [this.host, this.host.shadowRoot!]) {
      target.addEventListener('dragenter', this.#enter as EventListener);
      target.addEventListener('dragleave', this.#leave as EventListener);
    }
  }

  /** Nobody tells what is taken out of the page that files are over it no more. */
  hostDisconnected(): void {
    this.#set();
  }

  #set(over?: EventTarget): void {
    const was = this.#over;
    this.#over = over;
    if (!was !== !over) this.options.onDragging(!was);
  }

  readonly #enter = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (this.options.accepts()) this.#set(event.composedPath()[0]);
  };

  readonly #move = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    // Also when nothing is taken: else the browser would leave the page and open the file.
    event.preventDefault();
    event.dataTransfer.dropEffect = this.options.accepts() ? 'copy' : 'none';
  };

  readonly #leave = (event: DragEvent): void => {
    if (event.composedPath()[0] === this.#over) this.#set();
  };

  readonly #drop = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    this.#set();
    if (this.options.accepts()) this.options.onDrop(event.dataTransfer);
  };

  readonly #paste = (event: ClipboardEvent): void => {
    const files = event.clipboardData?.files;
    if (files === undefined || files.length === 0 || !this.options.accepts()) return;
    event.preventDefault();
    this.options.onPaste(files);
  };
}
