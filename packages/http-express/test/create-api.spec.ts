import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accountBacklogs } from '@pinfold/http/internal';
import { expect } from 'chai';
import express from 'express';
import { closed, listening } from 'pinfold-test-servers/service';
import { type ApiOptions, createApi } from '../src/index.ts';
import { ask, askRaw, publish } from './client.ts';
import { openRig, type Rig } from './rig.ts';

describe('The API as a router', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });

  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await closed(server);
  });

  /** Serves an app of the test until the test ends; returns its address. */
  async function listen(app: express.Express): Promise<string> {
    const server = (await listening()).on('request', app);
    servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const caller = { account: 'first' as never, scopes: ['pins:read', 'pins:write'] as const };

  /** The API over the same use cases, whose caller is always the same. */
  const apiAt = (publicUrl: string = rig.baseUrl) =>
    createApi({ useCases: rig.useCases, publicUrl, authenticate: async () => caller });

  it('refuses a request with several Host headers before it checks its key', async () => {
    for (const path of ['/api/v1/limits', '/openapi.json', '/api/v1/nothing']) {
      const hosts = ['Host: a', 'host: a'];
      const key = `Authorization: Bearer ${rig.keys.first}`;
      for (const authorization of [[], [key]]) {
        const head = [`GET ${path} HTTP/1.1`, ...hosts, ...authorization, '\r\n'];
        const { status, body } = await askRaw(rig, head.join('\r\n'));
        const { code, detail } = JSON.parse(body);
        expect(`${status} ${code} ${detail}`).to.equal('400 invalid_request Send one Host header.');
      }
    }
  });

  it('accepts a target in absolute form, and uses only its path', async () => {
    const key = `Authorization: Bearer ${rig.keys.first}`;
    for (const [target, status] of [
      ['http://share.example:80/api/v1/pins?limit=1', 200],
      ['HTTPS://share.example/openapi.json?x=1', 200],
      ['/api/v1/limits#x', 200],
      ['/api/v1/limitshttp://share.example', 404],
      ['http://ada@share.example/openapi.json', 400],
      ['ftp://share.example/api/v1/limits', 400],
    ] as const) {
      const head = [`GET ${target} HTTP/1.1`, 'Host: share.example', key, '\r\n'];
      expect((await askRaw(rig, head.join('\r\n'))).status, target).to.equal(status);
    }
  });

  it('names the boundary to quote if it makes a form unreadable', async () => {
    const send = async (boundary: string): Promise<string> => {
      const headers = {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'idempotency-key': boundary.replaceAll('"', ''),
      };
      const plain = boundary.replaceAll('"', '');
      const body = `--${plain}\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--${plain}--\r\n`;
      return (await ask(rig, '/api/v1/pins', { method: 'POST', headers, body })).json.detail as string;
    };
    for (const boundary of ['----=_Part_1', 'a/b', 'gc0p4Jq0M2Yt08j34c0p:x']) {
      expect(await send(boundary), boundary).to.include(`in quotation marks, as it has`);
      expect(await send(boundary), boundary).to.include(`: boundary="${boundary}".`);
      expect(await send(`"${boundary}"`), boundary).not.to.include('boundary=');
    }
    expect(await send('plain')).not.to.include('boundary=');
  });

  it('counts an answer for its account until it is sent', async () => {
    const followed: string[] = [];
    accountBacklogs.follow = (account, { headersSent }) => {
      if (headersSent) followed.push(account);
    };
    try {
      await ask(rig, '/openapi.json');
      await ask(rig, '/api/v1/pins');
    } finally {
      Reflect.deleteProperty(accountBacklogs, 'follow');
    }
    expect(followed).to.deep.equal(['first']);
  });

  it('can be mounted at a path, which its URLs contain', async () => {
    const url = await listen(express().use('/share', apiAt('https://team.example/share/')));
    const mounted = { ...rig, baseUrl: `${url}/share` };
    const { status, headers, json } = await publish(mounted);
    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(`https://team.example/share/api/v1/pins/${json.pin.id}`);
    expect(json.pin).to.include({ shared_url: `https://team.example/share/s/${json.pin.id}` });
    expect((await ask(mounted, '/api/v1/pins/nothing')).json.code).to.equal('not_found');
    const document = await ask(mounted, '/openapi.json');
    expect(document.json.servers).to.deep.equal([{ url: 'https://team.example/share' }]);
  });

  it('passes every other path on to the app', async () => {
    const app = express();
    app.use(
      createApi({ useCases: rig.useCases, publicUrl: rig.baseUrl, authenticate: async () => undefined }),
    );
    app.use((request, response) => void response.json({ own: request.path }));
    const url = await listen(app);
    for (const path of [
      ...['/', '/apis', '/API/v1/pins', '/openapi.json/', '/openapi.json/x', '/s/x'],
      ...['/api', '/api/', '/api/users', '/api/v2/pins', '/api/v1', '/api/v1/users', '/api/v1/pins/x/y/z'],
      ...['/admin/v1/users', '/admin/openapi.json'],
    ]) {
      const answer = await fetch(`${url}${path}`);
      expect(answer.status).to.equal(200);
      expect(await answer.json()).to.deep.equal({ own: path });
      expect(answer.headers.has('x-request-id')).to.equal(false);
    }
  });

  it('lets no other origin read its answers, whatever its app allows', async () => {
    const app = express();
    app.use((_request, response, next) => {
      response.set({ 'Access-Control-Allow-Origin': 'https://other.example', Vary: 'Origin' });
      response.set('Access-Control-Allow-Credentials', 'true');
      next();
    });
    app.use(apiAt(), (_request, response) => void response.send('own'));
    const url = await listen(app);
    const allowed = async (path: string, method = 'GET') =>
      (await fetch(url + path, { method })).headers.get('access-control-allow-origin');
    for (const path of ['/api/v1/pins', '/api/v1/pins/none', '/openapi.json']) {
      for (const method of ['GET', 'OPTIONS']) expect(await allowed(path, method), path).to.equal(null);
    }
    expect(await allowed('/own')).to.equal('https://other.example');
  });

  it('accepts a JSON body that a parser before it has read, and refuses other bodies with the reason', async () => {
    const app = express();
    const parsers = {
      json: express.json({ strict: false }),
      text: express.text({ type: 'application/json' }),
      raw: express.raw({ type: 'application/json' }),
    };
    app.use((request, response, next) => {
      parsers[(request.headers['x-parser'] as keyof typeof parsers) ?? 'json'](request, response, next);
    });
    const mounted = { ...rig, baseUrl: await listen(app.use(apiAt())) };
    const { json } = await publish(mounted);
    const path = `/api/v1/pins/${json.pin.id}`;
    const patch = async (parser: string, body: string) => {
      const headers = { 'content-type': 'application/json', 'x-parser': parser };
      return (await ask(mounted, path, { method: 'PATCH', body, headers })).json;
    };
    expect((await patch('json', '{"title":"New"}')).pin.title).to.equal('New');
    expect((await patch('json', '{"title":"A","password":null}')).code).to.equal('invalid_update');
    for (const [parser, body] of [
      ['json', 'null'],
      ['json', '5'],
      ['text', '{"title":"New"}'],
      ['raw', '{"title":"New"}'],
    ] as const) {
      const { code, detail } = await patch(parser, body);
      expect(code, parser).to.equal('invalid_request');
      expect(detail, parser).to.match(/^The server read the body before/);
    }
  });

  it('throws at the first request if it is mounted elsewhere than at publicUrl', async () => {
    for (const [mount, publicUrl, path] of [
      ['/', 'https://team.example/share', '/share/api/v1/pins'],
      ['/', 'https://team.example/share', '/share/openapi.json'],
      ['/share/api', 'https://team.example/share', '/share/api/v1/pins'],
      ['/api', 'https://team.example', '/api/v1/pins'],
    ] as const) {
      const app = express().use(mount, apiAt(publicUrl));
      let thrown: unknown;
      app.use(((error, _request, response, _next) => {
        thrown = error;
        response.status(500).end();
      }) as express.ErrorRequestHandler);
      const url = await listen(app);
      await fetch(url + path);
      const expectedMount = new URL(publicUrl).pathname;
      expect(thrown, `${mount} ${path}`)
        .to.be.instanceOf(Error)
        .with.property('message')
        .that.match(
          new RegExp(
            `^The API is mounted at ${mount}: mount it at ${expectedMount}, where .* proxy .* pass the path on`,
          ),
        );
      thrown = undefined;
      const below = path.replace(/\/(?:api|openapi).*/, '');
      for (const other of ['/s/api/x', '/openapi.json.gz']) await fetch(url + below + other);
      expect(thrown, 'of paths that it does not answer').to.equal(undefined);
    }
  });

  it('refuses an invalid public URL', () => {
    for (const publicUrl of [
      '',
      'share.example',
      'ftp://share.example',
      'https://share.example/?x',
      'https://x/#y',
    ]) {
      const make = () =>
        createApi({ useCases: rig.useCases, publicUrl, authenticate: async () => undefined });
      expect(make, publicUrl).to.throw(TypeError);
    }
  });

  it('requires a sign-in', () => {
    const options = { useCases: rig.useCases, publicUrl: 'https://share.example' };
    expect(() => createApi(options as unknown as ApiOptions)).to.throw(TypeError, /^authenticate must be /);
  });
});
