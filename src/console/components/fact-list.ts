import { html } from 'lit';
import type { TemplateResult } from 'lit';

/** A name and a value of a record. */
export type Fact = readonly [name: string, value: TemplateResult | string];

/** Renders the facts of a record as a list of names and values. `dialog-content.ts` has its styles for dialogs. */
export const factList = (facts: readonly Fact[]): TemplateResult =>
  html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
