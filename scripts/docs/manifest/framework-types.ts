import type { Attribute, ElementModel, Property } from './model.js';

/**
 * Makes declarations of the element for the templates of frameworks. Every type refers to the class, so that it cannot differ.
 * @returns texts by file name
 */
export function frameworkTypes(model: ElementModel): Record<string, string> {
  return {
    'props.d.ts': props(model),
    'react.d.ts': jsx('react', "import type { DetailedHTMLProps, HTMLAttributes } from 'react';", {
      base: 'DetailedHTMLProps<HTMLAttributes<SvcUploader>, SvcUploader>',
      prefix: 'on',
    }),
    'preact.d.ts': jsx('preact', "import type { HTMLAttributes } from 'preact';", {
      base: 'HTMLAttributes<SvcUploader>',
      prefix: 'on',
    }),
    'solid.d.ts': jsx('solid-js', "import type { JSX as Solid } from 'solid-js';", {
      base: 'Solid.HTMLAttributes<SvcUploader>',
      prefix: 'on:',
    }),
    'vue.d.ts': vue(model),
    'svelte.d.ts': svelte(model),
    // `import 'svc-uploader/types/…'` loads this file at run time.
    'none.js': 'export {};\n',
  };
}

const doc = (description: string) => `  /** ${description.replaceAll(/\s*\n\s*/g, ' ')} */\n`;
const quoted = (name: string) => (/^[a-z]\w*$/i.test(name) ? name : `'${name}'`);

function props({ tag, className, attributes, properties }: ElementModel): string {
  const own = properties.filter(({ readonly, attribute, name }) => !readonly && attribute !== name);
  return `import type { ${className}, ${className}Events } from '../types/src/element/index.js';

export type { ${className}, ${className}Events };

/** Attributes of \`<${tag}>\`. */
export interface ${className}Attributes {
${attributes.map((one) => doc(one.description) + `  ${quoted(one.name)}?: ${attributeType(one)} | null | undefined;\n`).join('')}}

/** Properties that can be set and have no attribute of the same name. */
export interface ${className}Properties {
${own.map((one) => doc(one.description) + `  ${propertyLine(className, one)}`).join('')}}

/** Listeners, named by a prefix and the name of the event. */
export type ${className}Listeners<Prefix extends string> = {
  [K in keyof ${className}Events as \`\${Prefix}\${K}\`]?:
    | ((event: ${className}Events[K] & { readonly currentTarget: ${className} }) => void)
    | undefined;
};

export type ${className}Props = ${className}Attributes & ${className}Properties;
`;
}

function attributeType({ isBoolean, values, type }: Attribute): string {
  if (isBoolean) return 'boolean';
  if (values !== null) return values.map((one) => `'${one}'`).join(' | ');
  return type.includes('number') ? 'string | number' : 'string';
}

const propertyLine = (className: string, { name }: Property) => `${name}?: ${className}['${name}'] | undefined;\n`;

function jsx(module: string, imports: string, { base, prefix }: { base: string; prefix: string }): string {
  return `${imports}
import type { SvcUploader, SvcUploaderListeners, SvcUploaderProps } from './props.js';

type Uploader = Omit<${base}, keyof SvcUploaderProps> & SvcUploaderProps & SvcUploaderListeners<'${prefix}'>;

declare module '${module}' {
  namespace JSX {
    interface IntrinsicElements {
      'svc-uploader': Uploader;
    }
  }
}
`;
}

function vue({ tag }: ElementModel): string {
  return `import type { HTMLAttributes, PublicProps } from 'vue';
import type { SvcUploader, SvcUploaderEvents, SvcUploaderProps } from './props.js';

type Camel<Name extends string> = Name extends \`\${infer Head}-\${infer Tail}\` ? \`\${Head}\${Capitalize<Camel<Tail>>}\` : Name;
type Props = { [K in keyof SvcUploaderProps as Camel<K>]: SvcUploaderProps[K] };
type Listeners = {
  [K in keyof SvcUploaderEvents as \`on\${Capitalize<Camel<K>>}\`]?: (event: SvcUploaderEvents[K]) => void;
};

interface Uploader {
  new (): SvcUploader & {
    $props: Omit<HTMLAttributes, keyof Props> & PublicProps & Props & Listeners;
  };
}

declare module 'vue' {
  interface GlobalComponents {
    '${tag}': Uploader;
  }
}
`;
}

function svelte({ tag }: ElementModel): string {
  return `import type { HTMLAttributes } from 'svelte/elements';
import type { SvcUploader, SvcUploaderListeners, SvcUploaderProps } from './props.js';

type Uploader = Omit<HTMLAttributes<SvcUploader>, keyof SvcUploaderProps> &
  SvcUploaderProps &
  SvcUploaderListeners<'on'> &
  SvcUploaderListeners<'on:'>;

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    '${tag}': Uploader;
  }
}
`;
}
