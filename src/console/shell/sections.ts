import type { IconName } from '../components/icon.js';
import type { SectionId } from '../texts/console-texts.js';
import type { ConsoleContext, Section } from './context.js';

/** An entry of the navigation. */
export interface SectionEntry {
  /** First segment of the address after `/console/`. `texts.sections` has the title. */
  id: SectionId;
  icon: IconName;
  /** Segments of an address after the id, at most. */
  depth: number;
  /** Loads the code and the texts of the section. */
  load(): Promise<Section>;
  /** Whether the section shows nothing of the chosen storage, so that it needs no access to it. */
  needsNoStorage?: boolean;
  /** Whether the menu of the account has the link, instead of the navigation. */
  isInAccountMenu?: boolean;
  /** Whether this user sees the section. @default everyone does */
  isVisible?(context: ConsoleContext): boolean;
}

/** All sections, in the order of the navigation. The first one opens at `/console`. */
export const SECTIONS: readonly SectionEntry[] = [
  { id: 'files', icon: 'files', depth: Infinity, load: async () => (await import('../sections/files/index.js')).loadFiles() },
  { id: 'overview', icon: 'chart', depth: 0, load: async () => (await import('../sections/overview/index.js')).loadOverview() },
  { id: 'sharing', icon: 'share', depth: 2, load: async () => (await import('../sections/sharing/index.js')).loadSharing() },
  { id: 'access', icon: 'key', depth: 1, load: async () => (await import('../sections/access/index.js')).loadAccess() },
  {
    id: 'workspaces',
    icon: 'users',
    depth: 2,
    needsNoStorage: true,
    load: async () => (await import('../sections/workspaces/index.js')).loadWorkspaces(),
  },
  {
    id: 'activity',
    icon: 'activity',
    depth: 0,
    needsNoStorage: true,
    isInAccountMenu: true,
    load: async () => (await import('../sections/activity/index.js')).loadActivity(),
  },
  {
    id: 'profile',
    icon: 'settings',
    depth: 0,
    needsNoStorage: true,
    isInAccountMenu: true,
    load: async () => (await import('../sections/profile/index.js')).loadProfileSection(),
  },
];
