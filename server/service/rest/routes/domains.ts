import { Type } from '@fastify/type-provider-typebox';
import type { App, RouteContext } from '../context.js';
import { IdParams, nullable, response, Time, WorkspaceQuery } from '../openapi/schemas.js';
import type { Domain as ServedDomain } from '../../sharing/domains.js';

const read = { access: { scope: 'blob:read' } } as const;
const write = { access: { scope: 'blob:write' } } as const;
const querystring = Type.Object(WorkspaceQuery, { additionalProperties: false });

const prefix = Type.String({ maxLength: 1024, description: 'The folder it serves; empty for all.' });
const Domain = Type.Object(
  {
    id: Type.String(),
    host: Type.String(),
    prefix,
    status: Type.Union([Type.Literal('pending'), Type.Literal('verified'), Type.Literal('suspended')], {
      description: 'suspended: its record was not there three days in a row.',
    }),
    dns_record: Type.Object(
      { type: Type.Literal('TXT'), name: Type.String(), value: Type.String() },
      { description: 'Publish this, then read the domain again.' },
    ),
    verified_at: nullable(Time),
    checked_at: nullable(Time),
    created_at: Time,
  },
  { $id: 'Domain' },
);
const Created = Type.Object(
  { host: Type.String({ minLength: 1, maxLength: 253 }), prefix: Type.Optional(prefix) },
  { additionalProperties: false },
);

const domainJson = (domain: ServedDomain) => ({
  id: domain.id,
  host: domain.host,
  prefix: domain.prefix,
  status: domain.status,
  dns_record: { type: 'TXT' as const, name: domain.txtName, value: domain.txtValue },
  verified_at: domain.verifiedAt === null ? null : new Date(domain.verifiedAt).toISOString(),
  checked_at: domain.checkedAt === null ? null : new Date(domain.checkedAt).toISOString(),
  created_at: new Date(domain.createdAt).toISOString(),
});

/** Host names of the owner's that serve public files. */
export function domainRoutes(app: App, { domains }: RouteContext): void {
  const about = (summary: string) => ({ summary, tags: ['domains'], querystring });

  app.get(
    '/v1/domains',
    {
      config: read,
      schema: { ...about('List domains'), response: { 200: response(Type.Object({ domains: Type.Array(Domain) })) } },
    },
    async (request) => ({ response: { domains: (await domains.list(request.actor.storage)).map(domainJson) } }),
  );
  app.post(
    '/v1/domains',
    { config: write, schema: { ...about('Add a domain'), body: Created, response: { 201: response(Domain) } } },
    async (request, reply) => {
      const { storage } = request.actor;
      const { id } = await domains.create(storage, request.body);
      // The record may stand there already.
      return reply.code(201).send({ response: domainJson(await domains.verify(storage, id)) });
    },
  );
  app.get(
    '/v1/domains/:id',
    {
      config: read,
      schema: {
        ...about('Read a domain'),
        description: 'DNS is asked while its proof is pending, and again when it was suspended.',
        params: IdParams,
        response: { 200: response(Domain) },
      },
    },
    async (request) => {
      const { storage } = request.actor;
      const domain = await domains.get(storage, request.params.id);
      return { response: domainJson(domain.verifiedAt === null ? await domains.verify(storage, domain.id) : domain) };
    },
  );
  app.patch(
    '/v1/domains/:id',
    {
      config: write,
      schema: {
        ...about('Change the folder a domain serves'),
        params: IdParams,
        body: Type.Object({ prefix }, { additionalProperties: false }),
        response: { 200: response(Domain) },
      },
    },
    async (request) => ({ response: domainJson(await domains.change(request.actor.storage, request.params.id, request.body)) }),
  );
  app.delete(
    '/v1/domains/:id',
    { config: write, schema: { ...about('Delete a domain'), params: IdParams, response: { 200: response(Type.Null()) } } },
    async (request) => {
      await domains.delete(request.actor.storage, request.params.id);
      return { response: null };
    },
  );
}
