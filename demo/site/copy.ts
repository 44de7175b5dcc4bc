/** Buttons that copy the text of the element their `data-copy` names. */
export function enableCopying(root: ParentNode = document): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.addEventListener('click', async () => {
      const text = document.getElementById(button.dataset['copy']!)?.textContent ?? '';
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), 1500);
    });
  }
}
