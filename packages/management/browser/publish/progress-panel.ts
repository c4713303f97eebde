import { type Html, html } from '@pinfold/http/internal/html';
import type { Speech } from './browser-i18n.ts';
import { button, elementOf, nodesOf } from './elements.ts';

export interface Step {
  readonly text: string;
  readonly name: string;
  /** The bytes that it goes through; absent where the bar stays as it is. */
  readonly total?: number | undefined;
}

const REPORTED_EVERY = 5_000;

/** The part of the panel where publishing is shown, in place of where things are dropped. */
export class ProgressPanel {
  readonly #panel: HTMLElement;
  readonly #words: Speech;
  readonly #place: HTMLElement = elementOf(html`<div class="stage"></div>`);
  readonly #status: HTMLElement = elementOf(html`<p class="hidden" role="status"></p>`);
  readonly #bar: HTMLProgressElement = elementOf(html`<progress max="1" value="0"></progress>`);
  readonly #line: HTMLElement = elementOf(html`<p class="stage-line" dir="auto" tabindex="-1"></p>`);
  readonly #figure: HTMLElement = elementOf(html`<p class="stage-figure quiet"></p>`);
  #reported = Number.NEGATIVE_INFINITY;

  constructor(panel: HTMLElement, words: Speech) {
    this.#panel = panel;
    this.#words = words;
  }

  /** Takes the place of the drop area; a stage that was left there goes. */
  open(): void {
    this.#panel.querySelector('.stage')?.remove();
    this.#panel.querySelector('.trouble')?.remove();
    this.#panel.toggleAttribute('data-busy', true);
    this.#panel.prepend(this.#place);
    this.#place.append(this.#status);
  }

  close(): void {
    this.#isWorking(false);
    this.#place.remove();
    this.#panel.toggleAttribute('data-busy', false);
    this.#panel.querySelector<HTMLElement>('[data-choose]')?.focus();
  }

  /** Shows a step with a bar and a way out; the first one takes the focus, for what had it is gone. */
  work({ text, name, total }: Step, cancel: () => void): void {
    this.#isWorking(true);
    addEventListener('beforeunload', askBeforeLeaving);
    this.#bar.setAttribute('aria-label', this.#words.say('progressLabel', { name }));
    this.#line.textContent = text;
    this.#figure.textContent = '';
    if (total !== undefined) this.#measure(0, total);
    if (this.#bar.isConnected) {
      this.#say(text);
      return;
    }
    const head = elementOf(html`<div class="stage-head"></div>`);
    head.append(this.#line, this.#figure);
    const row = elementOf(html`<div class="stage-row"></div>`);
    row.append(this.#bar, button(this.#words.say('cancel'), '', cancel));
    this.#show(head, row);
    this.#say('');
    this.#line.focus();
  }

  /** Shows that the work has ended and its outcome is awaited, which needs no person to stay. */
  wait(text: string, ...buttons: readonly HTMLElement[]): void {
    removeEventListener('beforeunload', askBeforeLeaving);
    const hadFocus = this.#place.contains(document.activeElement);
    this.#line.textContent = text;
    const row = elementOf(html`<div class="buttons"></div>`);
    row.append(...buttons);
    this.#show(this.#line, row);
    this.#say(text);
    if (hadFocus) this.#line.focus();
  }

  /** Moves the bar; screen readers announce it every few seconds. */
  progress(done: number, total: number, now: number): void {
    const text = this.#measure(done, total);
    if (now - this.#reported < REPORTED_EVERY) return;
    this.#reported = now;
    this.#status.textContent = text;
  }

  end(
    title: string,
    tone: 'good' | 'bad',
    content: Html | undefined,
    ...buttons: readonly (HTMLElement | undefined)[]
  ): void {
    this.#isWorking(false);
    const heading = elementOf(html`<h2 tabindex="-1" class="stage-end ${tone}">${title}</h2>`);
    const row = elementOf(html`<div class="buttons"></div>`);
    row.append(...buttons.filter((one) => one !== undefined));
    this.#show(heading, nodesOf(html`${content}`), row);
    this.#say(title);
    heading.focus();
  }

  /** While it works, nothing else can be published. */
  #isWorking(works: boolean): void {
    this.#panel.toggleAttribute('data-working', works);
    if (!works) removeEventListener('beforeunload', askBeforeLeaving);
  }

  #measure(done: number, total: number): string {
    this.#bar.value = total === 0 ? 1 : done / total;
    const text = this.#words.say('uploadedOf', {
      done: this.#words.size(done),
      total: this.#words.size(total),
    });
    this.#figure.textContent = text;
    return text;
  }

  #show(...content: readonly Node[]): void {
    this.#place.replaceChildren(...content, this.#status);
  }

  #say(text: string): void {
    this.#status.textContent = text;
  }
}

/** The browser asks in words of its own. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
