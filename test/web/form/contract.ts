import { expect } from 'chai';

/** Members that all form controls share. */
export interface FormControl extends HTMLElement {
  name: string;
  required: boolean;
  disabled: boolean;
  readonly form: HTMLFormElement | null;
  readonly labels: NodeList;
  readonly validity: ValidityState;
  readonly validationMessage: string;
  readonly willValidate: boolean;
  checkValidity(): boolean;
  reportValidity(): boolean;
  setCustomValidity(message: string): void;
}

/** Tells the suite how to create and fill the control under test. */
export interface Subject<T extends FormControl> {
  tag: string;
  /** Creates a control outside the document. */
  create(attributes?: Record<string, string>): T;
  /**
   * Gives the control a value.
   *
   * @returns the entries that a form has to send for it
   */
  fill(control: T): Promise<string[]>;
}

type Case<T extends FormControl> = [title: string, run: (subject: Subject<T>) => Promise<void> | void];

const readEntries = (form: HTMLFormElement, name = 'field') => new FormData(form).getAll(name);

function createInForm<T extends FormControl>(subject: Subject<T>, attributes: Record<string, string> = { name: 'field' }) {
  const form = document.body.appendChild(document.createElement('form'));
  const control = subject.create(attributes);
  form.append(control);
  return { form, control };
}

