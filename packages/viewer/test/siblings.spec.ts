import { expect } from 'chai';
import express from 'express';
import { expectPage } from './expect-page.ts';
import { openRig } from './rig.ts';

const SITE = { 'index.html': '<h1>Harbour</h1>', 'docs/index.html': 'docs' };
const MANY_COOKIES = Array.from({ length: 4 }, (_, n) => `b${n}=${'x'.repeat(3_200)}`).join('; ');

describe('too many cookies of a sibling host', () => {
  it('are cleared if the operator wants that, and only if they are too many', async () => {
    const clearing = await openRig({ viewer: { clearCookies: true } });
    const id = await clearing.publish(SITE);
    for (const answer of [
      await clearing.ask('/', { headers: { cookie: MANY_COOKIES } }),
      await clearing.askSite(id, '/', { headers: { cookie: MANY_COOKIES } }),
    ]) {
      expectPage(answer, 431, { 'clear-site-data': '"cookies"' });
      expect(answer.text).to.contain('This page asked your browser to delete them');
    }
    const long = await clearing.ask(`/${'a'.repeat(13_000)}`);
    expect([long.status, long.headers['clear-site-data']]).to.deep.equal([404, undefined]);
  });

  it('are ignored in requests that are not for the viewer', async () => {
    const shared = await openRig({
      mount: (viewer) => express().use(viewer, (_request, response) => void response.send('theirs')),
    });
    expect((await shared.ask('/', { headers: { cookie: MANY_COOKIES } })).text).to.equal('theirs');
  });
});

describe('a host below the sites’ host that is not an id', () => {
  it('answers 421 at every path', async () => {
    const rig = await openRig({
      viewer: { publicUrl: 'http://share.pins.example', sitesUrl: 'http://pins.example:81' },
      mount: (viewer) => express().use(viewer, (_request, response) => void response.send('theirs')),
    });
    const id = await rig.publish(SITE);
    for (const host of [
      'x.pins.example',
      `x.${id}.pins.example`,
      `${id}0.pins.example`,
      'X.Pins.EXAMPLE.:8080',
      'x.share.pins.example',
    ]) {
      for (const path of ['/', `/s/${id}`, '/api/v1/pins', '/manage/']) {
        const answer = await rig.ask(path, { host, headers: { cookie: 'a=b' } });
        expectPage(answer, 421);
        expect(answer.text).to.contain('There is no site at this address');
      }
    }
    expect(rig.log.at(-1)).to.include({ route: 'none', role: null, status: 421 });
    for (const host of ['SHARE.pins.example.:9', 'pins.example:81', '']) {
      expect((await rig.ask(`/s/${id}`, { host })).status, `the public host: ${host}`).to.equal(302);
    }
  });
});
