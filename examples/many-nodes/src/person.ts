import { type Answer, ask, type Question } from './ask.ts';

const MOST_REDIRECTS = 5;

/** Somebody with a browser, as far as cookies and redirects go. */
export class Person {
  readonly #signal: AbortSignal;
  /** The cookies of each host. */
  readonly #cookies: Map<string, Map<string, string>> = new Map();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Opens a page by way of a port, and goes where redirects lead. */
  open(port: number, url: string): Promise<Answer> {
    return this.#follow(port, url, {});
  }

  /** Enters a password into the page of a shared URL. */
  enter(port: number, url: string, password: string): Promise<Answer> {
    const body = new TextEncoder().encode(new URLSearchParams({ password }).toString());
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    return this.#follow(port, url, { method: 'POST', headers, body });
  }

  async #follow(port: number, url: string, form: Omit<Question, 'signal'>): Promise<Answer> {
    let [at, question] = [url, form];
    for (let turn = 0; turn < MOST_REDIRECTS; turn += 1) {
      const answer = await this.#ask(port, at, question);
      const { location } = answer.headers;
      if (location === undefined) return answer;
      [at, question] = [new URL(location, at).href, {}];
    }
    throw new Error('there are too many redirects');
  }

  async #ask(port: number, url: string, question: Omit<Question, 'signal'>): Promise<Answer> {
    const kept = this.#cookies.get(new URL(url).host) ?? new Map<string, string>();
    this.#cookies.set(new URL(url).host, kept);
    const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...question.headers };
    const answer = await ask(port, url, { ...question, headers, signal: this.#signal });
    for (const set of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      kept.set(name, value);
    }
    return answer;
  }
}
