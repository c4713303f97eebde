/** Sends a password to a node. */
export async function tryPassword(url: string, id: string, password: string): Promise<Response> {
  const body = new URLSearchParams({ password });
  return await fetch(`${url}/s/${id}`, { method: 'POST', body, redirect: 'manual' });
}

/** Enters a protected site in path mode. Returns a viewer that can also ask other nodes. */
export async function enter(url: string, id: string, password: string) {
  const entered = await tryPassword(url, id, password);
  if (entered.status !== 303) throw new Error(`the password is answered with ${entered.status}`);
  const cookie = entered.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const path = new URL(entered.headers.get('location') ?? '').pathname;
  const ask = async (node: string, headers: Readonly<Record<string, string>>): Promise<number> => {
    const answer = await fetch(node + path, { headers, redirect: 'manual' });
    await answer.arrayBuffer();
    return answer.status;
  };
  return {
    /** The status of the site's page at a node, for a browser that navigates to it. */
    page: (node: string) => ask(node, { cookie, accept: 'text/html', 'sec-fetch-dest': 'document' }),
    /** The status of a file of the site at a node, for a page that fetches it. */
    file: (node: string) => ask(node, { accept: '*/*', 'sec-fetch-dest': 'empty' }),
  };
}
