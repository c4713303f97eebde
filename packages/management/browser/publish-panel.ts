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
  for (const option of optionsOf(panel)) option.addEventListener('input', () => showOption(option));
}

/** The fields that the next publication uses: its password and its name. */
export function optionsOf(panel: HTMLElement): readonly HTMLInputElement[] {
  return [...panel.querySelectorAll<HTMLInputElement>('.options input')];
}

/** Says beside a field, also where it is closed, that the next publication uses what is in it. */
export function showOption({ value, parentElement }: HTMLInputElement): void {
  const details = parentElement?.closest('details');
  details?.toggleAttribute('data-ready', value !== '');
  const shown = details?.querySelector('[data-value]');
  if (shown) shown.textContent = value;
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
  const options = optionsOf(panel);
  const wrong = options.find((option) => !option.validity.valid);
  // What was chosen waits until every option is right; in closed details the browser could not say what is wrong.
  wrong?.closest('details')?.setAttribute('open', '');
  wrong?.reportValidity();
  for (const option of options)
    option.onchange = wrong === undefined ? null : () => void begin(panel, chosen);
  if (wrong !== undefined) return;
  const { publish } = (await import(panel.dataset.script ?? '')) as PublishModule;
  await publish(panel, chosen);
}
