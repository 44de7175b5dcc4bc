/** Writes the code sample: the same attributes in the syntax of each framework. */

export const FRAMEWORKS = ['html', 'react', 'vue', 'svelte', 'angular'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

/** Values by attribute name; true for an attribute without a value. */
export type Attributes = Readonly<Record<string, string | true>>;

/** A file to copy. The first file of a sample contains the element. */
export interface CodeFile {
  name: string;
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;' };
/** Braces and backticks have a meaning in Svelte, Vue and Angular, so they are written as entities. */
const quote = (text: string): string =>
  `"${text.replace(/[&"{}`$\\]/g, (character) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`)}"`;
const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const indent = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

/** Attributes that React does not spell in plain camel case. */
const REACT_NAMES: Readonly<Record<string, string>> = { readonly: 'readOnly' };

/** Writes a tag, on one line if it is short. */
function writeTag(name: string, attributes: Attributes, rename: (name: string) => string, close: string): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === true ? rename(key) : `${rename(key)}=${quote(value)}`,
  );
  const flat = [name, ...written].join(' ');
  if (flat.length < 64) return `<${flat}${close}`;
  return `<${name}\n${written.map((attribute) => `  ${attribute}`).join('\n')}\n${close.trimStart()}`;
}

const elementTag = (attributes: Attributes): string => writeTag('svc-uploader', attributes, (name) => name, '></svc-uploader>');

const file = (name: string, lines: string[]): CodeFile => ({ name, text: `${lines.join('\n')}\n` });

const WRITERS: Readonly<Record<Framework, (attributes: Attributes, css: string) => CodeFile[]>> = {
  html: (attributes, css) => [
    file('page.html', [
      '<script type="module" src="/svc-uploader.js"></script>',
      ...(css ? [`<style>\n${indent(css, '  ')}\n</style>`] : []),
      '',
      `<form method="post">\n${indent(elementTag(attributes), '  ')}\n  <button>Send</button>\n</form>`,
    ]),
  ],
  react: (attributes, css) => [
    file('Attachments.tsx', [
      "import { SvcUploader } from 'svc-uploader/react';",
      ...(css ? ["import './attachments.css';"] : []),
      '',
      'export function Attachments() {',
      `  return (\n${indent(
        writeTag('SvcUploader', attributes, (name) => REACT_NAMES[name] ?? camelCase(name), ' />'),
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
      `<template>\n${indent(elementTag(attributes), '  ')}\n</template>`,
      ...(css ? ['', `<style>\n${css}\n</style>`] : []),
    ]),
    file('vite.config.js', [
      "import vue from '@vitejs/plugin-vue';",
      '',
      '// Vue must not resolve the element as a component.',
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
      elementTag(attributes),
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
      `  template: \`\n${indent(elementTag(attributes), '    ')}\n  \`,`,
      ...(css ? [`  styles: \`\n${indent(css, '    ')}\n  \`,`] : []),
      '})',
      'export class Attachments {}',
    ]),
  ],
};

/** @param css style sheet whose selectors begin with `svc-uploader` */
export const codeFor = (flavour: Framework, attributes: Attributes, css: string): CodeFile[] => WRITERS[flavour](attributes, css);
