import { render } from 'lit';
import type { TemplateResult } from 'lit';

/**
 * The elements of the lines of a grid that are near the window. While the page scrolls, the element of a line that leaves gets the content of
 * one that enters, because changing elements takes much less time than creating them. Lines that stay keep their element.
 */
export class LinePool {
  /** Elements by the number of their line. */
  readonly #lines = new Map<number, HTMLElement>();
  readonly #spare: HTMLElement[] = [];

  /** @param create creates the element of a line */
  constructor(private readonly create: () => HTMLElement) {}

  /** Shows the lines from `start` up to `end`. @param content returns the content of a line */
  show(parent: HTMLElement, [start, end]: readonly [number, number], content: (line: number) => TemplateResult[]): void {
    for (const [line, element] of this.#lines) {
      if (line >= start && line < end) continue;
      this.#lines.delete(line);
      element.remove();
      this.#spare.push(element);
    }
    let next: HTMLElement | null = null;
    for (let line = end - 1; line >= start; line--) {
      const element: HTMLElement = this.#lines.get(line) ?? this.#spare.pop() ?? this.create();
      this.#lines.set(line, element);
      render(content(line), element);
      element.ariaRowIndex = String(line + 1);
      // An element that stays must not move, or it loses the focus.
      if (element.parentNode !== parent) parent.insertBefore(element, next);
      next = element;
    }
  }
}
