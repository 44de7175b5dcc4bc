import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';
import type { ElementPart } from 'lit/directive.js';

/** Sets CSS custom properties through the DOM. A strict Content-Security-Policy forbids `style` attributes. */
class StyleProperties extends Directive {
  #lastValues: Readonly<Record<string, string>> = {};

  override render(_values: Readonly<Record<string, string>>): unknown {
    return noChange;
  }
  override update(part: ElementPart, [values]: [Readonly<Record<string, string>>]): unknown {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(values)) if (this.#lastValues[name] !== value) style.setProperty(name, value);
    this.#lastValues = values;
    return noChange;
  }
}

export const styleProperties = directive(StyleProperties);
