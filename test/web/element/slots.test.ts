import { expect } from 'chai';
import { inside, removeAll, until, uploader } from './fixture.js';

describe('label and hint', () => {
  afterEach(removeAll);

  it('can be slotted later', async () => {
    const el = await uploader();
    expect(inside(el, '[part=hint]').hidden).to.equal(true);
    const hint = Object.assign(document.createElement('b'), { slot: 'hint', textContent: 'Only this year' });
    el.append(hint);
    await until(() => inside(el, '[part=hint]').hidden === false);
    expect(inside(el, '[part=hint]').hidden).to.equal(false);
    hint.remove();
    await until(() => inside(el, '[part=hint]').hidden === true);
    expect(inside(el, '[part=hint]').hidden).to.equal(true);
  });

  it('can contain markup, and name and describe the button', async () => {
    const el = await uploader({ 'max-size': '1MB' });
    const button = inside(el, '.pick');
    expect([inside(el, '[part=label]').checkVisibility(), button.ariaLabel]).to.deep.equal([false, null]);
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
