/** What a page answered, and what can be read off it. */
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where a redirect leads. */
  readonly location: string | null;
  /** The token that the page's forms carry. */
  readonly token: string;
}

/** A browser without scripts, as far as these tests need one: it keeps cookies and fills in forms. */
export class Person {
  readonly #base: string;
  readonly #cookies: Map<string, string> = new Map();

  constructor(base: string) {
    this.#base = base;
  }

  /** What its cookies are now. */
  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies;
  }

  /** Another window that has the same cookies now. */
  twin(): Person {
    const twin = new Person(this.#base);
    for (const [name, value] of this.#cookies) twin.#cookies.set(name, value);
    return twin;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.#ask(path, { headers: { accept: 'text/html', ...headers } });
  }

  /** Sends a form to where it stands, with what is in it. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams | FormData,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Page> {
    const body = fields instanceof FormData ? fields : new URLSearchParams(fields as Record<string, string>);
    return this.#ask(path, { method: 'POST', body, headers });
  }

  /** Sends bytes as our script does. */
  send(
    path: string,
    body: Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>>,
  ): Promise<Page> {
    return this.#ask(path, { method: 'POST', body, headers: { accept: 'application/json', ...headers } });
  }

  /** Uploads an archive as our script does, under a key of its own. */
  upload(
    archive: Uint8Array<ArrayBuffer>,
    form: string,
    key: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Page> {
    const names = { 'x-pinfold-form': form, 'idempotency-key': key, 'x-pinfold-filename': 'site.zip' };
    return this.send('/upload', archive, { ...names, 'content-type': 'application/zip', ...headers });
  }

  /** Goes through the sign-in link's page and its button. */
  async signIn(token: string): Promise<Page> {
    const page = await this.get(`/sign-in?link=${token}`);
    return await this.post('/sign-in', { form: page.token, link: token });
  }

  async #ask(path: string, init: RequestInit): Promise<Page> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${this.#base}${path}`, {
      ...init,
      redirect: 'manual',
      headers: {
        'accept-language': 'en',
        ...(cookie === '' ? {} : { cookie }),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: response.headers.get('location'),
      token: /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '',
    };
  }

  #keep(line: string): void {
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
