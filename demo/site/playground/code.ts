/** The code a visitor takes along: the same attributes, written as each of five worlds writes them. Pure. */

export const FLAVOURS = ['html', 'react', 'vue', 'svelte', 'angular'] as const;
export type Flavour = (typeof FLAVOURS)[number];

/** Attribute name to its value; true for a bare attribute. */
export type Attributes = Readonly<Record<string, string | true>>;
/** Custom property name to its value. */
export type Theme = Readonly<Record<string, string>>;

export const FILE_NAMES: Readonly<Record<Flavour, string>> = {
  html: 'page.html',
  react: 'Attachments.tsx',
  vue: 'Attachments.vue',
  svelte: 'Attachments.svelte',
  angular: 'attachments.component.ts',
};

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

function styleSheet(theme: Theme): string {
  const lines = Object.entries(theme).map(([name, value]) => `  ${name}: ${value};`);
  return lines.length === 0 ? '' : `svc-uploader {\n${lines.join('\n')}\n}`;
}

const WRITERS: Readonly<Record<Flavour, (attributes: Attributes, css: string) => string>> = {
  html: (attributes, css) =>
    [
      '<script type="module" src="/svc-uploader.js"></script>',
      ...(css ? [`<style>\n${indent(css, '  ')}\n</style>`] : []),
      '',
      `<form method="post">\n${indent(element(attributes), '  ')}\n  <button>Send</button>\n</form>`,
    ].join('\n'),
  react: (attributes, css) =>
    [
      "import { SvcUploader } from 'svc-uploader/react';",
      ...(css ? ["import './attachments.css';"] : []),
      '',
      'export function Attachments() {',
      `  return (\n${indent(
        tag('SvcUploader', attributes, (name) => REACT_NAMES[name] ?? camel(name), ' />'),
        '    ',
      )}\n  );\n}`,
      ...(css ? ['', `/* attachments.css */\n${css}`] : []),
    ].join('\n'),
  vue: (attributes, css) =>
    [
      '<script setup>',
      "import 'svc-uploader';",
      '</script>',
      '',
      `<template>\n${indent(element(attributes), '  ')}\n</template>`,
      ...(css ? ['', `<style>\n${css}\n</style>`] : []),
    ].join('\n'),
  svelte: (attributes, css) =>
    [
      '<script>',
      "  import 'svc-uploader';",
      '</script>',
      '',
      element(attributes),
      ...(css ? ['', `<style>\n${indent(css.replace('svc-uploader {', ':global(svc-uploader) {'), '  ')}\n</style>`] : []),
    ].join('\n'),
  angular: (attributes, css) =>
    [
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
    ].join('\n'),
};

/** Code that shows the element with these attributes and this theme. */
export const codeFor = (flavour: Flavour, attributes: Attributes, theme: Theme): string =>
  `${WRITERS[flavour](attributes, styleSheet(theme))}\n`;
