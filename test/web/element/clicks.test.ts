// Every browser: engines open the file picker under different conditions.
import { expect } from 'chai';
import { find, removeAll, createUploader } from './fixture.js';

const { click } = HTMLInputElement.prototype;

/** Clicks as a person would. Returns the number of opened pickers and the clicks that reached the page. */
function press(target: HTMLElement): { picks: number; seen: EventTarget[] } {
  const seen: EventTarget[] = [];
  let picks = 0;
  const see = (event: Event) => {
    seen.push(event.target!);
    // A link must not leave the test page.
    event.preventDefault();
  };
  document.addEventListener('click', see);
  HTMLInputElement.prototype.click = () => void (picks += 1);
  try {
    target.click();
  } finally {
    HTMLInputElement.prototype.click = click;
    document.removeEventListener('click', see);
  }
  return { picks, seen };
}

describe('a click', () => {
  afterEach(removeAll);

  for (const appearance of ['dropzone', 'inline', 'button'])
    it(`on the button opens one picker and reaches the page (${appearance})`, async () => {
      const el = await createUploader({ appearance });
      expect(press(find(el, '.pick'))).to.deep.equal({ picks: 1, seen: [el] });
      el.disabled = true;
      await el.updateComplete;
      expect(press(find(el, '.pick')).picks).to.equal(0);
    });

  it('anywhere in the drop zone opens one picker, whose own click stays inside', async () => {
    const el = await createUploader();
    expect(press(find(el, '.drop-words'))).to.deep.equal({ picks: 1, seen: [el] });
    const seen: Event[] = [];
    el.addEventListener('click', (event) => seen.push(event));
    find(el, 'input').dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, cancelable: true }));
    expect(seen).to.deep.equal([]);
  });

  it('on the button opens one picker if a label surrounds the element', async () => {
    const label = document.body.appendChild(document.createElement('label'));
    const el = await createUploader({}, { parent: label });
    expect(press(find(el, '.pick')).picks).to.equal(1);
  });

  it('anywhere in the drop zone opens one picker if a label surrounds the element', async () => {
    const label = document.body.appendChild(document.createElement('label'));
    const el = await createUploader({}, { parent: label });
    for (const part of ['.pick', '.drop-words']) {
      let picks = 0;
      HTMLInputElement.prototype.click = () => void (picks += 1);
      // A click as a person makes it, with the label's own click.
      find(el, part).click();
      HTMLInputElement.prototype.click = click;
      expect(picks, part).to.equal(1);
    }
  });

  it('on a link or a button in the hint or label is left to the page', async () => {
    const el = await createUploader();
    for (const slot of ['hint', 'label'])
      el.insertAdjacentHTML(
        'beforeend',
        `<span slot="${slot}">Some <a href="#rules"><b>rules</b></a> <button>More</button></span>`,
      );
    await el.updateComplete;
    for (const slot of ['hint', 'label']) {
      const part = (name: string) => el.querySelector<HTMLElement>(`[slot=${slot}] ${name}`)!;
      expect(press(part('b')), slot).to.deep.equal({ picks: 0, seen: [part('b')] });
      expect(press(part('button')), slot).to.deep.equal({ picks: 0, seen: [part('button')] });
      const text = el.querySelector<HTMLElement>(`[slot=${slot}]`)!;
      expect(press(text), `${slot}: the words beside it`).to.deep.equal({ picks: 1, seen: [text] });
    }
  });
});
