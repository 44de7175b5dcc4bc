import type { ReactiveController } from 'lit';
import type { Api } from '../../api/api.js';
import { errorLine } from '../../components/describe-error.js';
import { showToast } from '../../components/toast.js';

/** Lets people drop files and folders anywhere in the window, while the section is shown. */
export class DropAnywhere implements ReactiveController {
  /** @param target the folder that receives the files; undefined if the user may not upload */
  constructor(private readonly target: () => { storage: Api; prefix: string } | undefined) {}

  hostConnected(): void {
    addEventListener('dragenter', this.#onDragEnter);
    addEventListener('dragover', this.#onDragOver);
    addEventListener('dragleave', this.#onDragLeave);
    addEventListener('drop', this.#onDrop);
  }

  hostDisconnected(): void {
    removeEventListener('dragenter', this.#onDragEnter);
    removeEventListener('dragover', this.#onDragOver);
    removeEventListener('dragleave', this.#onDragLeave);
    removeEventListener('drop', this.#onDrop);
  }

  #onDragEnter = async (event: DragEvent): Promise<void> => {
    const target = this.target();
    if (!target || !event.dataTransfer?.types.includes('Files') || event.relatedTarget !== null) return;
    (await import('./upload-panel.js')).uploadPanel().drag(target);
  };

  // Without it, the browser would leave the console and open the file.
  #onDragOver = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  };

  #onDragLeave = (event: DragEvent): void => {
    if (event.relatedTarget === null) void this.#end();
  };

  #onDrop = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    const target = this.target();
    const isOverUploader = event.composedPath().some((node) => node instanceof Element && node.localName === 'svc-uploader');
    const files = isOverUploader ? [] : filesOf(event.dataTransfer);
    // The entries can be read during the event only.
    const folders = [...event.dataTransfer.items]
      .flatMap((item) => item.webkitGetAsEntry() ?? [])
      .filter((entry) => entry.isDirectory);
    if (target && folders.length > 0) void takeFolders(target, folders, !isOverUploader);
    if (target && files.length > 0) void import('./upload-panel.js').then(({ uploadPanel }) => uploadPanel().add(target, files));
    void this.#end();
  };

  async #end(): Promise<void> {
    const { uploadPanel } = await import('./upload-panel.js');
    // The uploader takes the files first.
    setTimeout(() => uploadPanel().drag(undefined), 300);
  }
}

/**
 * Creates the empty folders of a drop, which the uploader leaves out, and uploads its files.
 * @param withFiles whether the drop came before the uploader covered the window
 */
async function takeFolders(
  target: { storage: Api; prefix: string },
  dropped: FileSystemEntry[],
  withFiles: boolean,
): Promise<void> {
  try {
    const [{ createFolders, readDroppedFolders }, { uploadPanel }] = await Promise.all([
      import('./dropped-folders.js'),
      import('./upload-panel.js'),
    ]);
    const { files, emptyFolders } = await readDroppedFolders(dropped, withFiles);
    if (files.length > 0) await uploadPanel().addWithPaths(target, files);
    if (emptyFolders.length === 0) return;
    await createFolders(target.storage, target.prefix, emptyFolders);
    dispatchEvent(new Event('files-changed'));
  } catch (error) {
    showToast({ kind: 'problem', text: errorLine(error) });
  }
}

/** Returns the single files of a drop that came before the uploader was loaded. */
const filesOf = ({ items }: DataTransfer): File[] =>
  [...items].flatMap((item) => (item.webkitGetAsEntry()?.isDirectory ? [] : (item.getAsFile() ?? [])));
