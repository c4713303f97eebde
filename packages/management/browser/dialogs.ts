/** Opens the page of an `a[data-dialog]` as a dialog; after an error, the browser follows the link instead. */
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
  const content = (await fetchPage(link.href))?.querySelector('[data-dialog-body]') ?? null;
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

export async function fetchPage(url: string): Promise<Document | undefined> {
  try {
    const response = await fetch(url, { headers: { Accept: 'text/html' } });
    return response.ok ? new DOMParser().parseFromString(await response.text(), 'text/html') : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
