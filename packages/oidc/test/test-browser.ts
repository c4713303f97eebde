/** An answer that a browser received. */
export interface BrowserAnswer {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  /** The target of a redirect. */
  readonly location: string | undefined;
  readonly cookies: readonly string[];
}

/** A browser without scripts that goes from one server to another, and stores the cookies of each. */
export class TestBrowser {
  readonly #cookies: Map<string, Map<string, string>> = new Map();

  /** Opens another window, which has the same cookies now. */
  openWindow(): TestBrowser {
    const opened = new TestBrowser();
    for (const [origin, cookies] of this.#cookies) opened.#cookies.set(origin, new Map(cookies));
    return opened;
  }

  /** The cookies of one server. */
  cookiesOf(url: string): ReadonlyMap<string, string> {
    return this.#cookies.get(new URL(url).origin) ?? new Map();
  }

  /** The header with the cookies of one server. */
  cookieHeader(url: string): string {
    return [...this.cookiesOf(url)].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get(url: string, language?: string): Promise<BrowserAnswer> {
    return this.#send(url, {}, language);
  }

  post(url: string, fields: Readonly<Record<string, string>>): Promise<BrowserAnswer> {
    return this.#send(url, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** Follows redirects until an answer is a page, or redirects to an address with the given beginning. */
  async follow(answer: BrowserAnswer, until?: string): Promise<BrowserAnswer> {
    let current = answer;
    while (current.location !== undefined && (until === undefined || !current.location.startsWith(until))) {
      current = await this.get(current.location);
    }
    return current;
  }

  async #send(url: string, init: RequestInit, language = 'en'): Promise<BrowserAnswer> {
    const { origin } = new URL(url);
    const cookie = this.cookieHeader(url);
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { 'accept-language': language, ...(cookie === '' ? {} : { cookie }) },
    });
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const cookies = response.headers.getSetCookie();
    for (const line of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      text: await response.text(),
      location: location === null ? undefined : new URL(location, url).href,
      cookies,
    };
  }
}
