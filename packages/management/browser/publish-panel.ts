export type Chosen =
  /** `archive`: a ZIP or a single page; `files`: the files of a folder. */
  | { readonly kind: 'archive' | 'files'; readonly files: readonly File[] }
  /** Dropped files and folders. */
  | { readonly kind: 'entries'; readonly entries: readonly FileSystemEntry[] };

/** The module that publishes; loaded only when it is needed. */
interface PublishModule {
  publish(panel: HTMLElement, chosen: Chosen): Promise<void>;
}

/** Accepts folders, ZIPs and single pages that are dropped or chosen; the module that publishes is loaded only then. */
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

/** The fields for the password and the name of the next publication. */
export function optionsOf(panel: HTMLElement): readonly HTMLInputElement[] {
  return [...panel.querySelectorAll<HTMLInputElement>('.options input')];
}

/** Shows on the summary of a field's details that the next publication uses its value. */
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
    if (files.length > 0) void beginPublishing(panel, { kind: folder ? 'files' : 'archive', files });
  });
  input.click();
}

/** Accepts drops on the whole window, so that the browser does not open a file dropped beside the panel. */
function watchDrops(root: Document, panel: HTMLElement): void {
  const mark = (isOver: boolean) => panel.toggleAttribute('data-over', isOver);
  const on = (
    type: 'dragover' | 'dragleave' | 'drop',
    act: (event: DragEvent, dragged: DataTransfer) => void,
  ) =>
    root.addEventListener(type, (event) => {
      if (event.dataTransfer?.types.includes('Files')) act(event, event.dataTransfer);
    });
  on('dragover', (event, dragged) => {
    event.preventDefault();
    dragged.dropEffect = 'copy';
    mark(true);
  });
  // Without a related element, the pointer has left the window.
  on('dragleave', ({ relatedTarget }) => mark(relatedTarget !== null));
  on('drop', (event, dragged) => {
    event.preventDefault();
    mark(false);
    // The entries are available only during the event.
    const entries = [...dragged.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
    if (entries.length > 0) void beginPublishing(panel, { kind: 'entries', entries });
  });
}

async function beginPublishing(panel: HTMLElement, chosen: Chosen): Promise<void> {
  const options = optionsOf(panel);
  const invalid = options.find((option) => !option.validity.valid);
  // The chosen files wait until every option is valid. Browsers report errors only of visible fields.
  invalid?.closest('details')?.setAttribute('open', '');
  invalid?.reportValidity();
  for (const option of options)
    option.onchange = invalid === undefined ? null : () => void beginPublishing(panel, chosen);
  if (invalid !== undefined) return;
  const imported: Promise<PublishModule> = import(panel.dataset.script ?? '');
  // After an upgrade, the server has a module of another name.
  const module = await imported.catch(() => location.reload());
  await module?.publish(panel, chosen);
}
