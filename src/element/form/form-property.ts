/**
 * Reads a form's own property. A form shows a control named `elements` or `method` in place of its property of that name.
 * @see https://html.spec.whatwg.org/multipage/forms.html#the-form-element (LegacyOverrideBuiltIns)
 */
export const readFormProperty = <K extends 'elements' | 'id' | 'method'>(form: HTMLFormElement, name: K): HTMLFormElement[K] =>
  Reflect.get(HTMLFormElement.prototype, name, form) as HTMLFormElement[K];
