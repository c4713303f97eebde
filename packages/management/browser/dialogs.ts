/** Opens the page behind an `a[data-dialog]` as a dialog; after an error the link is followed instead. */
export function openDialogs(root: Document): void {
  root.addEventListener('click', (event) => {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-dialog]') : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void open(link);
  });
}

async function open(link: HTMLAnchorElement): Promise<void> {
  const content = await bodyOf(link.href);
  if (content === null) {
    location.assign(link.href);
    return;
  }
  const menu = link.closest<HTMLElement>('[popover]');
  const opener = menu === null ? link : document.querySelector<HTMLElement>(`[popovertarget="${menu.id}"]`);
  if (menu?.matches(':popover-open')) menu.hidePopover();
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'dialog-title');
  dialog.append(content);
  dialog.addEventListener('close', () => {
    dialog.remove();
    opener?.focus();
  });
  dialog.addEventListener('click', (event) => {
    const closes = event.target instanceof Element && event.target.closest('[data-close]') !== null;
    if (closes) event.preventDefault();
    if (closes || event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}

async function bodyOf(url: string): Promise<Element | null> {
  try {
    const response = await fetch(url, { headers: { Accept: 'text/html' } });
    if (!response.ok) return null;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return page.querySelector('[data-dialog-body]');
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
