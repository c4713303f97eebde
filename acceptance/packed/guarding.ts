// Publishing from code, hearing of it, and an own sign-in before viewing, as they come out of the packed packages.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { goodZips } from '@pinfold/test-contracts/fixtures';
import type { ViewerAccess } from '@pinfold/viewer';
import { openPinfold } from 'pinfold';

const access: ViewerAccess = {
  identify: ({ headers }) => headers['x-person']?.toString() ?? { signIn: '/login' },
  mayView: (viewer, role) => (viewer === role.account ? 'yes' : 'no'),
};
const heard: string[] = [];
const pinfold = await openPinfold({
  dataDir: 'guarded',
  publicUrl: 'http://localhost:8080',
  onEvent: ({ type }) => heard.push(type),
  access,
});
const server = createServer(pinfold.viewer).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

const [zip] = goodZips;
if (zip === undefined) throw new Error('there is no archive');
const archive = new Uint8Array(await zip.bytes());
const outcome = await pinfold.publish({ by: 'ada', key: 'guarded', filename: 'site.zip', archive });
if (outcome.kind === 'refused') throw new Error(outcome.code);
assert.deepEqual(heard, ['pin.published']);

const view = async (person?: string): Promise<string> => {
  const { pathname } = new URL(outcome.publication.sharedUrl);
  const headers: Record<string, string> = person === undefined ? {} : { 'x-person': person };
  const answer = await fetch(`http://127.0.0.1:${port}${pathname}`, { headers, redirect: 'manual' });
  return `${answer.status} ${answer.headers.get('location') ?? ''}`;
};
assert.equal(await view(), '302 http://localhost:8080/login');
assert.equal(await view('eve'), '403 ');
assert.match(await view('ada'), /^302 http:\/\/[\w-]+\.localhost:8080\/\.pinfold:enter\?grant=/);

server.close();
await pinfold.close();
console.log('the own sign-in guards viewing');
