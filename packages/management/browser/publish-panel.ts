export type Chosen =
  | { readonly kind: 'archive' | 'files'; readonly files: readonly File[] }
  | { readonly kind: 'entries'; readonly entries: readonly FileSystemEntry[] };

/** The module that is loaded when there is something to publish. */
interface PublishModule {
  publish(panel: HTMLElement, chosen: Chosen): Promise<void>;
}

/** Takes folders, ZIPs and single pages that are dropped on the panel or chosen there; the rest is loaded when there is one. */
export function watchPublishPanel(root: Document): void {
  const panel = root.querySelector<HTMLElement>('[data-publish]');
  if (panel === null) return;
  for (const button of panel.querySelectorAll<HTMLButtonElement>('[data-choose]')) {
    const folder = button.dataset.choose === 'folder';
    button.hidden = folder && !('webkitdirectory' in HTMLInputElement.prototype);
    button.addEventListener('click', () => choose(panel, folder));
  }
  watchDrops(root, panel);
  const password = passwordOf(panel);
  password?.addEventListener('input', () => showPasswordReady(panel));
}

export function passwordOf(panel: HTMLElement): HTMLInputElement | null {
  return panel.querySelector('#publish-password');
}

/** Says beside the closed field, too, that the next publication gets the password that is in it. */
export function showPasswordReady(panel: HTMLElement): void {
  const password = passwordOf(panel);
  password?.closest('details')?.toggleAttribute('data-ready', password.value !== '');
}

function choose(panel: HTMLElement, folder: boolean): void {
  const input = document.createElement('input');
  input.type = 'file';
  if (folder) input.webkitdirectory = true;
  else input.accept = '.zip,.html,.htm,application/zip,text/html';
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    if (files.length > 0) void begin(panel, { kind: folder ? 'files' : 'archive', files });
  });
  input.click();
}

/** The whole window takes the drop, so that a near miss does not open the file instead. */
function watchDrops(root: Document, panel: HTMLElement): void {
  const mark = (isOver: boolean) => panel.toggleAttribute('data-over', isOver);
  const on = (
    type: 'dragover' | 'dragleave' | 'drop',
    act: (event: DragEvent, carried: DataTransfer) => void,
  ) =>
    root.addEventListener(type, (event) => {
      if (event.dataTransfer?.types.includes('Files')) act(event, event.dataTransfer);
    });
  on('dragover', (event, carried) => {
    event.preventDefault();
    carried.dropEffect = 'copy';
    mark(true);
  });
  // With no other element, it has left the window.
  on('dragleave', ({ relatedTarget }) => mark(relatedTarget !== null));
  on('drop', (event, carried) => {
    event.preventDefault();
    mark(false);
    // Entries must be asked for before the event has ended.
    const entries = [...carried.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
    if (entries.length > 0) void begin(panel, { kind: 'entries', entries });
  });
}

async function begin(panel: HTMLElement, chosen: Chosen): Promise<void> {
  const password = passwordOf(panel);
  if (password !== null) {
    // What was chosen waits until the password is long enough; in closed details the browser could not say so.
    if (!password.validity.valid) password.closest('details')?.setAttribute('open', '');
    const isValid = password.reportValidity();
    password.onchange = isValid ? null : () => void begin(panel, chosen);
    if (!isValid) return;
  }
  const { publish } = (await import(panel.dataset.script ?? '')) as PublishModule;
  await publish(panel, chosen);
}
