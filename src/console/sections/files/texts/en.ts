import type { FilesTexts } from './files-texts.js';

export const en: FilesTexts = {
  title: 'Files',
  root: 'Files',
  path: 'Folder path',
  refresh: 'Refresh',
  columns: { name: 'Name', size: 'Size', type: 'Type', updated: 'Changed' },
  folder: 'Folder',
  visibility: { public: 'Public', private: 'Private' },
  loaded: (folders, files) => `Folders loaded: ${folders}. Files loaded: ${files}.`,
  empty: { title: 'This folder is empty', text: 'Upload files, or create a folder.' },
  emptyReadOnly: { title: 'This folder is empty', text: 'Files appear here when someone uploads them.' },
  open: 'Open',
  download: 'Download',
};
