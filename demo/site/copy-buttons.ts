function select(element: HTMLElement): void {
  getSelection()?.selectAllChildren(element);
  element.focus();
}

/**
 * Makes each button with `data-copy` copy the text of the element with that id. Pages over http have no clipboard, so there the button
 * selects the text.
 */
export function enableCopyButtons(root: ParentNode = document): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.addEventListener('click', async () => {
      const element = document.getElementById(button.dataset['copy']!)!;
      const isCopied = await navigator.clipboard?.writeText(element.textContent).then(
        () => true,
        () => false,
      );
      if (!isCopied) select(element);
      button.textContent = isCopied ? 'Copied' : 'Selected';
      setTimeout(() => (button.textContent = 'Copy'), 1500);
    });
  }
}
