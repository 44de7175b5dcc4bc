import type { FileRecord } from '../../../protocol/types.js';
import { errorLine } from '../../components/describe-error.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';

/** State of an entry of the history that follows the one of its list, so that Back closes the details. */
const AFTER_LIST = { isAfterList: true };

/** The file whose details are open stands in the address as `file`, so that a reload, Back and a copied address work. */
export class DetailsInAddress {
  #context: ConsoleContext | undefined;
  #shown: string | undefined;

  /** @param find returns a loaded file */
  constructor(private readonly find: (id: string) => FileRecord | undefined) {}

  open(id: string): void {
    const router = this.#context?.router;
    // The second click of a double click changes nothing.
    if (!router || router.place.params.get('file') === id) return;
    router.setParams({ file: id }, { state: AFTER_LIST });
  }

  /** Opens the file of the address. The dialog closes by itself when the address loses it. */
  async show(context: ConsoleContext): Promise<void> {
    this.#context = context;
    const id = context.router.place.params.get('file') ?? undefined;
    if (id === this.#shown) return;
    this.#shown = id;
    if (id === undefined) return;
    try {
      const [{ openDetails }, file] = await Promise.all([import('./details-dialog.js'), this.#read(context, id)]);
      if (this.#shown === id) await openDetails(context, file);
    } catch (error) {
      showToast({ kind: 'problem', text: errorLine(error) });
    }
    if (this.#shown === id) this.#leave(context, id);
  }

  #read({ storage }: ConsoleContext, id: string): FileRecord | Promise<FileRecord> {
    const signal = AbortSignal.timeout(30_000);
    return this.find(id) ?? storage.get<FileRecord>(`/v1/files/${encodeURIComponent(id)}`, { signal });
  }

  /** Removes the file from the address, after the person closed its dialog. */
  #leave({ router }: ConsoleContext, id: string): void {
    this.#shown = undefined;
    if (router.place.params.get('file') !== id) return;
    if ((history.state as Partial<typeof AFTER_LIST> | null)?.isAfterList) history.back();
    else router.setParams({ file: undefined }, { replace: true });
  }
}
