import { readFile } from 'node:fs/promises';
import { escapeHtml } from './escape-html.js';
import type { ReceivedForm } from './receive-form.js';
import { receivedPage } from './received-page.js';

const PAGES = new URL('../pages/', import.meta.url);

/** Script and style sheets of each page, by their names under `/site`. */
const ASSETS: Readonly<Record<string, { script?: string; styles: string[] }>> = {
  home: { script: 'home', styles: ['home'] },
  form: { styles: ['form'] },
  received: { styles: ['form'] },
  missing: { styles: ['form'] },
  playground: { script: 'playground', styles: ['segments', 'settings', 'simulated-network', 'playground'] },
  admin: { script: 'admin', styles: ['segments', 'admin'] },
};

/** Allows the demo's own files and the storage. Inline scripts and styles, other hosts, plug-ins and frames are forbidden. */
const contentSecurityPolicy = (service: string, connect: string): string =>
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

/** The admin page may connect to any store over TLS, or on this machine. */
const ANY_STORE = 'https: http://localhost:* http://127.0.0.1:*';

export interface PageAddresses {
  /** Base address of Blob Storage. */
  service: string;
  /** Base address of the simulated network. */
  network: string;
  /** Base address of the S3 endpoint. */
  s3: string;
}

/** Renders pages into `layout.html`. Files are read for every request, so that an edit appears after a reload. */
export function createPages({ service, network, s3 }: PageAddresses) {
  const headersFor = (page: string) => ({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(service, page === 'admin' ? `${s3} ${ANY_STORE}` : network),
    'cache-control': 'no-cache',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });

  async function render(page: string, title: string, description: string, main: string, status: number): Promise<Response> {
    const assets = ASSETS[page];
    const script = assets?.script ? `<script type="module" src="/site/${assets.script}.js"></script>` : '';
    const style = (assets?.styles ?? []).map((name) => `<link rel="stylesheet" href="/site/${name}.css" />`).join('');
    const values: Record<string, string> = { page, title, description, script, style, main, service };
    const fill = (text: string): string => text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
    values['main'] = fill(main);
    return new Response(fill(await readFile(new URL('layout.html', PAGES), 'utf8')), { status, headers: headersFor(page) });
  }

  /** Reads a comment such as `<!-- title: Form -->`. */
  const comment = (text: string, name: string): string => new RegExp(`<!-- ${name}: (.*?) -->`).exec(text)?.[1] ?? '';

  return {
    async show(page: string, status = 200): Promise<Response> {
      const text = await readFile(new URL(`${page}.html`, PAGES), 'utf8');
      return render(page, comment(text, 'title'), comment(text, 'description'), text, status);
    },
    /** Shows a submitted form: a page for people, JSON for programs that ask for it. */
    async received(form: ReceivedForm, accept = ''): Promise<Response> {
      if (accept.includes('application/json')) return Response.json(form, { headers: { 'cache-control': 'no-store' } });
      return render('received', 'Received', escapeHtml('The entries that the backend received.'), receivedPage(form), 200);
    },
  };
}
