import type { Html } from '@pinfold/http/internal/html';

/** Parses markup, in which `html` has escaped all values. */
export function nodesOf(markup: Html): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = String(markup);
  return template.content;
}

export function elementOf<Made extends HTMLElement>(markup: Html): Made {
  return nodesOf(markup).firstElementChild as Made;
}

export function button(label: string, style: string, onClick: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = style;
  made.textContent = label;
  made.addEventListener('click', onClick);
  return made;
}
