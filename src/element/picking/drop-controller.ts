import type { ReactiveController } from 'lit';

export interface DropOptions {
  /** Whether files may be dropped now. */
  accepts: () => boolean;
  onDragging: (dragging: boolean) => void;
  onDrop: (transfer: DataTransfer) => void;
  onPaste: (files: FileList) => void;
}

const hasFiles = (transfer: DataTransfer | null): transfer is DataTransfer => transfer?.types.includes('Files') ?? false;

/** Handles drag, drop and paste of files on the element. Ignores dragged text and links. */
export class DropController implements ReactiveController {
  /** The element under the dragged files. Browsers fire `dragenter` of the next element before `dragleave` of the last one. */
  #target: EventTarget | undefined;

  constructor(
    private readonly host: HTMLElement,
    private readonly options: DropOptions,
  ) {
    host.addEventListener('dragover', this.#onDragOver);
    host.addEventListener('drop', this.#onDrop);
    host.addEventListener('paste', this.#onPaste);
  }

  /** Events of moves within the shadow tree stay inside it, so the controller listens on the shadow root as well. */
  hostConnected(): void {
    for (const target of [this.host, this.host.shadowRoot!]) {
      target.addEventListener('dragenter', this.#onDragEnter as EventListener);
      target.addEventListener('dragleave', this.#onDragLeave as EventListener);
    }
  }

  /** An element that is removed gets no `dragleave`. */
  hostDisconnected(): void {
    this.#setTarget();
  }

  #setTarget(target?: EventTarget): void {
    const wasDragging = this.#target !== undefined;
    const isDragging = target !== undefined;
    this.#target = target;
    if (wasDragging !== isDragging) this.options.onDragging(isDragging);
  }

  readonly #onDragEnter = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (this.options.accepts()) this.#setTarget(event.composedPath()[0]);
  };

  readonly #onDragOver = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    // Without it the browser would leave the page and open the file, even if the element accepts none.
    event.preventDefault();
    event.dataTransfer.dropEffect = this.options.accepts() ? 'copy' : 'none';
  };

  readonly #onDragLeave = (event: DragEvent): void => {
    if (event.composedPath()[0] === this.#target) this.#setTarget();
  };

  readonly #onDrop = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    this.#setTarget();
    if (this.options.accepts()) this.options.onDrop(event.dataTransfer);
  };

  readonly #onPaste = (event: ClipboardEvent): void => {
    const files = event.clipboardData?.files;
    if (files === undefined || files.length === 0 || !this.options.accepts()) return;
    event.preventDefault();
    this.options.onPaste(files);
  };
}
