import { S3Error } from '../../errors.js';

const NAME_TAKEN_CODES = new Set(['EEXIST', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY']);

/** Converts an error of the disk. The message has no path, so that failures of one reason can be grouped. */
export function toWriteError(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && NAME_TAKEN_CODES.has(code))
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

/** Converts the errors of a target, also of a promise. @throws S3Error */
export function withTargetErrors<Result>(work: () => Result): Result {
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(throwWriteError) as Result) : result;
  } catch (error) {
    throw toWriteError(error);
  }
}

function throwWriteError(error: unknown): never {
  throw toWriteError(error);
}
