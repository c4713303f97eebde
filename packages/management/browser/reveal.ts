/** Gives every `[data-reveal]` a button that shows the password. */
export function revealPasswords(root: Document): void {
  for (const holder of root.querySelectorAll<HTMLElement>('[data-reveal]')) {
    const input = holder.querySelector('input');
    if (input === null) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('aria-pressed', 'false');
    button.textContent = holder.dataset.show ?? '';
    button.addEventListener('click', () => {
      const shown = input.type === 'text';
      input.type = shown ? 'password' : 'text';
      button.setAttribute('aria-pressed', String(!shown));
      button.textContent = (shown ? holder.dataset.show : holder.dataset.hide) ?? '';
      input.focus();
    });
    input.form?.addEventListener('submit', () => {
      input.type = 'password';
    });
    holder.append(button);
  }
}
