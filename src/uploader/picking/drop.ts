export interface DropOptions {
  /** Whether files may be dropped now. */
  accepts: () => boolean;
  onDragging: (dragging: boolean) => void;
  onDrop: (transfer: DataTransfer) => void;
  onPaste: (files: FileList) => void;
}

const hasFiles = (transfer: DataTransfer | null): transfer is DataTransfer => transfer?.types.includes('Files') ?? false;

/** Drag, drop and paste on the element. Text and links that are dragged over it are none of its business. */
export class DropController {
  /** `dragenter` and `dragleave` come once for every child that is crossed. */
  #depth = 0;

  constructor(private readonly options: DropOptions) {}

  /** For as long as the element lives: it listens to itself alone. */
  listen(host: HTMLElement): void {
    host.addEventListener('dragenter', this.#enter);
    host.addEventListener('dragover', this.#over);
    host.addEventListener('dragleave', this.#leave);
    host.addEventListener('drop', this.#drop);
    host.addEventListener('paste', this.#paste);
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
