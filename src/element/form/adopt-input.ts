/** Attributes that a native file input and the element have in common. */
const SHARED_ATTRIBUTES = ['name', 'accept', 'multiple', 'required', 'disabled', 'capture', 'webkitdirectory'] as const;

/**
 * Takes over the `<input type=file>` that serves a page without JavaScript. Copies its attributes unless the element sets them, and
 * moves its id, so that its labels name the element. The input stays in the document, because a framework may own it, but is
 * hidden and disabled.
 *
 * @returns the files that were chosen before the script ran
 */
export function adoptInput(host: HTMLElement, input: HTMLInputElement): File[] {
  for (const name of SHARED_ATTRIBUTES) copyAttribute(host, input, name);
  if (host.id === '' && input.id !== '') {
    const { id } = input;
    input.removeAttribute('id');
    host.id = id;
  }
  input.hidden = true;
  input.disabled = true;
  return [...(input.files ?? [])];
}

function copyAttribute(host: HTMLElement, input: HTMLInputElement, name: string): void {
  let value = input.getAttribute(name);
  if (value === null || host.hasAttribute(name)) return;
  // Browsers treat an unknown camera as "any camera".
  if (name === 'capture' && !/^(user|environment)$/i.test(value)) value = '';
  host.setAttribute(name, value);
}
