import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import express from 'express';
import type { Viewer } from '../src/index.ts';
import { type Answer, cookiesOf } from './client.ts';
import { openRig, PASSWORD, type Rig } from './rig.ts';

const SITE = { 'index.html': '<h1>Harbour</h1>' };

/** The headers that helmet and others set in an app. */
const SET = {
  'Content-Security-Policy': "default-src 'self'",
  'Content-Security-Policy-Report-Only': "default-src 'self'",
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Cross-Origin-Resource-Policy': 'same-site',
  'X-Frame-Options': 'SAMEORIGIN',
  'Set-Cookie': 'app=1',
};
const UNCHANGED = { 'Strict-Transport-Security': 'max-age=31536000' };

/** The headers that `cors()` sets. */
const CORS = {
  'Access-Control-Allow-Origin': 'https://other.example',
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Expose-Headers': 'ETag',
};

type Headers = Readonly<Record<string, string>> | readonly string[];
type WriteHead = (status: number, headers?: Headers) => express.Response;

/** Sets its cookie as session middleware does: when the head is written, after the door's headers. */
const session: express.RequestHandler = (_request, response, next) => {
  const writeHead = response.writeHead.bind(response) as WriteHead;
  const writeWithCookie: WriteHead = (status, headers = []) => {
    const list = Array.isArray(headers) ? headers : Object.entries(headers).flat();
    for (let at = 0; at < list.length; at += 2) response.setHeader(String(list[at]), String(list[at + 1]));
    response.setHeader(
      'Set-Cookie',
      [response.getHeader('Set-Cookie') ?? [], 'session=1'].flat().map(String),
    );
    return writeHead(status);
  };
  response.writeHead = writeWithCookie as typeof response.writeHead;
  next();
};

function appAround(viewer: Viewer): express.Express {
  const app = express();
  app.use((_request, response, next) => {
    response.set({ ...SET, ...UNCHANGED, ...CORS });
    next();
  });
  app.use(session, viewer);
  return app;
}

/** Sets the same headers without Express. */
function serverAround(viewer: Viewer): RequestListener {
  return (request, response) => {
    for (const [name, value] of Object.entries({ ...SET, ...UNCHANGED, ...CORS }))
      response.setHeader(name, value);
    viewer(request, response);
  };
}

function corsOf({ headers }: Pick<Answer, 'headers'>): readonly string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control'));
}

describe('headers of the app around the viewer', () => {
  for (const mode of ['origin', 'path'] as const) {
    describe(`in ${mode} mode`, () => {
      let rig: Rig;
      before(async () => {
        rig = await openRig({ viewer: { mode }, mount: appAround });
      });
      after(() => rig.close());

      const open = (id: Parameters<Rig['askSite']>[0], path: string) =>
        mode === 'origin' ? rig.askSite(id, path) : rig.ask(`/s/${id}${path}`);

      it('are removed from sites if they would break them; Strict-Transport-Security stays', async () => {
        const id = await rig.publish(SITE);
        for (const path of ['/', '/missing']) {
          const { headers } = await open(id, path);
          for (const [name, value] of Object.entries(SET)) {
            expect(String(headers[name.toLowerCase()]), name).not.to.contain(value);
          }
          expect(headers).not.to.have.property('set-cookie');
          expect(headers).not.to.have.property('x-powered-by');
          expect(headers['strict-transport-security']).to.equal(UNCHANGED['Strict-Transport-Security']);
        }
      });

      it('stay on a shared URL, which is on the same host', async () => {
        const { headers } = await rig.ask(`/s/${await rig.publish(SITE)}`);
        expect(headers['x-frame-options']).to.equal(SET['X-Frame-Options']);
        expect(corsOf({ headers })).to.deep.equal([]);
        expect(headers['set-cookie']).to.deep.equal([SET['Set-Cookie'], 'session=1']);
      });
    });
  }

  for (const [server, mount] of Object.entries({ Express: appAround, 'node:http': serverAround })) {
    it(`open no protected site to other origins, even for a preflight, with ${server}`, async () => {
      const rig = await openRig({ mount });
      const id = await rig.publish(SITE, PASSWORD);
      const entered = await rig.enter(id, PASSWORD);
      const taken = await rig.follow(entered);
      const answers = [
        entered,
        taken,
        await rig.askSite(id, '/', { headers: { cookie: cookiesOf(taken) } }),
        await rig.askSite(id, '/missing', { headers: { cookie: cookiesOf(taken) } }),
        await rig.askSite(id, '/'),
        await rig.askSite(id, '/', {
          headers: { 'access-control-request-method': 'GET' },
          method: 'OPTIONS',
        }),
      ];
      for (const answer of answers) expect(corsOf(answer)).to.deep.equal([]);
    });

    it(`open an open site to the origins that the app allows, with ${server}`, async () => {
      const rig = await openRig({ mount });
      const id = await rig.publish(SITE);
      const shown = await rig.askSite(id, '/');
      const { etag } = shown.headers;
      const again = await rig.askSite(id, '/', { headers: { 'if-none-match': String(etag) } });
      expect([shown.status, again.status]).to.deep.equal([200, 304]);
      for (const answer of [shown, again, await rig.askSite(id, '/missing')])
        for (const [name, value] of Object.entries(CORS))
          expect(answer.headers[name.toLowerCase()], name).to.equal(value);
      await rig.setPassword(id, PASSWORD);
      expect(corsOf(await rig.askSite(id, '/'))).to.deep.equal([]);
    });

    it(`let every origin read a site in path mode, as its own pages do, with ${server}`, async () => {
      const rig = await openRig({ mount, viewer: { mode: 'path' } });
      const { headers } = await rig.ask(`/s/${await rig.publish(SITE)}/`);
      expect(headers['access-control-allow-origin']).to.equal('*');
    });
  }

  it('open no site to other origins if the app decides who may view it', async () => {
    const access = { identify: () => 'ada', mayView: () => 'yes' as const };
    const rig = await openRig({ mount: appAround, viewer: { access } });
    expect(corsOf(await rig.askSite(await rig.publish(SITE), '/'))).to.deep.equal([]);
  });

  it('do not remove the viewer’s own cookie', async () => {
    const rig = await openRig({ mount: appAround });
    const id = await rig.publish(SITE, PASSWORD);
    const taken = await rig.follow(await rig.enter(id, PASSWORD));
    expect(taken.status).to.equal(302);
    expect([taken.headers['set-cookie']].flat().join()).to.match(/^pinfold_grant=[^,]+$/);
  });

  it('throw at the first request if the viewer is mounted below a path', async () => {
    let thrown: unknown;
    const rig = await openRig({
      mount: (viewer) => {
        const app = express().use('/share', viewer);
        const errorPage: express.ErrorRequestHandler = (error, _request, response, _next) => {
          thrown = error;
          response.status(500).end();
        };
        return app.use(errorPage);
      },
    });
    await rig.ask('/share/s/x');
    expect(thrown).to.be.instanceOf(Error).with.property('message').that.includes('mount it at the root');
  });
});
