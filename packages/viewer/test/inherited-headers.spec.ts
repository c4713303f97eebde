import { expect } from 'chai';
import express from 'express';
import type { Viewer } from '../src/index.ts';
import { cookiesOf } from './client.ts';
import { openRig, PASSWORD, type Rig } from './rig.ts';

const SITE = { 'index.html': '<h1>Harbour</h1>' };

/** What helmet and others set in an app. */
const SET = {
  'Content-Security-Policy': "default-src 'self'",
  'Content-Security-Policy-Report-Only': "default-src 'self'",
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Cross-Origin-Resource-Policy': 'same-site',
  'X-Frame-Options': 'SAMEORIGIN',
  'Access-Control-Allow-Origin': 'https://other.example',
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Expose-Headers': 'ETag',
  'Set-Cookie': 'app=1',
};
const KEPT = { 'Strict-Transport-Security': 'max-age=31536000' };

type WriteHead = (status: number, headers?: Readonly<Record<string, string>>) => express.Response;

/** Sets its cookie as session middleware does: around the writing of the head, the door's headers first. */
const session: express.RequestHandler = (_request, response, next) => {
  const writeHead: WriteHead = response.writeHead.bind(response);
  const late: WriteHead = (status, headers = {}) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader(
      'Set-Cookie',
      [response.getHeader('Set-Cookie') ?? [], 'session=1'].flat().map(String),
    );
    return writeHead(status);
  };
  response.writeHead = late as typeof response.writeHead;
  next();
};

function appAround(viewer: Viewer): express.Express {
  const app = express();
  app.use((_request, response, next) => {
    response.set({ ...SET, ...KEPT });
    next();
  });
  app.use(session, viewer);
  return app;
}

describe('what the app around the viewer sets', () => {
  for (const mode of ['origin', 'path'] as const) {
    describe(`in ${mode} mode`, () => {
      let rig: Rig;
      before(async () => {
        rig = await openRig({ viewer: { mode }, mount: appAround });
      });
      after(() => rig.close());

      const open = (id: Parameters<Rig['askSite']>[0], path: string) =>
        mode === 'origin' ? rig.askSite(id, path) : rig.ask(`/s/${id}${path}`);

      it('is taken off sites where it would break them, and Strict-Transport-Security stays', async () => {
        const id = await rig.publish(SITE);
        for (const path of ['/', '/missing']) {
          const { headers } = await open(id, path);
          for (const [name, value] of Object.entries(SET)) {
            expect(String(headers[name.toLowerCase()]), name).not.to.contain(value);
          }
          expect(headers).not.to.have.property('set-cookie');
          expect(headers).not.to.have.property('x-powered-by');
          expect(headers['strict-transport-security']).to.equal(KEPT['Strict-Transport-Security']);
        }
      });

      it('stays with a shared URL, which is of the same host', async () => {
        const { headers } = await rig.ask(`/s/${await rig.publish(SITE)}`);
        expect(headers['x-frame-options']).to.equal(SET['X-Frame-Options']);
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
        expect(headers['set-cookie']).to.deep.equal([SET['Set-Cookie'], 'session=1']);
      });
    });
  }

  it('opens no protected site to other origins, for a preflight either', async () => {
    const rig = await openRig({ mount: appAround });
    const id = await rig.publish(SITE, PASSWORD);
    const entered = await rig.enter(id, PASSWORD);
    const taken = await rig.follow(entered);
    const answers = [
      entered,
      taken,
      await rig.askSite(id, '/', { headers: { cookie: cookiesOf(taken) } }),
      await rig.askSite(id, '/', { headers: { 'access-control-request-method': 'GET' }, method: 'OPTIONS' }),
    ];
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
    }
  });

  it('leaves the viewer its own cookie', async () => {
    const rig = await openRig({ mount: appAround });
    const id = await rig.publish(SITE, PASSWORD);
    const taken = await rig.follow(await rig.enter(id, PASSWORD));
    expect(taken.status).to.equal(302);
    expect([taken.headers['set-cookie']].flat().join()).to.match(/^pinfold_grant=[^,]+$/);
  });

  it('says at the first request that the viewer is mounted below a path', async () => {
    let said: unknown;
    const rig = await openRig({
      mount: (viewer) => {
        const app = express().use('/share', viewer);
        const told: express.ErrorRequestHandler = (error, _request, response, _next) => {
          said = error;
          response.status(500).end();
        };
        return app.use(told);
      },
    });
    await rig.ask('/share/s/x');
    expect(said).to.be.instanceOf(Error).with.property('message').that.includes('mount it at the root');
  });
});