const CASES: Case<FormControl>[] = [
  [
    'knows its form, and is in form.elements',
    (subject) => {
      const { form, control } = createInForm(subject);
      expect(control.form).to.equal(form);
      expect([...form.elements]).to.include(control);
      expect(form.elements.namedItem('field')).to.equal(control);
    },
  ],
  [
    'belongs to the form that its form attribute names',
    async (subject) => {
      const form = document.body.appendChild(document.createElement('form'));
      form.id = 'elsewhere';
      const control = subject.create({ name: 'field', form: 'elsewhere' });
      document.body.append(control);
      expect(control.form).to.equal(form);
      expect(readEntries(form)).to.deep.equal([]);
      const value = await subject.fill(control);
      expect(readEntries(form)).to.deep.equal(value);
      form.id = 'other';
      expect(control.form).to.equal(null);
    },
  ],
  [
    'sends nothing while it is empty',
    (subject) => {
      const { form } = createInForm(subject);
      expect(readEntries(form)).to.deep.equal([]);
    },
  ],
  [
    'sends its value in the same task in which it changes',
    async (subject) => {
      const { form, control } = createInForm(subject);
      let seen: unknown[] = [];
      control.addEventListener('change', () => (seen = readEntries(form)));
      const value = await subject.fill(control);
      expect(value.length).to.be.greaterThan(0);
      expect(seen).to.deep.equal(value);
    },
  ],
  [
    'sends its value in a submit',
    async (subject) => {
      const { form, control } = createInForm(subject);
      const value = await subject.fill(control);
      let sent: unknown[] | undefined;
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        sent = readEntries(form);
      });
      form.requestSubmit();
      expect(sent).to.deep.equal(value);
    },
  ],
  [
    'sends nothing without a name, and under a new name at once',
    async (subject) => {
      const { form, control } = createInForm(subject, {});
      const value = await subject.fill(control);
      expect([...new FormData(form)]).to.deep.equal([]);
      control.name = 'late';
      expect(readEntries(form, 'late')).to.deep.equal(value);
      control.name = 'later';
      expect(readEntries(form, 'late')).to.deep.equal([]);
      expect(readEntries(form, 'later')).to.deep.equal(value);
    },
  ],
  [
    'is valueMissing as soon as it is required',
    async (subject) => {
      const { form, control } = createInForm(subject);
      expect(form.checkValidity()).to.equal(true);
      control.required = true;
      expect(control.validity.valueMissing).to.equal(true);
      expect(control.validationMessage).to.not.equal('');
      expect(form.checkValidity(), 'of the form in the next line').to.equal(false);
      expect(control.matches(':invalid')).to.equal(true);
      await subject.fill(control);
      expect(control.validity.valid).to.equal(true);
      expect(control.validationMessage).to.equal('');
      expect(form.checkValidity()).to.equal(true);
    },
  ],
  [
    'is required by its attribute from the start',
    (subject) => {
      const { form, control } = createInForm(subject, { name: 'field', required: '' });
      expect(control.required).to.equal(true);
      expect(form.checkValidity()).to.equal(false);
    },
  ],
  [
    'stops a submit while it is invalid, and fires invalid',
    async (subject) => {
      const { form, control } = createInForm(subject, { name: 'field', required: '' });
      const events: string[] = [];
      control.addEventListener('invalid', () => events.push('invalid'));
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        events.push('submit');
      });
      form.requestSubmit();
      expect(events).to.deep.equal(['invalid']);
      await subject.fill(control);
      form.requestSubmit();
      expect(events).to.deep.equal(['invalid', 'submit']);
    },
  ],
  [
    'has validity methods like an input',
    (subject) => {
      const { control } = createInForm(subject, { name: 'field', required: '' });
      let invalid = 0;
      control.addEventListener('invalid', (event) => {
        event.preventDefault();
        invalid += 1;
      });
      expect(control.checkValidity()).to.equal(false);
      expect(control.reportValidity()).to.equal(false);
      expect(invalid).to.equal(2);
      control.required = false;
      expect(control.checkValidity()).to.equal(true);
      control.setCustomValidity('Not today.');
      expect(control.validity.customError).to.equal(true);
      expect(control.validationMessage).to.equal('Not today.');
      control.setCustomValidity('');
      expect(control.checkValidity()).to.equal(true);
    },
  ],
  [
    'is empty after a reset',
    async (subject) => {
      const { form, control } = createInForm(subject, { name: 'field', required: '' });
      await subject.fill(control);
      form.reset();
      expect(readEntries(form)).to.deep.equal([]);
      expect(control.validity.valueMissing).to.equal(true);
    },
  ],
  [
    'is left out of the form while disabled',
    async (subject) => {
      const { form, control } = createInForm(subject, { name: 'field', required: '' });
      const value = await subject.fill(control);
      control.disabled = true;
      expect(control.hasAttribute('disabled')).to.equal(true);
      expect(control.matches(':disabled')).to.equal(true);
      expect(control.willValidate).to.equal(false);
      expect(readEntries(form)).to.deep.equal([]);
      control.disabled = false;
      expect(readEntries(form)).to.deep.equal(value);
    },
  ],
  [
    'is disabled by a fieldset',
    async (subject) => {
      const { form, control } = createInForm(subject);
      const fieldset = form.appendChild(document.createElement('fieldset'));
      fieldset.append(control);
      const value = await subject.fill(control);
      fieldset.disabled = true;
      expect(control.matches(':disabled')).to.equal(true);
      expect(control.disabled, 'the attribute is its own').to.equal(false);
      expect(readEntries(form)).to.deep.equal([]);
      control.required = true;
      expect(form.checkValidity()).to.equal(true);
      fieldset.disabled = false;
      expect(readEntries(form)).to.deep.equal(value);
    },
  ],
  [
    'has labels, by nesting and by for',
    (subject) => {
      const control = subject.create({ name: 'field', id: 'control' });
      const around = document.body.appendChild(document.createElement('label'));
      around.append('Around ', control);
      const beside = document.body.appendChild(document.createElement('label'));
      beside.htmlFor = 'control';
      expect([...control.labels]).to.have.members([around, beside]);
    },
  ],
  [
    'takes the focus by focus(), and matches :focus',
    async (subject) => {
      const { control } = createInForm(subject);
      await (control as FormControl & { updateComplete?: Promise<unknown> }).updateComplete;
      control.focus();
      expect(document.activeElement).to.equal(control);
    },
  ],
  [
    'keeps its value when it is moved to another form',
    async (subject) => {
      const { form, control } = createInForm(subject);
      const value = await subject.fill(control);
      const other = document.body.appendChild(document.createElement('form'));
      other.append(control);
      expect(readEntries(form)).to.deep.equal([]);
      expect(readEntries(other)).to.deep.equal(value);
    },
  ],
  [
    'submits together with other controls of its name, in document order',
    async (subject) => {
      const { form, control } = createInForm(subject);
      const before = document.createElement('input');
      before.name = 'field';
      before.value = 'before';
      form.prepend(before);
      const value = await subject.fill(control);
      expect(readEntries(form)).to.deep.equal(['before', ...value]);
    },
  ],
];

/** Runs the tests that apply to every form control. */
export function formContract<T extends FormControl>(subject: Subject<T>): void {
  describe(`<${subject.tag}> as a form control`, () => {
    afterEach(() => document.body.replaceChildren());
    for (const [title, run] of CASES) it(title, () => run(subject as unknown as Subject<FormControl>));
  });
}
