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
  views: Record<'label' | 'list' | 'grid' | 'sort' | 'ascending' | 'descending' | 'selectAll', string>;
  zip: Record<'tooMany', string>;
  s3: { more(count: string): string } & Record<
    'short' | 'action' | 'heading' | 'address' | 'endpoint' | 'unknownEndpoint' | 'svcBlob' | 'aws' | 'credentials',
    string
  >;
  empty: Notice;
  emptyReadOnly: Notice;
  actions: Record<
    | 'upload'
    | 'uploadFiles'
    | 'uploadFolder'
    | 'newFolder'
    | 'create'
    | 'details'
    | 'share'
    | 'request'
    | 'download'
    | 'downloadFolder'
    | 'rename'
    | 'move'
    | 'copy'
    | 'delete',
    string
  >;
  selection: { count(count: string): string; all: string; allShort: string; selectAll: string; label: string; clear: string };
  name: Record<'label' | 'invalid' | 'taken', string>;
  upload: { title: string; into(folder: string): string; ending: Record<'heading' | 'text' | 'confirm', string> };
  /** Uploaded files whose names other files have. */
  conflict: {
    heading(count: string): string;
    more(count: string): string;
    done: Record<'replace' | 'skip', (count: string) => string>;
  } & Record<'text' | 'keepBoth' | 'replace' | 'skip', string>;
  target: {
    heading(action: string, what: string): string;
    one(name: string): string;
    many(count: string): string;
  } & Record<'all' | 'into' | 'folders' | 'parent' | 'none' | 'more' | 'same' | 'existing' | 'skip' | 'replace', string>;
  remove: {
    one(name: string): string;
    many(count: string): string;
    text: string;
    withFolders: string;
    /** The word to type before a large deletion. */
    word: string;
  };
  job: {
    counting: string;
    progress(done: string, total: string): string;
    continues: string;
    stop: string;
    stopOf(type: string): string;
    types: Record<'delete' | 'move' | 'copy' | 'visibility', string>;
    skipped(count: string): string;
    cancelled: string;
    failed(count: string): string;
    deleted(count: string): string;
    moved(count: string): string;
    copied(count: string): string;
    renamed(name: string): string;
  };
  /** The virus scan of a file. */
  scan: { badge: string; pending: string; tooLarge: string; infected(signature: string): string };
  details: Record<
    | 'path'
    | 'size'
    | 'type'
    | 'created'
    | 'updated'
    | 'expires'
    | 'url'
    | 'id'
    | 'visibility'
    | 'publicWarning'
    | 'privateWarning'
    | 'disposition'
    | 'fileName'
    | 'expiresHint'
    | 'cacheControl'
    | 'metadata'
    | 'metadataHint'
    | 'metadataProblem'
    | 'save'
    | 'saved'
    | 'openPdf'
    | 'noPreview',
    string
  > & {
    visibilityHints: Record<'private' | 'public', string>;
    dispositions: Record<'default' | 'inline' | 'attachment', string>;
    /** The last line of a text of which only the start is shown. */
    cut(shown: string, size: string): string;
  };
  share: { heading(name: string): string; hours(hours: number): string } & Record<
    | 'kind'
    | 'share'
    | 'shareHint'
    | 'link'
    | 'linkHint'
    | 'folderHint'
    | 'publicUrl'
    | 'expires'
    | 'never'
    | 'password'
    | 'create'
    | 'created',
    string
  >;
  request: { intro(folder: string): string } & Record<
    'heading' | 'title' | 'size' | 'files' | 'extensions' | 'embed' | 'backend' | 'introRoot',
    string
  >;
  search: Record<'label' | 'type' | 'anyType' | 'clear' | 'more' | 'minSize' | 'maxSize' | 'after' | 'before', string> & {
    types: Record<'image' | 'video' | 'audio' | 'pdf' | 'text', string>;
    none: Notice;
  };
}
