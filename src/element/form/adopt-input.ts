/** What a native input says that the element understands as well. */
const SHARED = ['name', 'accept', 'multiple', 'required', 'disabled', 'capture', 'webkitdirectory'] as const;

/**
 * Takes over an `<input type=file>` that served as long as there was no script: its attributes where the element states none, its
 * id (and with it its labels) and its files. The input stays where it is, for its owner may be a framework, but takes no part any more.
 * @returns the files that were chosen before the script came.
 */
export function adoptInput(host: HTMLElement, input: HTMLInputElement): File[] {
  for (const name of SHARED) {
    let value = input.getAttribute(name);
    // As to the browser: a camera that it does not know is any.
    if (name === 'capture' && value !== null && !/^(user|environment)$/i.test(value)) value = '';
    if (value !== null && !host.hasAttribute(name)) host.setAttribute(name, value);
  }
  if (host.id === '' && input.id !== '') {
    const { id } = input;
    input.removeAttribute('id');
    host.id = id;
  }
  input.hidden = true;
  input.disabled = true;
  return [...(input.files ?? [])];
}
