/** The answer of a page. */
export interface Stop {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  /** The target of a redirect. */
  readonly location: string | undefined;
  readonly cookies: readonly string[];
}

/** A browser without scripts that goes from one server to another, and stores the cookies of each. */
export class Traveller {
  readonly #cookies: Map<string, Map<string, string>> = new Map();

  /** Another window that has the same cookies now. */
  twin(): Traveller {
    const twin = new Traveller();
    for (const [origin, cookies] of this.#cookies) twin.#cookies.set(origin, new Map(cookies));
    return twin;
  }

  /** The cookies of one server. */
  cookiesOf(url: string): ReadonlyMap<string, string> {
    return this.#cookies.get(new URL(url).origin) ?? new Map();
  }

  get(url: string, language?: string): Promise<Stop> {
    return this.#ask(url, {}, language);
  }

  post(url: string, fields: Readonly<Record<string, string>>): Promise<Stop> {
    return this.#ask(url, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** Follows redirects until an answer is a page, or redirects to an address with the given beginning. */
  async follow(stop: Stop, until?: string): Promise<Stop> {
    let here = stop;
    while (here.location !== undefined && (until === undefined || !here.location.startsWith(until))) {
      here = await this.get(here.location);
    }
    return here;
  }

  async #ask(url: string, init: RequestInit, language = 'en'): Promise<Stop> {
    const { origin } = new URL(url);
    const cookie = [...this.cookiesOf(url)].map(([name, value]) => `${name}=${value}`).join('; ');
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
