import type { Speech } from './browser-i18n.ts';
import { button, element } from './elements.ts';

/** A step that takes a while. */
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
  readonly #place: HTMLElement;
  readonly #status: HTMLElement;
  readonly #bar: HTMLProgressElement;
  readonly #line: HTMLElement;
  readonly #figure: HTMLElement;
  #reported = Number.NEGATIVE_INFINITY;

  constructor(panel: HTMLElement, words: Speech) {
    this.#panel = panel;
    this.#words = words;
    this.#status = element('p', { class: 'hidden', role: 'status' });
    this.#bar = element('progress', { max: '1', value: '0' });
    this.#line = element('p', { class: 'stage-line', dir: 'auto', tabindex: '-1' });
    this.#figure = element('p', { class: 'stage-figure quiet' });
    this.#place = element('div', { class: 'stage' });
  }

  /** Takes the place of the drop area; a stage that was left there goes. */
  open(): void {
    this.#panel.querySelector('.stage')?.remove();
    this.#panel.querySelector('.trouble')?.remove();
    this.#panel.toggleAttribute('data-busy', true);
    this.#panel.toggleAttribute('data-working', true);
    this.#panel.prepend(this.#place);
    this.#place.append(this.#status);
  }

  close(): void {
    this.#place.remove();
    this.#panel.toggleAttribute('data-busy', false);
    this.#panel.querySelector<HTMLElement>('[data-choose]')?.focus();
  }

  /** Shows a step with a bar and a way out; the first one takes the focus, for what had it is gone. */
  work({ text, name, total }: Step, cancel: () => void): void {
    this.#panel.toggleAttribute('data-working', true);
    this.#bar.setAttribute('aria-label', this.#words.say('progressLabel', { name }));
    this.#line.textContent = text;
    this.#figure.textContent = '';
    if (total !== undefined) this.#measure(0, total);
    if (this.#bar.isConnected) {
      this.#say(text);
      return;
    }
    const row = element(
      'div',
      { class: 'stage-row' },
      this.#bar,
      button(this.#words.say('cancel'), '', cancel),
    );
    this.#show(element('div', { class: 'stage-head' }, this.#line, this.#figure), row);
    this.#say('');
    this.#line.focus();
  }

  /** Moves the bar; screen readers announce it every few seconds. */
  progress(done: number, total: number, now: number): void {
    const text = this.#measure(done, total);
    if (now - this.#reported < REPORTED_EVERY) return;
    this.#reported = now;
    this.#status.textContent = text;
  }

  /** Shows how it ended, and scrolls there if it is out of view. */
  end(title: string, tone: 'good' | 'bad', ...content: readonly (Node | undefined)[]): void {
    this.#panel.toggleAttribute('data-working', false);
    const heading = element('h2', { tabindex: '-1', class: `stage-end ${tone}` }, title);
    this.#show(heading, ...content.filter((part) => part !== undefined));
    this.#say(title);
    heading.focus();
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
