import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { accountId, type Caller } from '@pinfold/core';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { callerOf, withoutAdministration } from '../src/internal.ts';

const request = new IncomingMessage(new Socket());
const response = new ServerResponse(request);
const ADA: Caller = { account: accountId('ada'), scopes: ['manage', 'admin'], person: 'ada' };

describe('authentication', () => {
  it('returns the caller, undefined for undefined or null, and throws what the embedding team’s function throws', async () => {
    for (const answer of [ADA, undefined, null]) {
      const caller = answer ?? undefined;
      expect(await callerOf(() => answer as Caller, request, { response })).to.equal(caller);
      expect(await callerOf(async () => answer as Caller, request, { response })).to.equal(caller);
    }
    const thrown = new Error('the directory is away');
    const fail = (): Caller => {
      throw thrown;
    };
    expect(await rejectionOf(callerOf(fail, request, { response }))).to.equal(thrown);
    const filtered = async () => await withoutAdministration(fail)(request, { response });
    expect(await rejectionOf(filtered())).to.equal(thrown);
  });
});

describe('authentication without administration', () => {
  it('removes the scope admin, and warns once', async () => {
    const warnings: string[] = [];
    const authenticate = withoutAdministration(
      async () => ADA,
      (message) => warnings.push(message),
    );
    for (let call = 0; call < 2; call += 1) {
      expect(await authenticate(request, { response })).to.deep.equal({ ...ADA, scopes: ['manage'] });
    }
    expect(warnings).to.have.length(1);
    expect(ADA.scopes, 'the answer of the embedding team').to.include('admin');
  });

  it('does not change other callers, and passes on the earlier caller', async () => {
    const known = { ...ADA, scopes: ['manage'] as const };
    const authenticate = withoutAdministration(
      async (_request, { again }) => again,
      () => expect.fail('there is nothing to warn of'),
    );
    expect(await authenticate(request, { response })).to.equal(undefined);
    expect(await authenticate(request, { response, again: known })).to.equal(known);
  });
});
