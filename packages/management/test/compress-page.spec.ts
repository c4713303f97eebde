import { expect } from 'chai';
import { openSignedIn, person, screen } from './open-screen.ts';

const OWN = { 'accept-encoding': 'gzip', 'sec-fetch-site': 'same-origin' };

describe('a page of the screen on the wire', () => {
  beforeEach(() => openSignedIn());

  const get = (headers: Readonly<Record<string, string>>) => person.get('/', headers);
  const codingOf = async (headers: Readonly<Record<string, string>>) =>
    (await get(headers)).headers.get('content-encoding');

  it('is compressed for a browser that comes from the screen, or from no page', async () => {
    expect(await codingOf(OWN)).to.equal('gzip');
    expect(await codingOf({ ...OWN, 'sec-fetch-site': 'none' })).to.equal('gzip');
    expect(await codingOf({ ...OWN, 'accept-encoding': 'identity' })).to.equal(null);
  });

  it('is not compressed if another site may have chosen text beside secret addresses', async () => {
    for (const from of ['same-site', 'cross-site', 'nonsense', ''])
      expect(await codingOf({ ...OWN, 'sec-fetch-site': from }), from).to.equal(null);
    expect(await codingOf({ 'accept-encoding': 'gzip' })).to.equal(null);
    expect((await get({})).headers.get('vary')?.split(', ')).to.include.members([
      'Accept-Encoding',
      'Sec-Fetch-Site',
    ]);
  });

  it('takes at most 8 KB with a list of 20 publications', async () => {
    for (let n = 1; n <= 20; n += 1) await screen.publish(`Report of week ${n}, for the whole department`);
    const { headers, text } = await get(OWN);
    expect(text.match(/class="name"/g)).to.have.lengthOf(20);
    expect(Number(headers.get('content-length'))).to.be.at.most(8_192);
  });

  it('masks the form token anew in each answer, and accepts each of them', async () => {
    const { id } = await screen.publish('Report');
    const tokens = [(await get(OWN)).token, (await get(OWN)).token];
    expect(new Set(tokens)).to.have.property('size', 2);
    const renew = async (form: string) => (await person.post(`/publications/${id}/renew`, { form })).status;
    for (const token of tokens) expect(await renew(token)).to.equal(303);
    const [one = '', other = ''] = tokens;
    // The mask of one answer combined with the token of another.
    expect(await renew(one.slice(0, 40) + other.slice(40))).to.equal(403);
    expect(await renew('')).to.equal(403);
  });
});
