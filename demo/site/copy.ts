function select(element: HTMLElement): void {
  getSelection()?.selectAllChildren(element);
  element.focus();
}

/** Buttons that copy the text of the element their `data-copy` names. A page over http has no clipboard: there it is selected. */
export function enableCopying(root: ParentNode = document): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.addEventListener('click', async () => {
      const element = document.getElementById(button.dataset['copy']!)!;
      const copied = await navigator.clipboard?.writeText(element.textContent).then(
        () => true,
        () => false,
      );
      if (!copied) select(element);
      button.textContent = copied ? 'Copied' : 'Selected';
      setTimeout(() => (button.textContent = 'Copy'), 1500);
    });
  }
}
