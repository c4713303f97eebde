/** Shows the newest list under the panel; one that cannot be had now stays as it is. */
export async function refreshList(): Promise<void> {
  const old = document.querySelector('[data-list]');
  const fresh = (await pageOf(location.href))?.querySelector('[data-list]');
  if (old === null || fresh === null || fresh === undefined) return;
  old.replaceWith(fresh);
  document.querySelector('[data-publish]')?.classList.remove('roomy');
}

/** The token of forms after signing in anew; `undefined` without a session. */
export async function freshToken(url: string): Promise<string | undefined> {
  const panel = (await pageOf(url))?.querySelector<HTMLElement>('[data-publish]');
  return panel === null || panel === undefined ? undefined : JSON.parse(panel.dataset.publish ?? '').token;
}

async function pageOf(url: string): Promise<Document | undefined> {
  try {
    const response = await fetch(url, { headers: { Accept: 'text/html' } });
    return response.ok ? new DOMParser().parseFromString(await response.text(), 'text/html') : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
