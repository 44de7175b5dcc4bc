import type { IconName } from '../components/icon.js';
import type { SectionId } from '../texts/console-texts.js';
import type { ConsoleContext, Section } from './context.js';

/** An entry of the navigation. */
export interface SectionEntry {
  /** First segment of the address after `/console/`. `texts.sections` has the title. */
  id: SectionId;
  icon: IconName;
  /** Loads the code and the texts of the section. */
  load(): Promise<Section>;
  /** Whether this user sees the section. @default everyone does */
  isVisible?(context: ConsoleContext): boolean;
}

/** All sections, in the order of the navigation. The first one opens at `/console`. */
export const SECTIONS: readonly SectionEntry[] = [
  { id: 'files', icon: 'files', load: async () => (await import('../sections/files/index.js')).loadFiles() },
];
