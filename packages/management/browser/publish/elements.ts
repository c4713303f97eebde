type Child = Node | string | undefined;

/** Makes an element. Texts are never parsed as HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | boolean>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'boolean') made.toggleAttribute(name, value);
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function button(label: string, style: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: style }, label);
  made.addEventListener('click', onClick);
  return made;
}
