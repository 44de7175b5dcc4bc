/**
 * English texts of an element without files, of its form, and of the errors that events report. They are part of the main script. The
 * other languages have the same keys and placeholders. `en-us-files.ts` has the texts of the list.
 * `{name}` is a placeholder. Plural forms are chosen by `{count}`. Numbers, sizes, times and lists come from `Intl`.
 *
 * Voice: plain sentences that address the person, first what happened, then what to do. No exclamation marks, no jargon.
 */
export const enUs = {
  chooseFile: 'Choose a file',
  chooseFiles: 'Choose files',
  chooseFolder: 'Choose a folder',
  dropFile: 'Drop a file here, or',
  dropFiles: 'Drop files here, or',
  dropFolder: 'Drop a folder here, or',
  dropNow: 'Drop to add',
  noFileChosen: 'No file chosen',
  maxFilesReached: 'You can’t add more files',
  upToSize: 'up to {size}',
  upToTotalSize: 'up to {size} in total',
  upToCount: { one: 'at most {count} file', other: 'at most {count} files' },
  listSeparator: ', ',
  images: 'images',
  videos: 'videos',
  audioFiles: 'audio files',

  fillIn: 'Fill in the details.',
  preparing: 'Preparing',

  submitPending: 'Your form will be sent when the files are uploaded.',
  submitCanceled: 'Your form was not sent because the page changed. Send it again.',

  missing: 'Choose a file.',
  busy: 'Your files are still uploading. Wait a moment, then send the form again.',
  notStarted: 'Upload your files first.',
  failed: 'Some of your files were not uploaded. Try again or remove them.',

  typeNotAllowed: 'This type of file is not accepted. Choose another file.',
  typeNotOneOf: 'This type of file is not accepted. Choose {types}.',
  fileTooLarge: 'This file is larger than {size}. Choose a smaller file.',
  fileTooLargeNoLimit: 'This file is too large. Choose a smaller file.',
  fileEmpty: 'This file is empty. Choose another file.',
  tooManyFiles: {
    one: 'You can add only {count} file. Remove another file first.',
    other: 'You can add only {count} files. Remove other files first.',
  },
  totalTooLarge: 'Your files can be at most {size} in total. Remove other files or choose smaller ones.',
  duplicate: 'This file is already in the list.',
  contentMismatch: 'The content of this file does not match its extension. Choose another file.',
  fileUnreadable: 'This file can no longer be read. Choose it again.',
  fileChanged: 'This file has changed since you chose it. Choose it again.',

  connectionInterrupted: 'The connection was lost. Try again.',
  scriptNotLoaded: 'Part of the page did not load. Try again or reload the page.',
  uploadsUnavailable: 'Uploads aren’t available right now. Try again.',
  permissionExpired: 'Your permission to upload has expired. Try again.',
  fileNotAllowed: 'You can’t upload this file here. Choose another file.',
  fileExists: 'A file with this name already exists. Rename your file and choose it again.',
  invalidName: 'This file name can’t be used. Rename the file and choose it again.',
  storageFull: 'The storage is full. Contact the owner of this site.',
  tooManyUploads: 'There are too many uploads right now. Try again later.',
  fileDamaged: 'This file was damaged during the upload. Try again.',
  notUploaded: 'This file was not uploaded. Try again.',
} as const;
