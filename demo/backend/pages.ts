import { readFile } from 'node:fs/promises';
import { escape } from './escape.js';
import type { Received } from './receive.js';
import { receivedMain } from './received.js';

const PAGES = new URL('../pages/', import.meta.url);

/** What a page has of its own beside its HTML: names under /site. */
const OWN: Readonly<Record<string, { script?: string; styles: string[] }>> = {
  home: { script: 'home', styles: ['home'] },
  form: { styles: ['form'] },
  received: { styles: ['form'] },
  missing: { styles: ['form'] },
  playground: { script: 'playground', styles: ['segments', 'knobs', 'line', 'playground'] },
  admin: { script: 'admin', styles: ['segments', 'admin'] },
};

/** Nothing but our own files and the storage: no inline script or style, no other host, no plug-in, no frame. */
const policy = (service: string, connect: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' blob: ${service}`,
    `connect-src 'self' ${service} ${connect}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The admin page may be pointed at any store: over TLS, or on this machine. */
const ANY_STORE = 'https: http://localhost:* http://127.0.0.1:*';

/** The pages, put into their one layout. Files are read anew each time, so that an edit shows at a reload. */
export function createPages({ service, line, s3 }: { service: string; line: string; s3: string }) {
  const headersOf = (page: string) => ({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(service, page === 'admin' ? `${s3} ${ANY_STORE}` : line),
    'cache-control': 'no-cache',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });

  async function wrap(page: string, title: string, description: string, main: string, status: number): Promise<Response> {
    const own = OWN[page];
    const script = own?.script ? `<script type="module" src="/site/${own.script}.js"></script>` : '';
    const style = (own?.styles ?? []).map((name) => `<link rel="stylesheet" href="/site/${name}.css" />`).join('');
    const values: Record<string, string> = { page, title, description, script, style, main, service };
    const fill = (text: string): string => text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
    values['main'] = fill(main);
    return new Response(fill(await readFile(new URL('layout.html', PAGES), 'utf8')), { status, headers: headersOf(page) });
  }

  const note = (text: string, name: string): string => new RegExp(`<!-- ${name}: (.*?) -->`).exec(text)?.[1] ?? '';

  return {
    async show(page: string, status = 200): Promise<Response> {
      const text = await readFile(new URL(`${page}.html`, PAGES), 'utf8');
      return wrap(page, note(text, 'title'), note(text, 'description'), text, status);
    },
    /** What a submitted form held: a page for people, JSON for programs that ask for it. */
    async received(form: { encoding: string; entries: Received[] }, accept = ''): Promise<Response> {
      if (accept.includes('application/json')) return Response.json(form, { headers: { 'cache-control': 'no-store' } });
      return wrap('received', 'Received', escape('What the backend received.'), receivedMain(form), 200);
    },
  };
}
