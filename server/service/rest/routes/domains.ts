import { Type } from '@fastify/type-provider-typebox';
import { creatorOf } from '../../identity/creator-of-actor.js';
import type { App, RouteContext } from '../context.js';
import { IdParams, nullable, response, Time, WorkspaceQuery } from '../openapi/schemas.js';
import type { Domain as StoredDomain } from '../../sharing/domains.js';

const read = { access: { scope: 'blob:read' } } as const;
const write = { access: { scope: 'blob:write' } } as const;
const querystring = Type.Object(WorkspaceQuery, { additionalProperties: false });

const prefix = Type.String({ maxLength: 1024, description: 'The folder that the domain serves; empty for all files.' });
const Domain = Type.Object(
  {
    id: Type.String(),
    host: Type.String(),
    prefix,
    status: Type.Union([Type.Literal('pending'), Type.Literal('verified'), Type.Literal('suspended')], {
      description: 'suspended: its DNS record was missing three days in a row.',
    }),
    dns_record: Type.Object(
      {
        type: Type.Literal('TXT'),
        name: Type.String(),
        value: Type.String(),
        found: Type.Optional(
          nullable(
            Type.Array(Type.String(), {
              description: 'The values that this request found instead, such as an outdated one. Null if DNS did not respond.',
            }),
          ),
        ),
      },
      { description: 'Create this DNS record, then read the domain again.' },
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

const domainJson = (domain: StoredDomain) => ({
  id: domain.id,
  host: domain.host,
  prefix: domain.prefix,
  status: domain.status,
  dns_record: {
    type: 'TXT' as const,
    name: domain.txtName,
    value: domain.txtValue,
    ...(domain.foundValues !== undefined && { found: domain.foundValues && [...domain.foundValues] }),
  },
  verified_at: domain.verifiedAt === null ? null : new Date(domain.verifiedAt).toISOString(),
  checked_at: domain.checkedAt === null ? null : new Date(domain.checkedAt).toISOString(),
  created_at: new Date(domain.createdAt).toISOString(),
});

const documentation = (summary: string) => ({ summary, tags: ['domains'], querystring });

/** Defines the routes of host names of an account that serve its public files. */
export function domainRoutes(app: App, context: RouteContext): void {
  listDomainsRoute(app, context);
  addDomainRoute(app, context);
  readDomainRoute(app, context);
  changeDomainRoute(app, context);
  deleteDomainRoute(app, context);
}

function listDomainsRoute(app: App, { domains }: RouteContext): void {
  app.get(
    '/v1/domains',
    {
      config: read,
      schema: { ...documentation('List domains'), response: { 200: response(Type.Object({ domains: Type.Array(Domain) })) } },
    },
    async (request) => ({ response: { domains: (await domains.list(request.actor.storage)).map(domainJson) } }),
  );
}

function addDomainRoute(app: App, { domains }: RouteContext): void {
  app.post(
    '/v1/domains',
    { config: write, schema: { ...documentation('Add a domain'), body: Created, response: { 201: response(Domain) } } },
    async (request, reply) => {
      const { storage } = request.actor;
      const { id } = await domains.create(storage, creatorOf(request.actor), request.body);
      // The DNS record may exist already.
      return reply.code(201).send({ response: domainJson(await domains.verify(storage, id)) });
    },
  );
}

function readDomainRoute(app: App, { domains }: RouteContext): void {
  app.get(
    '/v1/domains/:id',
    {
      config: read,
      schema: {
        ...documentation('Read a domain'),
        description: 'Looks up the DNS record of a pending or suspended domain.',
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
}

function changeDomainRoute(app: App, { domains }: RouteContext): void {
  app.patch(
    '/v1/domains/:id',
    {
      config: write,
      schema: {
        ...documentation('Change the folder a domain serves'),
        params: IdParams,
        body: Type.Object({ prefix }, { additionalProperties: false }),
        response: { 200: response(Domain) },
      },
    },
    async ({ actor, params: { id }, body }) => ({
      response: domainJson(await domains.change(actor.storage, id, creatorOf(actor), body)),
    }),
  );
}

function deleteDomainRoute(app: App, { domains }: RouteContext): void {
  app.delete(
    '/v1/domains/:id',
    {
      config: write,
      schema: { ...documentation('Delete a domain'), params: IdParams, response: { 200: response(Type.Null()) } },
    },
    async (request) => {
      await domains.delete(request.actor.storage, request.params.id, creatorOf(request.actor));
      return { response: null };
    },
  );
}
