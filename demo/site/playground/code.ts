/** The code a visitor takes along: the same attributes, written as each of five worlds writes them. Pure. */

export const FLAVOURS = ['html', 'react', 'vue', 'svelte', 'angular'] as const;
export type Flavour = (typeof FLAVOURS)[number];

/** Attribute name to its value; true for a bare attribute. */
export type Attributes = Readonly<Record<string, string | true>>;

/** One file to copy, the first of them being the one with the element. */
export interface CodeFile {
  name: string;
  text: string;
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;' };
/** Braces and backticks mean something to Svelte, Vue and Angular: all that may is written as an entity. */
const quote = (text: string): string => `"${text.replace(/[&"{}`$\\]/g, (one) => NAMED[one] ?? `&#${one.charCodeAt(0)};`)}"`;
const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const indent = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

/** React's own spelling where it is not simply camel case. */
const REACT_NAMES: Readonly<Record<string, string>> = { readonly: 'readOnly' };

/** A tag, on one line where it is short. */
function tag(name: string, attributes: Attributes, rename: (name: string) => string, close: string): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === true ? rename(key) : `${rename(key)}=${quote(value)}`,
  );
  const flat = [name, ...written].join(' ');
  if (flat.length < 64) return `<${flat}${close}`;
  return `<${name}\n${written.map((one) => `  ${one}`).join('\n')}\n${close.trimStart()}`;
}

const element = (attributes: Attributes): string => tag('svc-uploader', attributes, (name) => name, '></svc-uploader>');

const file = (name: string, lines: string[]): CodeFile => ({ name, text: `${lines.join('\n')}\n` });

const WRITERS: Readonly<Record<Flavour, (attributes: Attributes, css: string) => CodeFile[]>> = {
  html: (attributes, css) => [
    file('page.html', [
      '<script type="module" src="/svc-uploader.js"></script>',
      ...(css ? [`<style>\n${indent(css, '  ')}\n</style>`] : []),
      '',
      `<form method="post">\n${indent(element(attributes), '  ')}\n  <button>Send</button>\n</form>`,
    ]),
  ],
  react: (attributes, css) => [
    file('Attachments.tsx', [
      "import { SvcUploader } from 'svc-uploader/react';",
      ...(css ? ["import './attachments.css';"] : []),
      '',
      'export function Attachments() {',
      `  return (\n${indent(
        tag('SvcUploader', attributes, (name) => REACT_NAMES[name] ?? camel(name), ' />'),
        '    ',
      )}\n  );\n}`,
    ]),
    ...(css ? [file('attachments.css', [css])] : []),
  ],
  vue: (attributes, css) => [
    file('Attachments.vue', [
      '<script setup>',
      "import 'svc-uploader';",
      '</script>',
      '',
      `<template>\n${indent(element(attributes), '  ')}\n</template>`,
      ...(css ? ['', `<style>\n${css}\n</style>`] : []),
    ]),
    file('vite.config.js', [
      "import vue from '@vitejs/plugin-vue';",
      '',
      '// Vue leaves the element to the browser.',
      'export default {',
      "  plugins: [vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'svc-uploader' } } })],",
      '};',
    ]),
  ],
  svelte: (attributes, css) => [
    file('Attachments.svelte', [
      '<script>',
      "  import 'svc-uploader';",
      '</script>',
      '',
      element(attributes),
      ...(css ? ['', `<style>\n  :global {\n${indent(css, '    ')}\n  }\n</style>`] : []),
    ]),
  ],
  angular: (attributes, css) => [
    file('attachments.component.ts', [
      "import { Component, CUSTOM_ELEMENTS_SCHEMA } from '@angular/core';",
      "import 'svc-uploader';",
      '',
      '@Component({',
      "  selector: 'app-attachments',",
      '  schemas: [CUSTOM_ELEMENTS_SCHEMA],',
      `  template: \`\n${indent(element(attributes), '    ')}\n  \`,`,
      ...(css ? [`  styles: \`\n${indent(css, '    ')}\n  \`,`] : []),
      '})',
      'export class Attachments {}',
    ]),
  ],
};

/** Code that shows the element with these attributes and this style sheet, whose selectors begin with `svc-uploader`. */
export const codeFor = (flavour: Flavour, attributes: Attributes, css: string): CodeFile[] => WRITERS[flavour](attributes, css);
