import { type Html, html } from '@pinfold/http/internal/html';
import type { Values } from '../../src/i18n.ts';
import { fetchPage } from '../dialogs.ts';
import { optionsOf, showOption } from '../publish-panel.ts';
import { type BrowserMessages, browserMessages, type PublishingId } from './browser-i18n.ts';
import { button, elementOf, nodesOf } from './elements.ts';
import type { ArchiveLimits } from './judge.ts';

interface PanelData {
  /** A pseudonym of the account. */
  readonly owner: string;
  /** The form token when the page was loaded. */
  readonly token: string;
  readonly limits: ArchiveLimits;
}

const ANNOUNCE_MILLISECONDS = 5_000;

/** The panel for publishing. Shows the progress, and then the outcome, instead of the drop area. */
export class ProgressPanel {
  readonly messages: BrowserMessages = browserMessages();
  readonly data: PanelData;
  readonly #panel: HTMLElement;
  readonly #place: HTMLElement = elementOf(html`<div class="stage"></div>`);
  readonly #status: HTMLElement = elementOf(html`<p class="hidden" role="status"></p>`);
  readonly #bar: HTMLProgressElement = elementOf(html`<progress max="1" value="0"></progress>`);
  readonly #line: HTMLElement = elementOf(html`<p class="stage-line" dir="auto" tabindex="-1"></p>`);
  readonly #percentage: HTMLElement = elementOf(html`<p class="stage-progress quiet"></p>`);
  #reported = Number.NEGATIVE_INFINITY;

  constructor(panel: HTMLElement) {
    this.#panel = panel;
    this.data = JSON.parse(panel.dataset.publish ?? '') as PanelData;
  }

  /** The address of a page of the screen. */
  page(path: string): string {
    return new URL(path, new URL(this.#panel.dataset.action ?? '', location.href)).href;
  }

  /** The current form token; `undefined` unless the same account is signed in. */
  async freshToken(): Promise<string | undefined> {
    const panel = (await fetchPage(this.page('.')))?.querySelector<HTMLElement>('[data-publish]');
    const { owner, token } = JSON.parse(panel?.dataset.publish ?? '{}') as Partial<PanelData>;
    return owner === this.data.owner ? token : undefined;
  }

  /** Replaces the drop area, and the outcome of an earlier publication. */
  open(): void {
    this.#panel.querySelector('.stage')?.remove();
    this.#panel.querySelector('.form-error')?.remove();
    this.#panel.toggleAttribute('data-busy', true);
    this.#panel.prepend(this.#place);
    this.#place.append(this.#status);
  }

  /**
   * Shows a step with a button to cancel and a bar, which only moves if there is a total. The first step takes the focus,
   * since the focused element is gone.
   */
  work(id: PublishingId, name: string, total: number | undefined, cancel: () => void): void {
    const text = this.messages.text(id, { name });
    this.#setWorking(true);
    addEventListener('beforeunload', askBeforeLeaving);
    this.#bar.setAttribute('aria-label', this.messages.text('progressLabel', { name }));
    this.#line.textContent = text;
    this.#percentage.textContent = '';
    if (total !== undefined) this.#moveBar(0, total);
    if (this.#bar.isConnected) {
      this.#announce(text);
      return;
    }
    const head = elementOf(html`<div class="stage-head"></div>`);
    head.append(this.#line, this.#percentage);
    const row = elementOf(html`<div class="stage-row"></div>`);
    row.append(this.#bar, button(this.messages.text('cancel'), '', cancel));
    this.#show(head, row);
    this.#announce('');
    this.#line.focus();
  }

  /** Shows that the outcome is awaited. The person may leave the page meanwhile. */
  wait(text: string, ...buttons: readonly HTMLElement[]): void {
    removeEventListener('beforeunload', askBeforeLeaving);
    const hadFocus = this.#place.contains(document.activeElement);
    this.#line.textContent = text;
    const row = elementOf(html`<div class="buttons"></div>`);
    row.append(...buttons);
    this.#show(this.#line, row);
    this.#announce(text);
    if (hadFocus) this.#line.focus();
  }

  /** Moves the bar; screen readers announce it every few seconds. */
  progress(done: number, total: number, now: number): void {
    const text = this.#moveBar(done, total);
    if (now - this.#reported < ANNOUNCE_MILLISECONDS) return;
    this.#reported = now;
    this.#status.textContent = text;
  }

  end(
    title: string,
    tone: 'good' | 'bad',
    content: Html | undefined,
    ...buttons: readonly (HTMLElement | undefined)[]
  ): void {
    this.#setWorking(false);
    const heading = elementOf(html`<h2 tabindex="-1" class="stage-end ${tone}">${title}</h2>`);
    const row = elementOf(html`<div class="buttons"></div>`);
    row.append(...buttons.filter((one) => one !== undefined));
    this.#show(heading, nodesOf(html`${content}`), row);
    this.#announce(title);
    heading.focus();
  }

  /** Shows why nothing was published. */
  fail(id: PublishingId, values: Values = {}): undefined {
    this.refuse(this.messages.text(id, values));
  }

  refuse(title: string, content?: Html): undefined {
    this.end(title, 'bad', content, this.closeButton('chooseAnother'));
  }

  /** A button that calls `first`, then closes the panel. */
  closeButton(id: PublishingId, first: () => void = () => {}): HTMLElement {
    return button(this.messages.text(id), '', () => {
      first();
      this.#close();
    });
  }

  /** Empties the options, so that the next publication does not use them unnoticed. */
  emptyOptions(): void {
    for (const option of optionsOf(this.#panel)) {
      option.value = '';
      showOption(option);
    }
  }

  #close(): void {
    this.#setWorking(false);
    this.#place.remove();
    this.#panel.toggleAttribute('data-busy', false);
    this.#panel.querySelector<HTMLElement>('[data-choose]')?.focus();
  }

  /** While the panel works, it accepts no other publication. */
  #setWorking(works: boolean): void {
    this.#panel.toggleAttribute('data-working', works);
    if (!works) removeEventListener('beforeunload', askBeforeLeaving);
  }

  #moveBar(done: number, total: number): string {
    this.#bar.value = total === 0 ? 1 : done / total;
    const text = this.messages.text('uploadedOf', {
      done: this.messages.size(done),
      total: this.messages.size(total),
    });
    this.#percentage.textContent = text;
    return text;
  }

  #show(...content: readonly Node[]): void {
    this.#place.replaceChildren(...content, this.#status);
  }

  #announce(text: string): void {
    this.#status.textContent = text;
  }
}

/** Makes the browser ask, in its own words. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
