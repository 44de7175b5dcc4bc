import { loadChunk } from '../queue/load-chunk.js';
import type { Announcer } from './announcer.js';

/** Loads the announcer with the first message, or before. Later messages keep their order. */
export class LazyAnnouncer {
  #loading: Promise<Announcer> | undefined;

  constructor(private readonly options: ConstructorParameters<typeof Announcer>) {}

  load(): void {
    this.announce(() => {});
  }

  /** Lets the announcer tell screen readers something. If it does not load, the next message loads it. */
  announce(message: (announcer: Announcer) => void): void {
    this.#loading ??= this.#create();
    void this.#loading.then(message, () => (this.#loading = undefined));
  }

  /** Forgets messages that were not announced yet. */
  stop(): void {
    if (this.#loading) this.announce((announcer) => announcer.stop());
  }

  async #create(): Promise<Announcer> {
    const AnnouncerClass = await loadChunk('Announcer', () => import('./announcer.js'));
    return new AnnouncerClass(...this.options);
  }
}
