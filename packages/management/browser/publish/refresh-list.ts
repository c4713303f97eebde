/** Shows the newest list under the panel; one that cannot be had now stays as it is. */
export async function refreshList(): Promise<void> {
  const old = document.querySelector('[data-list]');
  const fresh = await listOf(location.href);
  if (old === null || fresh === null) return;
  old.replaceWith(fresh);
  document.querySelector('[data-publish]')?.classList.remove('roomy');
}

async function listOf(url: string): Promise<Element | null> {
  try {
    const response = await fetch(url, { headers: { Accept: 'text/html' } });
    if (!response.ok) return null;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return page.querySelector('[data-list]');
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
