import { NAME_PATTERN, type OfferedNames, spellAsName } from '../src/name-spelling.ts';
import { button } from './publish/elements.ts';

/** Makes fields for names suggest the account's names and a valid spelling, and show whether a name is new. */
export function enhanceNameFields(root: Document): void {
  for (const field of root.querySelectorAll<HTMLInputElement>('input[data-names]')) enhance(field);
}

function enhance(field: HTMLInputElement): void {
  const line = document.createElement('p');
  line.className = 'quiet name-line';
  line.setAttribute('role', 'status');
  field.closest('.field')?.append(line);
  const take = (name: string): void => {
    field.value = name;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new Event('change'));
    field.focus();
  };
  const show = ({ names, texts }: OfferedNames): void => {
    const { value } = field;
    const offer = spellAsName(value);
    line.replaceChildren();
    if (isName(value)) line.textContent = withName(names.includes(value) ? texts.moves : texts.isNew, value);
    else if (offer !== '') line.append(button(withName(texts.offer, offer), '', () => take(offer)));
  };
  const offerNames = async (): Promise<void> => {
    const offered = await fetchNames(field.dataset.names ?? '');
    if (offered === undefined) return;
    const options = offered.names.map((value) => Object.assign(document.createElement('option'), { value }));
    field.list?.replaceChildren(...options);
    field.addEventListener('input', () => show(offered));
    show(offered);
  };
  field.addEventListener('focus', () => void offerNames(), { once: true });
}

function withName(text: string, name: string): string {
  return text.replace('{name}', () => name);
}

function isName(text: string): boolean {
  return new RegExp(`^(?:${NAME_PATTERN})$`).test(text);
}

/** Returns `undefined` if the server cannot be reached: the field works without suggestions. */
async function fetchNames(url: string): Promise<OfferedNames | undefined> {
  try {
    const response = await fetch(url, { headers: { Accept: 'application/json' } });
    return response.ok ? ((await response.json()) as OfferedNames) : undefined;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
