import { commands } from './commands/index.js';
import { S3Error } from './errors.js';
import type { Command } from './service.js';
import type { Address } from './messages/address.js';
import type { S3Request } from './messages/request.js';
import { isSubresource } from './messages/unsupported.js';

const levelOf = (command: Command) => (command.on === 'name' ? 'bucket' : command.on);

const narrowness = (command: Command) => (command.query?.length ?? 0) + (command.header === undefined ? 0 : 1);

// The narrowest first: `?uploadId&partNumber` with a copy source before the same without one, before the plain method.
const table = commands.toSorted((a, b) => narrowness(b) - narrowness(a));

/** The one command a request means. @throws S3Error `NotImplemented` for operations of S3 that are not offered here. */
export function commandFor(request: S3Request, address: Address): Command {
  const level = address.bucket === undefined ? 'service' : address.key === undefined ? 'bucket' : 'object';
  const here = table.filter((command) => levelOf(command) === level);
  const command = here.find(
    (one) =>
      one.method === request.method &&
      (one.query ?? []).every((name) => request.query.has(name)) &&
      (one.header === undefined || request.headers.get(one.header) !== undefined),
  );
  const others = request.query.pairs.filter(
    ([name]) => isSubresource(name) && !command?.query?.includes(name) && !command?.also?.includes(name),
  );
  if (others.length > 0) throw new S3Error('NotImplemented', undefined, { fields: { Resource: others[0]![0] } });
  if (command) return command;
  throw new S3Error('MethodNotAllowed', undefined, { fields: { Method: request.method, ResourceType: level.toUpperCase() } });
}
