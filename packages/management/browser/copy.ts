const SHOWN_MILLISECONDS = 2_000;

/** Copies the text of a `[data-copy]` button, or the link it names, to the clipboard, and confirms it on the button. */
export function copyOnClick(root: Document): void {
  root.addEventListener('click', (event) => {
    const button =
      event.target instanceof Element
        ? event.target.closest<HTMLElement>('[data-copy], [data-copy-from]')
        : null;
    if (button !== null) void copy(button);
  });
}

export async function putOnClipboard(text: string): Promise<boolean> {
  if (navigator.clipboard === undefined) return copyBySelection(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotAllowedError') return copyBySelection(text);
    throw error;
  }
}

async function copy(button: HTMLElement): Promise<void> {
  if (!(await putOnClipboard(textOf(button)))) return;
  const label = button.querySelector('span');
  const before = label?.textContent ?? '';
  if (label === null || button.classList.contains('done')) return;
  button.style.minWidth = `${button.offsetWidth}px`;
  button.classList.add('done');
  const copied = document.body.dataset.copied ?? before;
  label.textContent = copied;
  announce(copied);
  setTimeout(() => {
    label.textContent = before;
    button.classList.remove('done');
    button.style.minWidth = '';
  }, SHOWN_MILLISECONDS);
}

function textOf({ dataset }: HTMLElement): string {
  const link = document.getElementById(dataset.copyFrom ?? '');
  return link instanceof HTMLAnchorElement ? link.href : (dataset.copy ?? '');
}

/** Announces a text to screen readers. */
function announce(text: string): void {
  const region = document.createElement('p');
  region.className = 'hidden';
  region.setAttribute('role', 'status');
  document.body.append(region);
  // Screen readers announce a text only if it is added after its region.
  requestAnimationFrame(() => {
    region.textContent = text;
  });
  setTimeout(() => region.remove(), SHOWN_MILLISECONDS);
}

/** For pages over plain http, where browsers offer no clipboard. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('readonly', '');
  area.className = 'hidden';
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}
