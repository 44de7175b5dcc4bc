import { expect } from 'chai';
import { find, removeAll, until, createUploader } from './fixture.js';

describe('label and hint', () => {
  afterEach(removeAll);

  it('can be slotted later', async () => {
    const el = await createUploader();
    expect(find(el, '[part=hint]').hidden).to.equal(true);
    const hint = Object.assign(document.createElement('b'), { slot: 'hint', textContent: 'Only this year' });
    el.append(hint);
    await until(() => find(el, '[part=hint]').hidden === false);
    expect(find(el, '[part=hint]').hidden).to.equal(false);
    hint.remove();
    await until(() => find(el, '[part=hint]').hidden === true);
    expect(find(el, '[part=hint]').hidden).to.equal(true);
  });

  it('can contain markup, and name and describe the button', async () => {
    const el = await createUploader({ 'max-size': '1MB' });
    const button = find(el, '.pick');
    expect([find(el, '[part=label]').checkVisibility(), button.ariaLabel]).to.deep.equal([false, null]);
    const slotted = (slot: string, textContent: string) =>
      el.appendChild(Object.assign(document.createElement('b'), { slot, textContent }));
    const [label, hint] = [slotted('label', 'Your CV'), slotted('hint', 'One page')];
    await until(() => label.checkVisibility() && hint.checkVisibility() && button.ariaLabel !== null);
    expect([label.checkVisibility(), hint.checkVisibility()]).to.deep.equal([true, true]);
    expect(button.ariaLabel).to.equal('Your CV: Choose a file');
    const described = el.shadowRoot!.getElementById(button.getAttribute('aria-describedby')!.split(' ')[0]!)!;
    expect(described.contains(hint.assignedSlot)).to.equal(true);
    expect(hint.assignedSlot!.assignedElements()).to.deep.equal([hint]);
  });
});
