import { pageOf } from '../dialogs.ts';

/** Shows the newest list under the panel; one that cannot be had now stays as it is. */
export async function refreshList(): Promise<void> {
  const old = document.querySelector('[data-list]');
  const fresh = (await pageOf(location.href))?.querySelector('[data-list]');
  if (old === null || fresh === null || fresh === undefined) return;
  old.replaceWith(fresh);
  document.querySelector('[data-publish]')?.classList.remove('roomy');
}

export async function freshToken(url: string): Promise<string | undefined> {
  const panel = (await pageOf(url))?.querySelector<HTMLElement>('[data-publish]');
  return panel === null || panel === undefined ? undefined : JSON.parse(panel.dataset.publish ?? '').token;
}
