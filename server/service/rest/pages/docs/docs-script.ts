import { inlineElement } from '../html.js';

/**
 * Sends the requests of the forms. The key stays in its field: it is not stored, and the policy of the page allows requests to this service only.
 * Responses are shown as text, so nothing in them becomes markup.
 */
export const DOCS_SCRIPT = inlineElement(
  'script',
  `'use strict';
const key = document.getElementById('key');
const build = (form) => {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = new Headers();
  for (const field of form.querySelectorAll('[data-in]')) {
    if (field.dataset.in === 'path') path = path.replace('{' + field.name + '}', field.value.split('/').map(encodeURIComponent).join('/'));
    else if (field.value !== '' && field.dataset.in === 'query') query.set(field.name, field.value);
    else if (field.value !== '') headers.set(field.name, field.value);
  }
  if (key.value !== '') headers.set('Authorization', 'Bearer ' + key.value.trim());
  const body = form.querySelector('[data-body]');
  const file = body?.files?.[0];
  let content;
  if (body?.dataset.body === 'json') { content = body.value; if (content !== '') headers.set('Content-Type', 'application/json'); }
  if (body?.dataset.body === 'form') content = new URLSearchParams(JSON.parse(body.value));
  if (body?.dataset.body === 'bytes') { content = file; headers.set('Content-Type', headers.has('Upload-Offset') ? 'application/offset+octet-stream' : file?.type || 'application/octet-stream'); }
  if (body?.dataset.body === 'file') { content = new FormData(); if (file) content.append('file', file); }
  const search = query.toString();
  return [path + (search === '' ? '' : '?' + search), { method: form.dataset.method, headers, redirect: 'manual', ...(content && content !== '' && { body: content }) }];
};
const show = async (response) => {
  const type = response.headers.get('content-type') ?? '';
  const lines = [...response.headers].map(([name, value]) => name + ': ' + value);
  let text = '';
  if (/json|^text\\//.test(type)) text = await response.text();
  else if (response.body) { text = '(' + (response.headers.get('content-length') ?? 'unknown') + ' bytes of ' + (type || 'unknown type') + ')'; await response.body.cancel(); }
  try { text = JSON.stringify(JSON.parse(text), null, 2); } catch {}
  return (response.type === 'opaqueredirect' ? 'redirect' : response.status) + '\\n' + lines.join('\\n') + '\\n\\n' + text.slice(0, 100000);
};
for (const form of document.querySelectorAll('form.try')) {
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const output = form.querySelector('output');
    const button = form.querySelector('button');
    button.disabled = true;
    output.textContent = '…';
    try { output.textContent = await show(await fetch(...build(form))); } catch (error) { output.textContent = String(error); }
    button.disabled = false;
  });
}
document.getElementById('access').hidden = false;
const open = () => { const target = document.getElementById(location.hash.slice(1)); if (target?.tagName === 'DETAILS') target.open = true; };
addEventListener('hashchange', open);
open();`,
);
