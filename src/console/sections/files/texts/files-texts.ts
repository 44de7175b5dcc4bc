import type { Notice } from '../../../texts/console-texts.js';

/** Texts of the section Files. */
export interface FilesTexts {
  title: string;
  root: string;
  path: string;
  refresh: string;
  columns: { name: string; size: string; type: string; updated: string };
  folder: string;
  visibility: Record<'public' | 'private', string>;
  /** Announces what is loaded. */
  loaded(folders: string, files: string): string;
  empty: Notice;
  emptyReadOnly: Notice;
  open: string;
  download: string;
}
