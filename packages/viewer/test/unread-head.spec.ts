import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { unreadHeadPage } from '../src/index.ts';

const FOR_PROXIES = join(import.meta.dirname, '../../../deploy/too-many-cookies.html');

describe('the page for an unread head', () => {
  it('gives advice in each language, under its own policy', () => {
    const { html, headers } = unreadHeadPage;
    expect(html).to.contain('Delete the cookies of this website').and.contain('Cookie を削除してから');
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['Content-Security-Policy']).to.contain(`'sha256-${hash}'`);
    expect(headers).to.include({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  });

  it('is available for proxies as deploy/too-many-cookies.html', async () => {
    expect(await readFile(FOR_PROXIES, 'utf8'), 'write unreadHeadPage.html there').to.equal(
      unreadHeadPage.html,
    );
  });
});
