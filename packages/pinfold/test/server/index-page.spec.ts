import { expect } from 'chai';
import { type Served, serve } from '../servers/served.ts';

describe('the page at the public URL', () => {
  let server: Served;
  let url: string;

  before(async () => {
    server = await serve();
    url = server.url;
  });

  after(() => server.close());

  it('greets whoever opens the public URL itself, in their language', async () => {
    const japanese = await fetch(url, { headers: { 'accept-language': 'ja,en;q=0.8' } });
    expect(await japanese.text()).to.include('<html lang="ja">');
    const rather = await fetch(url, { headers: { 'accept-language': 'en;q=0.1, ja' } });
    expect(await rather.text()).to.include('<html lang="ja">');
    const english = await fetch(url, { headers: { 'accept-language': 'de, en;q=0.8' } });
    expect(await english.text()).to.include('<html lang="en">');
    expect(english.headers.get('content-security-policy')).to.include("default-src 'none'");
  });

  it('has a page for addresses that nobody has', async () => {
    const answer = await fetch(`${url}/nothing/here`, { headers: { accept: 'text/html' } });
    expect(answer.status).to.equal(404);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
  });
});
