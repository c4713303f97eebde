import { expect } from 'chai';
import { type Finding, runChecks } from '../../src/doctor/finding.ts';
import { signInCheck } from '../../src/doctor/sign-in.ts';
import { readSettings } from '../../src/index.ts';
import { type Stub, startStub } from '../servers/stub.ts';
import { findingsOf } from './findings-of.ts';

const CLIENT = { PINFOLD_OIDC_CLIENT_ID: 'pinfold', PINFOLD_OIDC_CLIENT_SECRET: 'hunter2' };

describe('pinfold doctor, at the provider of sign-in', () => {
  let provider: Stub;
  let issuer: string;
  let document: string | undefined;

  beforeEach(async () => {
    provider = await startStub((incoming, outgoing) => {
      const isAsked = incoming.url === '/realm/.well-known/openid-configuration' && document !== undefined;
      outgoing.writeHead(isAsked ? 200 : 404).end(document);
    });
    issuer = `${provider.url}/realm`;
  });

  function found(text?: string): Promise<Finding> {
    document = text;
    return signIn({ PINFOLD_OIDC_ISSUER: issuer, ...CLIENT });
  }

  async function signIn(env: Readonly<Record<string, string>>): Promise<Finding> {
    const found = await findingsOf(runChecks([signInCheck(readSettings(env), {})]));
    return found.sign_in as Finding;
  }

  it('asks nobody where there is none', async () => {
    expect(await signIn({})).to.include({ status: 'skipped' });
  });

  it('finds nothing wrong where it calls itself as the settings do', async () => {
    expect(await found(JSON.stringify({ issuer }))).to.include({ status: 'ok' });
  });

  it('finds that it calls itself something else', async () => {
    const other = `${issuer}/`;
    expect(await found(JSON.stringify({ issuer: other }))).to.include({
      status: 'failed',
      observed: `the provider calls itself "${other}"`,
    });
  });

  it('finds that it has no such document, or one without its name', async () => {
    for (const none of [undefined, '<html>', 'null', '{}', '{"issuer":1}']) {
      expect(await found(none), none).to.include({ status: 'failed' });
    }
  });

  it('finds that it is away, and shows no secret', async () => {
    await provider.close();
    const away = await found();
    expect(away).to.include({ status: 'failed' });
    expect(away.observed).to.include('ECONNREFUSED');
    expect(away.advice).to.include('PINFOLD_OIDC_ISSUER').and.not.to.include('proxy');
    expect(JSON.stringify(away)).not.to.include('hunter2');
  });
});
