import type { BlobService } from '../../../server/service/index.js';
import { PEOPLE } from './scene.js';
import type { Person } from './scene.js';

const NAMES: Record<Person, string> = {
  owner: 'Ana Souza',
  reader: 'Rui Costa',
  newcomer: 'Nia Okafor',
  crowded: 'Maria-José Gonçalves de Albuquerque e Castro',
};

/** A signed-in user, and the requests of that user. */
export interface Client {
  id: string;
  accountId: string;
  /** The secret of the session. */
  session: string;
  /** Sends a request of the API. @throws Error if it is refused */
  call<T = unknown>(method: string, path: string, body?: object): Promise<T>;
  put(path: string, content: string | Buffer<ArrayBuffer>, type?: string): Promise<void>;
}

export async function createPerson(service: BlobService, url: string, person: Person): Promise<Client> {
  const { core } = service;
  const email = `${NAMES[person]
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[^a-z]+/g, '.')}@example.org`;
  const { id, session } = await core.write(async (query) => {
    const user = await core.users.create(query, { email, name: NAMES[person], passwordHash: 'none' });
    return { id: user.id, session: await core.sessions.start(query, user.id, { ip: '203.0.113.9', userAgent: CHROME }) };
  });
  const send = async (method: string, path: string, body: BodyInit | undefined, type: string): Promise<unknown> => {
    const headers = { Cookie: `svc_session=${session}`, Origin: url, ...(body !== undefined && { 'Content-Type': type }) };
    const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const text = await response.text();
    return text === '' ? undefined : (JSON.parse(text) as { response: unknown }).response;
  };
  return {
    id,
    accountId: (await core.users.findById(id))!.account_id,
    session,
    call: <T>(method: string, path: string, body?: object) =>
      send(method, path, body && JSON.stringify(body), 'application/json') as Promise<T>,
    put: async (path, content, type = 'application/octet-stream') => {
      await send('PUT', `/v1/files/${path.split('/').map(encodeURIComponent).join('/')}`, content, type);
    },
  };
}

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0';

export async function createPeople(service: BlobService, url: string): Promise<Record<Person, Client>> {
  const all = await Promise.all(PEOPLE.map(async (person) => [person, await createPerson(service, url, person)] as const));
  return Object.fromEntries(all) as Record<Person, Client>;
}
