import { accountId } from '@pinfold/core';
import { aroundCalls } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { NAVIGATION, openRig } from './rig.ts';

describe('The URL of a name', () => {
  it('needs one read more than its shared URL, and its log entry has no token', async () => {
    const calls: string[] = [];
    const counted = <Port extends object>(port: Port, label: string): Port =>
      aroundCalls(port, (method, call) => {
        calls.push(`${label}.${method}`);
        return call();
      });
    const rig = await openRig({
      ports: ({ roles, names, accounts }) => ({
        roles: counted(roles, 'roles'),
        names: counted(names, 'names'),
        accounts: counted(accounts, 'accounts'),
      }),
    });
    const id = await rig.publish({ 'index.html': 'hello' });
    const loaded = await rig.memory.roles.load(id);
    const by = loaded?.value.account ?? accountId('nobody');
    const named = await rig.useCases.names.set({ by, name: 'live', pin: id });
    if (named.kind !== 'created') throw new Error(named.kind);
    const path = named.name.url.slice(named.name.url.indexOf('/n/'));
    calls.length = 0;
    const shared = await rig.ask(`/s/${id}`, { headers: NAVIGATION });
    expect(shared.status).to.equal(302);
    const reads = calls.splice(0);
    expect(reads).to.deep.equal(['roles.load']);
    const redirect = await rig.ask(path, { headers: NAVIGATION });
    expect(redirect.headers.location).to.match(new RegExp(`/s/${id}$`));
    expect(calls).to.deep.equal(['names.resolve']);
    await rig.ask(`/s/${id}`, { headers: NAVIGATION });
    expect(calls).to.deep.equal(['names.resolve', ...reads]);
    const entry = rig.log.find(({ route }) => route === 'name');
    expect(entry).to.include({ method: 'GET', status: 302, role: null });
    expect(JSON.stringify(rig.log)).not.to.include(path.slice(-22));
  });
});
