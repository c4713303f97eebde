import { type Answer, agent, ask, askAndDrop } from './http.ts';

/** A person who is signed in to the management screen. */
export type Person = Awaited<ReturnType<typeof signIn>>;

/** Signs in by the form of the sign-in page, or of a sign-in link's `query`. */
export async function signIn(port: number, fields: Readonly<Record<string, string>>, query = '') {
  const cookies = new Map<string, string>();
  let form = '';
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = async (path: string, body?: string): Promise<Answer> => {
    const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
    const headers = { host: `localhost:${port}`, cookie: cookie(), ...type };
    const method = body === undefined ? 'GET' : 'POST';
    const answer = await ask({ port, path: `/manage${path}`, method, headers, agent }, body ?? '');
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const get = (path: string) => send(path);
  /** Requests a page and drops it; any status but 200 is an error. */
  const drop = async (path: string): Promise<void> => {
    const headers = { host: `localhost:${port}`, cookie: cookie() };
    const status = await askAndDrop({ port, path: `/manage${path}`, headers, agent });
    if (status !== 200) throw new Error(`${path}: ${status}`);
  };
  const post = (path: string, more: Readonly<Record<string, string>> = {}) =>
    send(path, String(new URLSearchParams({ form, ...more })));
  const readForm = async (path: string): Promise<void> => {
    const [, token] = /name="form" value="([^"]+)"/.exec(String((await get(path)).raw)) ?? [];
    if (token === undefined) throw new Error(`${path} has no form`);
    form = token;
  };
  await readForm(`/sign-in${query}`);
  const { status } = await post(`/sign-in${query}`, fields);
  if (status !== 303) throw new Error(`signing in: ${status}`);
  await readForm('/');
  return { get, drop, post };
}
