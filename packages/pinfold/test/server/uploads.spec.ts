import {
  archivePart,
  multipart,
  openRawConnection,
  type RawConnection,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { site } from '../servers/api-calls.ts';
import { type Served, serve } from '../servers/served.ts';

describe('uploads of a server that receives one at a time', () => {
  let server: Served;
  let url: string;
  let key: string;
  let link: string;
  let connections: RawConnection[];

  beforeEach(async () => {
    server = await serve({ PINFOLD_UPLOADS: '1' });
    ({ url, key } = server);
    link = server.signInLink ?? '';
    connections = [];
  });

  afterEach(async () => {
    for (const connection of connections) connection.destroy();
    await server.close();
  });

  /** Sends a head that waits for 100 Continue. */
  async function sendHead(...lines: readonly string[]): Promise<RawConnection> {
    const connection = await openRawConnection(url);
    connections.push(connection);
    await connection.send([...lines, 'Expect: 100-continue', '\r\n'].join('\r\n'));
    return connection;
  }

  const { contentType, body } = multipart([archivePart(site('one at a time'))]);

  function startPublication(name: string): Promise<RawConnection> {
    const lines = [
      `Authorization: Bearer ${key}`,
      `Idempotency-Key: ${name}`,
      `Content-Type: ${contentType}`,
    ];
    return sendHead(
      'POST /api/v1/pins HTTP/1.1',
      'Host: localhost',
      ...lines,
      `Content-Length: ${body.length}`,
    );
  }

  /** Signs in; returns the cookies and the token of the forms. */
  async function signIn(): Promise<{ readonly cookies: string; readonly form: string }> {
    const cookies = new Map<string, string>();
    const request = async (path: string, form?: URLSearchParams) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const init = form === undefined ? {} : { method: 'POST', body: form };
      const answer = await fetch(new URL(path, url), { ...init, redirect: 'manual', headers: { cookie } });
      for (const [name = '', value = ''] of answer.headers.getSetCookie().map((line) => line.split(/[=;]/))) {
        cookies.set(name, value);
      }
      return /name="form" value="([^"]+)"/.exec(await answer.text())?.[1] ?? '';
    };
    const token = new URL(link).searchParams.get('link') ?? '';
    await request('/manage/sign-in', new URLSearchParams({ form: await request(link), link: token }));
    const form = await request('/manage/');
    return { cookies: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '), form };
  }

  it('wait for their turn, at the API and the screen alike', async () => {
    const { cookies, form } = await signIn();
    const first = await startPublication('first');
    expect((await first.answer()).status).to.equal(100);
    const upload = multipart([
      { name: 'form', body: form },
      { name: 'key', body: 'second' },
      archivePart(site('on the screen')),
    ]);
    const second = await sendHead(
      'POST /manage/publish HTTP/1.1',
      'Host: localhost',
      `Cookie: ${cookies}`,
      `Content-Type: ${upload.contentType}`,
      'Accept: application/json',
      `Content-Length: ${upload.body.length}`,
    );
    let isAnswered = false;
    const turn = second.answer().then(({ status }) => {
      isAnswered = true;
      return status;
    });
    // Requests that need no turn are answered meanwhile, long after the second arrived.
    for (let n = 0; n < 5; n += 1) {
      const headers = { authorization: `Bearer ${key}` };
      expect((await fetch(`${url}/api/v1/limits`, { headers })).status).to.equal(200);
    }
    expect(isAnswered).to.equal(false);
    await first.send(body);
    expect((await first.answer()).status).to.equal(201);
    expect(await turn).to.equal(100);
    const third = await startPublication('third');
    await second.send(upload.body);
    expect((await second.answer()).status).to.equal(201);
    expect((await third.answer()).status).to.equal(100);
    await third.send(body);
    expect((await third.answer()).status).to.equal(201);
  });
});
