/**
 * Reads a property of a form itself. If a form contains a control named `elements` or `method`, `form.elements` returns that control.
 *
 * @see https://html.spec.whatwg.org/multipage/forms.html#the-form-element (LegacyOverrideBuiltIns)
 */
export const readFormProperty = <K extends 'elements' | 'id' | 'method'>(form: HTMLFormElement, name: K): HTMLFormElement[K] =>
  Reflect.get(HTMLFormElement.prototype, name, form) as HTMLFormElement[K];
