import { expect } from 'chai';
import type { FileRecord } from '../../../src/protocol/types.js';
import { FormElement } from '../../../src/element/form/form-element.js';

/** An element with records but without uploads, because hundreds of uploads take seconds and their timing is random. */
class Many extends FormElement {
  override readonly records: FileRecord[] = [];
  protected override readonly storedFiles = this.records;
  protected override readonly formStatus = { done: 1, busy: 0, unfilled: false, failed: 0, tooMany: false, problem: '' };
  protected override readonly validityAnchor = undefined;
  protected override validationText = () => '';
  protected override setFields = (data: FormData) => data.set('doc-fields', `${this.records.length}`);
  override scheduleRender = () => {};
  protected override onSubmitPending = () => {};
  protected override onErrorReported = () => {};
  protected override onSubmitCanceled = () => {};
  override restore = () => {};
  protected override reset = () => {};

  hold(count: number): void {
    for (let number = 0; number < count; number++) this.records.push(createRecord(number));
    this.syncValue();
  }
  finish(number: number): void {
    this.records.push(createRecord(number));
    this.appendValue(this.records.at(-1)!, this.records.length);
  }
}
customElements.define('test-many', Many);

const createRecord = (number: number) => ({ id: `${number}`, path: `docs/${number}` }) as FileRecord;
const createPaths = (count: number) => Array.from({ length: count }, (_, number) => `docs/${number}`);

describe('the value of hundreds of files', () => {
  const { setTimeout, clearTimeout } = window;
  const timers = new Map<number, () => void>();
  let form: HTMLFormElement;
  let el: Many;
  const sent = () => new FormData(form).getAll('doc');
  /** Runs the oldest timer. */
  const end = () => {
    const [id, act] = timers.entries().next().value!;
    timers.delete(id);
    act();
  };

  beforeEach(() => {
    form = document.body.appendChild(document.createElement('form'));
    el = new Many();
    el.name = 'doc';
    form.append(el);
    let last = 0;
    window.setTimeout = ((act: () => void) => (timers.set(++last, act), last)) as typeof window.setTimeout;
    window.clearTimeout = ((id: number) => timers.delete(id)) as typeof window.clearTimeout;
  });
  afterEach(() => {
    Object.assign(window, { setTimeout, clearTimeout });
    timers.clear();
    form.remove();
  });

  it('contains each once, whatever finishes while it is written', () => {
    el.hold(201);
    el.finish(201);
    expect(sent()).to.deep.equal(createPaths(202));
    end();
    expect(sent()).to.deep.equal(createPaths(202));
    expect(timers.size, 'nothing is left to renew').to.equal(0);
    el.finish(202);
    expect(sent()).to.deep.equal(createPaths(203));
  });

  it('leaves no timer when the element is removed, and is complete when it comes back', () => {
    el.hold(201);
    el.finish(201);
    el.remove();
    expect(timers.size).to.equal(0);
    form.append(el);
    expect(sent()).to.deep.equal(createPaths(202));
  });
});
