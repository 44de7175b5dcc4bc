/** An element with attributes and children. */
export function element(tag: string, attributes: Readonly<Record<string, string>>, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
