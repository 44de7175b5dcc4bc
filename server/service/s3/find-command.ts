import type { Command } from './command.js';
import { commands } from './commands/index.js';
import { S3ServiceError } from './errors.js';
import type { Address } from './messages/address.js';
import { isSubresource } from './messages/reject-unsupported.js';
import type { S3Request } from './messages/request.js';

type Level = 'service' | 'bucket' | 'object';

const levelOf = (command: Command): Level => (command.target === 'bucket-name' ? 'bucket' : command.target);

const specificity = (command: Command): number =>
  (command.requiredQuery?.length ?? 0) + (command.requiredHeader === undefined ? 0 : 1);

// The most specific command wins: UploadPartCopy (two query names and a header), then UploadPart, then PutObject.
const COMMANDS_BY_SPECIFICITY = commands.toSorted((a, b) => specificity(b) - specificity(a));

/** Finds the command for a request. @throws S3ServiceError `NotImplemented` for S3 operations that the endpoint lacks, `MethodNotAllowed`. */
export function findCommand(request: S3Request, address: Address): Command {
  const level = levelOfAddress(address);
  const command = COMMANDS_BY_SPECIFICITY.find((candidate) => levelOf(candidate) === level && matches(candidate, request));
  const unknown = request.query.pairs.find(
    ([name]) => isSubresource(name) && !command?.requiredQuery?.includes(name) && !command?.optionalQuery?.includes(name),
  );
  if (unknown) throw new S3ServiceError('NotImplemented', undefined, { fields: { Resource: unknown[0] } });
  if (command) return command;
  const fields = { Method: request.method, ResourceType: level.toUpperCase() };
  throw new S3ServiceError('MethodNotAllowed', undefined, { fields });
}

function levelOfAddress({ bucket, key }: Address): Level {
  if (bucket === undefined) return 'service';
  return key === undefined ? 'bucket' : 'object';
}

const matches = (command: Command, request: S3Request): boolean =>
  command.method === request.method &&
  (command.requiredQuery ?? []).every((name) => request.query.has(name)) &&
  (command.requiredHeader === undefined || request.headers.get(command.requiredHeader) !== undefined);
