import { S3Error } from '../../errors.js';

const IN_THE_WAY = new Set(['EEXIST', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY']);

/** What a disk refused. Without paths: whose failure it is stands beside it, and a thousand of one reason are to be told as one. */
export function unwritable(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && IN_THE_WAY.has(code))
    return new S3Error(
      'NameTaken',
      'A file stands where a directory is needed, or a directory, a pipe or a device where a file is.',
      { cause: error },
    );
  if (code === 'ENAMETOOLONG') return new S3Error('NameUnsafe', 'The name is too long for this disk.', { cause: error });
  return new S3Error(code === 'TemporaryGone' ? code : 'TargetUnwritable', message.replace(/, \w+(?: '.*)?$/s, ''), {
    cause: error,
  });
}
