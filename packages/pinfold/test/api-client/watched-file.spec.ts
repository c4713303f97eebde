import { expect } from 'chai';
import { WatchedFile } from '../../src/api-client/api-call.ts';

const bytes = Uint8Array.from({ length: 600_000 }, (_, index) => index % 251);

describe('a watched file', () => {
  it('reports sent bytes only when the next chunk is pulled', async () => {
    const reported: number[] = [];
    const file = new WatchedFile('x.zip', bytes, (sent) => reported.push(Math.floor(sent * 100)));
    const reader = file.stream().getReader();
    expect(reported).to.deep.equal([]);
    await reader.read();
    expect(reported).to.deep.equal([0]);
    await reader.read();
    expect(reported).to.deep.equal([0, 43]);
    await reader.read();
    await reader.read();
    expect(reported).to.deep.equal([0, 43, 87, 100]);
  });

  it('is sent completely in a form, with its name', async () => {
    const form = new FormData();
    form.set('archive', new WatchedFile('Säule.zip', bytes, () => undefined));
    const sent = (await new Response(form).formData()).get('archive') as File;
    expect([sent.name, sent.type]).to.deep.equal(['Säule.zip', 'application/zip']);
    expect(await sent.bytes()).to.deep.equal(bytes);
  });

  it('may be empty', async () => {
    const reported: number[] = [];
    const file = new WatchedFile('x.zip', new Uint8Array(), (sent) => reported.push(sent));
    expect(await new Response(file.stream()).text()).to.equal('');
    expect(reported).to.deep.equal([1]);
  });
});
