import { openRawConnection, type RawAnswer, type RawConnection } from '@pinfold/test-contracts/internal';

/** The answer of a page, and what tests read in it. */
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The target of a redirect. */
  readonly location: string | null;
  /** The token in the page's forms. */
  readonly token: string;
  /** The path of the next page of a list. */
  readonly next: string | undefined;
}

/** A browser without scripts, as far as these tests need it: it stores cookies and fills in forms. */
export class Person {
  readonly #base: string;
  readonly #cookies: Map<string, string> = new Map();

  constructor(base: string) {
    this.#base = base;
  }

  /** Its current cookies. */
  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies;
  }

  get #cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Another window that has the same cookies now. */
  twin(): Person {
    const twin = new Person(this.#base);
    for (const [name, value] of this.#cookies) twin.#cookies.set(name, value);
    return twin;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.#fetch(path, { headers: { accept: 'text/html', ...headers } });
  }

  /** The texts of a list's pages, each once. */
  async walk(path: string): Promise<readonly string[]> {
    const texts: string[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const page = await this.get(next);
      texts.push(page.text);
      next = page.next;
    }
    return texts;
  }

  /** Sends a form to its own page, with the given fields. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams | FormData | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Page> {
    const isForm = fields instanceof FormData || typeof fields === 'string';
    const body = isForm ? fields : new URLSearchParams(fields as Record<string, string>);
    return this.#fetch(path, { method: 'POST', body, headers });
  }

  /** Sends a form with a file as our script does. */
  upload(data: FormData, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.post('/publish', data, { accept: 'application/json', ...headers });
  }

  /** Sends a head with the cookies, on a connection of its own: the test sends the body. */
  async begin(line: string, ...headers: readonly string[]): Promise<RawConnection> {
    const connection = await openRawConnection(this.#base);
    const head = [`${line} HTTP/1.1`, 'Host: localhost', `Cookie: ${this.#cookieHeader}`, ...headers];
    await connection.send(`${head.join('\r\n')}\r\n\r\n`);
    return connection;
  }

  /** Sends a head with the cookies, and reads the answer: for targets and headers that client libraries change. */
  async askRaw(line: string, ...headers: readonly string[]): Promise<RawAnswer> {
    const connection = await this.begin(line, ...headers);
    const answer = await connection.answer();
    connection.destroy();
    return answer;
  }

  /** Sends a form of a page. */
  async send(page: string, action: string, fields: Readonly<Record<string, string>> = {}): Promise<Page> {
    const { token: form } = await this.get(page);
    return await this.post(action, { form, ...fields });
  }

  /** Signs in by the sign-in page and its button, with the token of a link or other fields. */
  signIn(fields: string | Readonly<Record<string, string>>): Promise<Page> {
    return typeof fields === 'string'
      ? this.send(`/sign-in?link=${fields}`, '/sign-in', { link: fields })
      : this.send('/sign-in', '/sign-in', fields);
  }

  async #fetch(path: string, init: RequestInit): Promise<Page> {
    const cookie = this.#cookieHeader;
    const response = await fetch(`${this.#base}${path}`, {
      ...init,
      redirect: 'manual',
      headers: {
        'accept-language': 'en',
        ...(cookie === '' ? {} : { cookie }),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of response.headers.getSetCookie()) this.#storeCookie(line);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: response.headers.get('location'),
      token: /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '',
      next: /rel="next" href="\/manage([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&'),
    };
  }

  #storeCookie(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0/i.test(line)) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}

/** A form with a file, as browsers send one. */
export function formOf(
  fields: Readonly<Record<string, string>>,
  archive?: Uint8Array<ArrayBuffer>,
  name = 'site.zip',
): FormData {
  const data = new FormData();
  for (const [field, value] of Object.entries(fields)) data.set(field, value);
  if (archive !== undefined) data.set('archive', new Blob([archive], { type: 'application/zip' }), name);
  return data;
}
