import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';
import type { ElementPart } from 'lit/directive.js';

/** Custom properties set through the object model, which a strict Content-Security-Policy allows and a style attribute is not. */
class StyleProperties extends Directive {
  #last: Readonly<Record<string, string>> = {};

  override render(_values: Readonly<Record<string, string>>): unknown {
    return noChange;
  }
  override update(part: ElementPart, [values]: [Readonly<Record<string, string>>]): unknown {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(values)) if (this.#last[name] !== value) style.setProperty(name, value);
    this.#last = values;
    return noChange;
  }
}

export const styleProperties = directive(StyleProperties);
