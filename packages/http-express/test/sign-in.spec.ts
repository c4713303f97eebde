import { expect } from 'chai';
import { type ApiUseCases, createApi, openApiDocument, type SignIn } from '../src/index.ts';
import { ask, until } from './client.ts';
import { openRig, type Rig } from './rig.ts';

const signIn: SignIn = {
  detail: 'Sign in at https://team.example/login.',
  challenge: 'Cookie',
  securityScheme: { type: 'apiKey', in: 'cookie', name: 'session' },
};

describe('the API with an embedding team’s own sign-in', () => {
  let rig: Rig;
  let scopes: readonly 'pins:read'[] | undefined;
  beforeEach(async () => {
    const authenticate = async () => scopes && { account: 'first' as never, scopes };
    rig = await openRig({ api: { signIn, authenticate } });
  });

  it('explains the sign-in, and does not mention API keys', async () => {
    scopes = undefined;
    const { status, headers, json } = await ask(rig, '/api/v1/pins');
    expect(status).to.equal(401);
    expect(headers.get('www-authenticate')).to.equal('Cookie');
    expect(json).to.include({ code: 'unauthorized', title: 'Nobody is signed in', detail: signIn.detail });
    expect(JSON.stringify(json)).not.to.match(/API key|Bearer/);
  });

  it('accepts null for no caller, and throws for other values, from plain JavaScript', async () => {
    scopes = null as never;
    for (const path of ['/api/v1/pins', '/admin/v1/accounts']) {
      expect((await ask(rig, path)).status).to.equal(401);
    }
    await until(() => rig.log.length === 2);
    expect(rig.log[0]).not.to.have.any.keys('account', 'error');
    scopes = true as never;
    expect((await ask(rig, '/api/v1/pins')).status).to.equal(500);
    await until(() => rig.log.length === 3);
    expect(rig.log[2]?.error)
      .to.be.instanceOf(TypeError)
      .and.have.property('message', 'authenticate must answer an account with its scopes, or undefined');
  });

  it('logs a rejection without a reason, too', async () => {
    const own = await openRig({ api: { authenticate: () => Promise.reject() } });
    expect((await ask(own, '/api/v1/pins')).status).to.equal(500);
    await until(() => own.log.length === 1);
    expect(own.log[0]?.error).to.have.property('message', 'undefined was thrown');
  });

  it('explains which scope a caller lacks, and does not mention API keys', async () => {
    scopes = ['pins:read'];
    const { status, json } = await ask(rig, '/api/v1/pins/x', { method: 'DELETE' });
    expect(status).to.equal(403);
    expect(json.title).to.equal('The caller lacks the scope');
    const unknown = await ask(rig, '/api/v1/pins/x');
    expect(unknown.status).to.equal(404);
    expect(JSON.stringify([json, unknown.json])).not.to.contain('API key');
    await until(() => rig.log.length === 2);
    expect(rig.log[0]).to.include({ account: 'first' }).and.not.to.have.property('key');
  });

  it('explains the sign-in to agents', async () => {
    const { text } = await ask(rig, '/llms.txt');
    expect(text)
      .to.include(signIn.detail)
      .and.not.match(/API key|Bearer/);
  });

  it('describes the sign-in in the API document', async () => {
    const { text } = await ask(rig, '/openapi.json');
    const json = JSON.parse(text);
    expect(json.components.securitySchemes).to.deep.equal({ signIn: signIn.securityScheme });
    expect(json.security).to.deep.equal([{ signIn: [] }]);
    expect(json.paths['/openapi.json'].get.security).to.deep.equal([]);
    const { description, content } = json.paths['/api/v1/pins'].get.responses[401];
    expect(description).to.equal('`unauthorized`: Nobody is signed in.');
    const { value } = content['application/problem+json'].examples.unauthorized;
    expect(value.detail).to.equal(signIn.detail);
    expect(value.suggestion).to.equal('Sign in and send the request again.');
    expect(text).not.to.match(/API key|Bearer/);
  });

  it('changes nothing in the document with API keys', () => {
    const document = JSON.stringify(openApiDocument({ publicUrl: rig.baseUrl }));
    expect(document).to.contain('The API key is missing or not valid');
  });
});

describe('use cases of a test', () => {
  it('suffice without those of the viewer and the screen', async () => {
    const rig = await openRig();
    const { createGrant, enter, grants, open, pin, unpin, updateSeen, visit, visitName, ...stub } =
      rig.useCases;
    const useCases: ApiUseCases = stub;
    const authenticate = () => Promise.reject(new Error('not called'));
    expect(createApi({ useCases, publicUrl: rig.baseUrl, authenticate })).to.be.a('function');
  });
});
